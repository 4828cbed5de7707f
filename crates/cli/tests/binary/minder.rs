//! `baton minder`: the program as it is shipped, as the minder of a child.

use std::path::Path;

use baton_runner::process::{Child, Spawn, Status, StopSignal};

use crate::support::World;

#[test]
fn the_binary_minds_a_program_and_tells_what_it_left_behind() {
    // Arguments that look like flags of ours are the program's.
    let argv = ["/bin/sh", "-c", "cat; echo \"$@\"; setsid sleep 1000 & exit 3", "sh", "--json", "--help"];
    let spawn = Spawn {
        argv: argv.map(Into::into).to_vec(),
        cwd: "/".into(),
        env: Vec::new(),
        stdin: b"a prompt\n".to_vec(),
        stop_signal: StopSignal::Terminate,
        claim: None,
    };
    let mut lines = Vec::new();
    let exit = Child::spawn(&spawn, Path::new(env!("CARGO_BIN_EXE_baton"))).unwrap().wait(|line| lines.push(line.text));
    assert_eq!(lines, ["a prompt", "--json --help"]);
    assert_eq!((exit.status, exit.leaked), (Status::Code(3), vec!["sleep".to_owned()]));
}

#[test]
fn nobody_else_can_do_anything_with_a_minder() {
    let world = World::new();
    for arguments in
        [&["minder"][..], &["minder", "watch", "TERM", "/bin/true"], &["minder", "launch", "1", "/bin/true"]]
    {
        let ran = world.run(arguments);
        assert_ne!(ran.status, 0, "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
    assert!(!world.data().exists());
}
