//! A program whose Baton is gone, and one from which it is taken out.
#![expect(clippy::unwrap_used, reason = "these helpers are part of tests, where a failed step ends the test")]

use std::{fs, path::PathBuf, process::Command};

use baton_testkit::{Client, clients::left_out, model::Step};

use super::{
    for_each_client,
    scene::{Scene, harness, text},
};
use crate::support::{BATON, Ran, World};

/// Installs a copy of Baton that is removed afterwards.
fn install_and_remove(scene: &Scene, more: &[&str]) {
    let copy: PathBuf = scene.world.root().join("copied-baton");
    // By another process: a file that this one has open for writing, if only in a child that another test is starting,
    // cannot be run.
    assert!(Command::new("cp").arg(BATON).arg(&copy).status().unwrap().success());
    let mut command = scene.world.command(copy.to_str().unwrap());
    command.args(["install", harness(scene.client)]).args(more).envs(scene.home.environment());
    if scene.client == Client::Codex {
        command.arg("--trust-hooks");
    }
    let ran = Ran::of(command);
    assert_eq!(ran.status, 0, "{ran:?}");
    fs::remove_file(copy).unwrap();
}

fn without_its_baton_a_program_still_works(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::without_install(client);
    scene.ana(&["wait"]);
    install_and_remove(&scene, &["--without", "mcp"]);
    scene.plays(vec![Step::shell("echo x > b.txt"), Step::say("done")]);
    assert_eq!(text(&scene.file("b.txt")).as_deref(), Some("x\n"));
}

fn strictly_it_says_why_not(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::without_install(client);
    install_and_remove(&scene, &["--without", "mcp", "--strict"]);
    let script = scene.plays(vec![Step::shell("echo x > b.txt"), Step::say("done")]);
    let turn = script.reached(1);
    assert_eq!(text(&scene.file("b.txt")), None, "{turn:#?}");
    assert!(!turn.result_text(0).is_empty(), "{turn:#?}");
}

fn an_uninstalled_program_is_byte_for_byte_as_before(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::without_install(client);
    let before = World::files(&scene.world.home());
    scene.install(&[]);
    assert_ne!(World::files(&scene.world.home()), before);
    let ran = scene.baton(&["uninstall", harness(client)]);
    assert_eq!(ran.status, 0, "{ran:?}");
    let after = World::files(&scene.world.home());
    let paths = |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&after), paths(&before));
    assert!(after == before);
}

for_each_client!(without_its_baton_a_program_still_works);
for_each_client!(strictly_it_says_why_not);
for_each_client!(an_uninstalled_program_is_byte_for_byte_as_before);
