//! The example client, which was written from docs/protocol.md alone, plays its story over the socket and over HTTP.

use std::path::Path;

use crate::support::{Ran, World};

/// Runs the example against a running server, and gives what it printed.
fn play(world: &World, surface: &str) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/client.py");
    let mut command = world.command("python3");
    command.arg(script).args([surface, "--workspace"]).arg(world.workspace());
    let ran = Ran::of(command);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{surface}: {ran:?}");
    ran.stdout
}

#[test]
fn a_client_that_knows_only_the_document_joins_waits_submits_follows_and_resumes() {
    World::on_every_backend(|world| {
        let _server = world.up(&[]);
        for surface in ["socket", "http"] {
            let told = play(&world, surface);
            for step in [
                "joined room_",
                "turn 1\n",
                "told: The parser is done. Write its tests.",
                "completed: 12 passed",
                "followed from ",
                "resumed behind ",
                "came once each, in order",
            ] {
                // Turns go on from one client to the next, as both use one room.
                let step = if surface == "http" && step == "turn 1\n" { "turn 3\n" } else { step };
                assert!(told.contains(step), "{surface}: no {step:?} in:\n{told}");
            }
        }
        world.assert_sound();
    });
}
