//! Wrong paths, names, times and handoffs, at the program: a code each, an exit status, and nothing changed.
//!
//! That nothing ever panics is checked for every command that a test runs, in `Ran`.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt};

use crate::support::{Ran, World};

/// A world in whose room `test:ana` holds the stick.
fn held() -> World {
    let world = World::new();
    for arguments in [&["join"][..], &["wait"]] {
        assert_eq!(world.run_as("ana", arguments).status, 0);
    }
    world
}

fn last_event(world: &World) -> u64 {
    world.data_of(&["room", "events", "--limit", "1"])["events"][0]["event_seq"].as_u64().unwrap()
}

#[test]
fn a_path_that_does_not_exist_is_not_found() {
    let world = held();
    let before = last_event(&world);
    for arguments in
        [&["join", "--path", "no/such"][..], &["status", "--path", "no/such"], &["room", "list", "--path", "/no/such"]]
    {
        let ran = world.run_as("ana", &[arguments, &["--json"]].concat());
        assert_eq!((ran.status, ran.code()), (4, "path_not_found".to_owned()), "{arguments:?}: {ran:?}");
    }
    assert_eq!(last_event(&world), before);
}

#[test]
fn a_path_that_is_not_utf_8_is_invalid() {
    let world = held();
    let before = last_event(&world);
    let name = OsStr::from_bytes(b"caf\xe9");
    fs::create_dir(world.workspace().join(name)).unwrap();
    for words in [&["join"][..], &["status"], &["room", "list"], &["room", "events"], &["hold"]] {
        let mut command = world.baton(words);
        command.args(["--json", "--path"]).arg(name);
        let ran = Ran::of(command);
        // `hold` may be refused before, for being run by an agent.
        let codes = if words == ["hold"] { &["invalid_path", "INVALID_INPUT"][..] } else { &["invalid_path"] };
        assert_eq!(ran.status, 2, "{words:?}: {ran:?}");
        assert!(codes.contains(&ran.code().as_str()), "{words:?}: {ran:?}");
    }
    let mut from_there = world.baton(&["join", "--json"]);
    from_there.current_dir(world.workspace().join(name));
    let ran = Ran::of(from_there);
    // The room's own path is text; only what is asked for is not.
    assert!(ran.status == 0 || ran.code() == "invalid_path", "{ran:?}");
    if ran.status != 0 {
        assert_eq!(last_event(&world), before);
    }
}

#[test]
fn a_timeout_that_is_no_time_is_a_wrong_request_and_a_very_long_one_is_not_a_short_one() {
    let world = held();
    for timeout in ["-1", "nan", "soon", ""] {
        let ran = world.run_as("ana", &["wait", &format!("--timeout={timeout}")]);
        assert_eq!(ran.status, 2, "{timeout:?}: {ran:?}");
    }
    // The stick is ana's, so even the longest wait is answered at once.
    for timeout in ["1e18", "1e19", "1e300", "inf"] {
        let ran = world.run_as("ana", &["wait", &format!("--timeout={timeout}")]);
        assert!([0, 2].contains(&ran.status), "{timeout}: {ran:?}");
    }
}

#[test]
fn a_room_that_does_not_exist_is_unknown() {
    let world = held();
    let room = "room_0000000000000000";
    for words in [
        &["status"][..],
        &["wait"],
        &["leave"],
        &["heartbeat"],
        &["release", "--status", "s", "--next", "n"],
        &["pass", "test:ana", "--status", "s", "--next", "n"],
        &["take", "--reason", "r"],
        &["room", "state"],
        &["room", "events"],
        &["room", "note", "text"],
        &["room", "close"],
        &["room", "policy"],
        &["room", "reorder", "test:ana"],
        &["send", "--to", "test:bo", "--category", "INFO", "--subject", "s", "--body", "b"],
        &["block", "--to", "test:bo", "--subject", "s", "--blocker", "b", "--request", "r"],
        &["inbox"],
        &["inbox", "list"],
        &["inbox", "read", "1"],
        &["inbox", "sent"],
        &["ack", "1"],
        &["task", "create", "title"],
        &["task", "list"],
        &["task", "show", "1"],
        &["task", "start", "1"],
        &["task", "done", "1"],
        &["task", "assign", "1", "--nobody"],
        &["task", "begin", "title"],
        &["task", "focus"],
        &["task", "focus", "1"],
        &["task", "snapshot"],
        &["radar"],
        &["radar", "--watch"],
        &["radar", "--reply", "1", "message"],
        &["job", "radar"],
        &["job", "create", "title", "--prompt", "p"],
        &["job", "delegate", "title", "--prompt", "p"],
        &["job", "fanout", "--anchor", "a:core", "--prompt", "p"],
        &["job", "list"],
        &["job", "open", "1"],
        &["job", "tail", "1"],
        &["job", "tail", "1", "--follow"],
        &["job", "artifacts", "1"],
        &["job", "message", "1", "message"],
        &["job", "cancel", "1", "--reason", "r"],
        &["job", "requeue", "1", "--reason", "r"],
        &["job", "merge", "1"],
        &["job", "claim"],
        &["job", "claim", "1"],
        &["job", "report", "1", "message", "--kind", "progress", "--revision", "1"],
        &["job", "complete", "1", "summary", "--revision", "1"],
        &["card", "create", "title", "--text", "t"],
        &["card", "list"],
        &["card", "show", "1"],
        &["card", "pin", "1"],
        &["anchor", "set", "a:core", "title"],
        &["anchor", "list"],
        &["plan", "create", "title"],
        &["plan", "list"],
        &["note", "text"],
        &["open", "CARD-1"],
        &["search", "word"],
    ] {
        let ran = world.run_as("ana", &[words, &["--json", "--room", room]].concat());
        assert_eq!((ran.status, ran.code()), (4, "unknown_room".to_owned()), "{words:?}: {ran:?}");
    }
}

#[test]
fn a_bad_baton_agent_id_is_named_and_nothing_is_done() {
    let world = World::new();
    for id in ["has space", "tab\tbed", "\u{1b}[31mred", &"x".repeat(200)] {
        for arguments in [&["join", "--json"][..], &["mcp"]] {
            let mut command = world.baton(arguments);
            command.env("BATON_AGENT_ID", id);
            let ran = Ran::of(command);
            assert_eq!(ran.status, 2, "{id:?}: {ran:?}");
            assert!((ran.stdout.clone() + &ran.stderr).contains("BATON_AGENT_ID"), "{id:?}: {ran:?}");
            assert!(!ran.stderr.contains('\u{1b}'));
        }
    }
    // Not to be passed over in silence either: the command would be somebody else's.
    let mut command = world.baton(&["join"]);
    command.env("BATON_AGENT_ID", OsStr::from_bytes(b"caf\xe9"));
    let ran = Ran::of(command);
    assert!(ran.status == 2 && ran.stderr.contains("BATON_AGENT_ID"), "{ran:?}");
    assert_eq!(world.data_of(&["room", "list", "--all"])["rooms"], serde_json::json!([]));
}

#[test]
fn a_handoff_that_is_oversized_empty_or_unreadable_is_refused_and_the_stick_stays() {
    let world = held();
    let before = last_event(&world);
    let file = |name: &str, text: &str| {
        fs::write(world.workspace().join(name), text).unwrap();
        name.to_owned()
    };
    let long = format!(r#"{{"status":"{}","next_action":"go on"}}"#, "x".repeat(20 * 1024));
    let huge = format!("# Status\n{}\n# Next action\ngo on\n", "x".repeat(8 * 1024 * 1024));
    for (file, code) in [
        (file("long.json", &long), "invalid_handoff"),
        (file("huge.md", &huge), "invalid_handoff"),
        (file("empty.md", ""), "invalid_handoff"),
        (file("blank.json", r#"{"status":"  ","next_action":"go on"}"#), "invalid_handoff"),
        (file("wrong.json", r#"{"status":1,"next_action":"go on"}"#), "invalid_handoff"),
        (file("cut.json", r#"{"status":"a"#), "invalid_handoff"),
        ("missing.md".to_owned(), "INVALID_INPUT"),
        (".".to_owned(), "INVALID_INPUT"),
    ] {
        let ran = world.run_as("ana", &["release", "--file", &file, "--json"]);
        assert_eq!((ran.status, ran.code().as_str()), (2, code), "{file}: {ran:?}");
    }
    let mut binary = world.baton(&["release", "--file", "binary", "--json"]);
    fs::write(world.workspace().join("binary"), [0xff, 0xfe, 0]).unwrap();
    binary.env("BATON_AGENT_ID", "test:ana");
    assert_eq!(Ran::of(binary).code(), "INVALID_INPUT");
    assert_eq!(last_event(&world), before);
    let state = world.data_of(&["room", "state"]);
    assert_eq!(state["room"]["owner"], "test:ana");
    world.assert_sound();
}

#[test]
fn a_working_directory_that_was_deleted_is_named() {
    let world = World::new();
    let gone = world.root().join("gone");
    fs::create_dir(&gone).unwrap();
    let mut command = world.command("sh");
    command.current_dir(&gone).args(["-c", r#"rmdir ../gone; "$0" status --json"#, env!("CARGO_BIN_EXE_baton")]);
    let ran = Ran::of(command);
    assert_eq!((ran.status, ran.code()), (4, "path_not_found".to_owned()), "{ran:?}");
}
