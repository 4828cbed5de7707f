//! What scripts and agents read: exit statuses, JSON, and answers that are repeated.

use std::fs;

use crate::support::{Ran, Tidy, World};

#[test]
fn the_exit_status_tells_a_script_what_happened() {
    let world = World::new();
    let status = |who: &str, arguments: &[&str]| world.run_as(who, arguments).status;
    assert_eq!(status("ana", &["room", "state"]), 4, "no room covers this path");
    assert_eq!(status("ana", &["join"]), 0);
    assert_eq!(status("bo", &["join"]), 0);
    assert_eq!(status("ana", &["wait"]), 0, "your turn");
    assert_eq!(status("bo", &["wait", "--timeout", "0"]), 10, "not yet");
    assert_eq!(status("bo", &["take", "--reason", "why not"]), 3, "refused");
    assert_eq!(status("ana", &["release", "--status", "only half"]), 2, "a wrong request");
    assert_eq!(status("ana", &["room", "policy", "--claim", "100ms"]), 0);
    assert_eq!(status("cy", &["join"]), 0);
    assert_eq!(status("ana", &["release", "--status", "s", "--next", "n"]), 0);
    assert_eq!(status("cy", &["wait"]), 11, "bo misses its claim");
    assert_eq!(status("cy", &["room", "close"]), 0);
    let room = world.data_of(&["room", "list", "--all"])["rooms"][0]["room_id"].as_str().unwrap().to_owned();
    assert_eq!(status("cy", &["wait", "--room", &room]), 12, "closed");
    for who in ["ana", "bo"] {
        assert_eq!(status(who, &["join"]), 0);
    }
    assert_eq!(status("ana", &["wait"]), 0);
    assert_eq!(status("ana", &["release", "--status", "s", "--next", "n"]), 0);
    assert_eq!(status("bo", &["wait", "--park"]), 13, "kept for bo");
}

#[test]
fn every_answer_of_a_wait_is_ok_and_the_exit_status_tells_which_it_is() {
    let world = World::new();
    let room = world.join_as("ana");
    let answer = |arguments: &[&str]| {
        let ran = world.run_as("ana", &[&["wait", "--json", "--room", &room], arguments].concat());
        let json = ran.json();
        assert_eq!((&json["ok"], &json["error"]), (&true.into(), &serde_json::Value::Null), "{ran:?}");
        (ran.status, json["data"]["status"].as_str().unwrap().to_owned())
    };
    assert_eq!(answer(&["--park", "--timeout", "0"]), (10, "not_yet".to_owned()));
    assert_eq!(answer(&[]), (0, "your_turn".to_owned()));
    assert_eq!(world.run_as("ana", &["room", "close"]).status, 0);
    assert_eq!(answer(&[]), (12, "closed".to_owned()));
}

#[test]
fn what_is_mistyped_is_told_to_a_program_too() {
    let world = World::new();
    let told = |arguments: &[&str]| {
        let ran = world.run(arguments);
        assert_eq!((ran.status, ran.stderr.as_str(), ran.code().as_str()), (2, "", "INVALID_INPUT"), "{ran:?}");
        let json = ran.json();
        format!("{}: {} {}", json["command"], json["error"]["message"], json["error"]["next"])
    };
    let shown = [
        &["wiat", "--json"][..],
        &["--json"],
        &["--json", "take"],
        &["room", "lsit", "--json"],
        &["wait", "--json", "--timeout", "soon"],
        &["scope", "reserve", "src", "--ttl", "long", "--json"],
        &["mcp", "--json"],
        &["--json", "completions", "bash"],
    ]
    .map(told);
    insta::assert_snapshot!(shown.join("\n"), @r#"
    "baton": "unrecognized subcommand 'wiat'." "See `baton --help`."
    "baton": "A subcommand is missing." "See `baton --help`."
    "take": "the following required arguments were not provided: --reason <TEXT>." "See `baton take --help`."
    "room": "unrecognized subcommand 'lsit'." "See `baton room --help`."
    "wait": "invalid value 'soon' for '--timeout <SECONDS>': \"soon\" is not a number of seconds." "See `baton wait --help`."
    "scope reserve": "invalid value 'long' for '--ttl <MINUTES>': it is no whole number." "See `baton scope reserve --help`."
    "mcp": "`baton mcp` takes no --json: what it prints has a format of its own." "Leave out --json."
    "completions": "`baton completions` takes no --json: what it prints has a format of its own." "Leave out --json."
    "#);
    let help = world.run(&["wait", "--json", "--help"]);
    assert!(help.status == 0 && help.stdout.contains("Usage: baton wait"), "{help:?}");
    let note = world.run(&["room", "note", "--", "--json", "stray"]);
    assert_eq!((note.status, note.stdout.as_str()), (2, ""), "that is a note, and one too many");
}

#[test]
fn json_answers_are_one_envelope_whether_it_worked_or_not() {
    let world = World::new();
    let mut tidy = Tidy::default().naming(&world.workspace(), "WORKSPACE");
    let mut shown = |who: &str, arguments: &[&str]| {
        let ran = world.run_as(who, &[arguments, &["--json"]].concat());
        assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""), "{ran:?}");
        tidy.tidy(&serde_json::to_string_pretty(&ran.json()).unwrap())
    };
    insta::assert_snapshot!(shown("ana", &["status"]), @r#"
    {
      "ok": true,
      "command": "status",
      "data": {
        "room": null,
        "you": "test:ana",
        "next": "baton join"
      },
      "error": null
    }
    "#);
    shown("ana", &["join"]);
    insta::assert_snapshot!(shown("ana", &["wait"]), @r#"
    {
      "ok": true,
      "command": "wait",
      "data": {
        "status": "your_turn",
        "room_id": "room_1",
        "turn_id": 1,
        "lease_id": "lease_1",
        "lease_expires_at": "TIME",
        "heartbeat_interval_ms": 300000,
        "handoff": null,
        "from_agent_id": null,
        "reason": "open_claim"
      },
      "error": null
    }
    "#);
    shown("bo", &["join"]);
    insta::assert_snapshot!(shown("bo", &["wait", "--timeout", "0"]), @r#"
    {
      "ok": true,
      "command": "wait",
      "data": {
        "status": "not_yet",
        "cursor": "4",
        "room_state": "owned",
        "turn_id": 1,
        "owner": "test:ana",
        "reserved_for": null,
        "lease_expires_at": "TIME",
        "claim_expires_at": null,
        "next": "Call `baton wait` again. Do not work in this workspace yet."
      },
      "error": null
    }
    "#);
    insta::assert_snapshot!(shown("bo", &["release", "--status", "s", "--next", "n"]), @r#"
    {
      "ok": false,
      "command": "release",
      "data": null,
      "error": {
        "code": "stale_lease",
        "error": "stale_lease",
        "message": "The supplied lease is no longer current for this room.",
        "current_owner": "test:ana",
        "current_turn_id": 1,
        "room_state": "owned",
        "next": "Stop working as the owner and read `baton room state`. If your own process was replaced while it held the stick, take it over."
      }
    }
    "#);
    insta::assert_snapshot!(shown("ana", &["release", "--status", "s", "--next", "n"]), @r#"
    {
      "ok": true,
      "command": "release",
      "data": {
        "room_id": "room_1",
        "turn_id": 1,
        "state": "reserved",
        "reserved_for": "test:bo",
        "claim_expires_at": "TIME",
        "event_seq": 5
      },
      "error": null
    }
    "#);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let world = World::new();
    world.join_as("ana");
    let mut command = world.command("sh");
    command.args(["-c", r#"{ "$0" room events; echo $? >&2; } | :"#, env!("CARGO_BIN_EXE_baton")]);
    let ran = Ran::of(command);
    assert_eq!(ran.stderr, "0\n");
}

#[test]
fn a_key_replays_the_first_answer() {
    let world = World::new();
    world.join_as("ana");
    let note = |text: &str| world.run_as("ana", &["room", "note", text, "--idempotency-key", "k1", "--json"]);
    let first = note("once");
    assert_eq!(note("once").json(), first.json());
    assert_eq!((note("something else").status, note("something else").code()), (3, "idempotency_conflict".to_owned()));
}

#[test]
fn a_repeated_command_gets_the_first_answer_though_the_stick_has_moved_on() {
    let world = World::new();
    let mut git = world.command("git");
    git.args(["init", "--quiet"]);
    assert_eq!(Ran::of(git).status, 0);
    world.join_as("ana");
    world.join_as("bo");
    let twice = |who: &str, key: &str, arguments: &[&str], meanwhile: &dyn Fn()| {
        let run = || world.run_as(who, &[arguments, &["--idempotency-key", key, "--json"]].concat());
        let first = run();
        assert_eq!(first.status, 0, "{arguments:?}: {first:?}");
        meanwhile();
        assert_eq!(run().json(), first.json(), "{arguments:?}");
    };
    let does = |who: &str, arguments: &[&str]| assert_eq!(world.run_as(who, arguments).status, 0, "{arguments:?}");
    let hand_over = ["--status", "s", "--next", "n"];
    let release = [&["release"][..], &hand_over].concat();
    let nothing = || {};

    twice("ana", "wait", &["wait", "--timeout", "60"], &nothing);
    twice("ana", "beat", &["heartbeat"], &nothing);
    fs::write(world.workspace().join("new.txt"), "a\n").unwrap();
    twice("ana", "release", &[&release[..], &["--from-git"]].concat(), &|| does("bo", &["wait"]));
    assert_eq!(
        world.run_as("ana", &["release", "--status", "t", "--next", "n", "--idempotency-key", "release"]).status,
        3,
        "something else was said"
    );
    twice("bo", "pass", &[&["pass", "test:ana"][..], &hand_over].concat(), &|| {
        does("ana", &["wait"]);
        does("ana", &release);
        does("bo", &["wait"]);
    });
    twice("ana", "beat", &["heartbeat"], &nothing);
    twice("bo", "policy", &["room", "policy", "--claim", "100ms"], &|| does("bo", &release));
    twice("ana", "order", &["room", "reorder", "test:bo", "test:ana"], &nothing);
    does("ana", &["wait"]);
    does("ana", &release);
    assert_eq!(world.run_as("ana", &["wait"]).status, 11, "bo misses its claim");
    twice("ana", "take", &["take", "--reason", "bo is late"], &nothing);
    twice("bo", "leave", &["leave"], &|| does("bo", &["join"]));
    twice("ana", "close", &["room", "close"], &|| does("bo", &["join"]));
    world.assert_sound();
}

#[test]
fn a_room_that_its_member_closed_without_the_stick_is_closed_once() {
    let world = World::new();
    world.join_as("ana");
    for arguments in [&["wait"][..], &["release", "--status", "s", "--next", "n"]] {
        assert_eq!(world.run_as("ana", arguments).status, 0);
    }
    let close = || world.run_as("ana", &["room", "close", "--idempotency-key", "k", "--json"]);
    let first = close();
    assert_eq!(first.status, 0, "{first:?}");
    assert_eq!(close().json(), first.json());
}

#[test]
fn a_data_directory_that_depends_on_where_one_stands_is_refused_and_none_is_made() {
    let world = World::new();
    for (variable, value) in [("BATON_DATA_DIR", "here"), ("BATON_STORE", "./here"), ("BATON_DATA_DIR", "~other/here")]
    {
        let mut command = world.baton(&["join", "--json"]);
        command.env_remove("BATON_DATA_DIR").env(variable, value);
        let ran = Ran::of(command);
        assert_eq!((ran.status, ran.code().as_str()), (1, "store_unavailable"), "{ran:?}");
        assert!(ran.json()["error"]["next"].as_str().unwrap().contains(variable), "{ran:?}");
    }
    assert_eq!(fs::read_dir(world.workspace()).unwrap().count(), 1, "only what was there");
    let mut command = world.baton(&["join", "--json"]);
    command.env("BATON_DATA_DIR", "~/of-mine");
    assert_eq!(Ran::of(command).status, 0);
    assert!(world.home().join("of-mine/rooms.sqlite").exists());
}

#[test]
fn a_listing_calls_an_agent_by_one_name() {
    let world = World::new();
    world.join_as("ana");
    world.join_as("bo");
    let name = |who: &str| {
        world.run_as(who, &["agent", "heartbeat", "--json"]).json()["data"]["name"].as_str().unwrap().to_owned()
    };
    let (ana, bo) = (name("ana"), name("bo"));
    assert_eq!(world.run_as("ana", &["wait"]).status, 0);
    let send = ["send", "--to", &bo, "--category", "INFO", "--subject", "hello", "--body", "there"];
    assert_eq!(world.run_as("ana", &send).status, 0);
    assert_eq!(world.run_as("ana", &["pass", &bo, "--status", "s", "--next", "n"]).status, 0);
    let listed = |arguments: &[&str]| world.run_as("bo", arguments).stdout;
    let events = listed(&["room", "events"]);
    let after_joining = events.lines().filter(|line| !line.contains(" joined as "));
    assert!(after_joining.clone().any(|line| line.contains(&format!("{ana} passed the stick to {bo}"))), "{events}");
    assert!(after_joining.clone().all(|line| !line.contains("test:")), "{events}");
    assert!(listed(&["room", "list"]).contains(&format!("kept for {bo}")));
    let status = listed(&["status"]);
    assert!(
        status.contains(&format!("kept for {bo}, claim")) && status.contains(&format!("{bo} (test:bo)")),
        "{status}"
    );
}

#[test]
fn artifacts_of_a_handoff_start_where_the_shell_stands() {
    let world = World::new();
    world.join_as("ana");
    assert_eq!(world.run_as("ana", &["wait"]).status, 0);
    world.write("sub/a.rs", "1");
    let given = ["--artifact", "a.rs:1-5", "--artifact", "../src/b.rs=edit", "--artifact", "/etc/hosts"];
    let mut command = world.baton(&[&["release", "--status", "s", "--next", "n"][..], &given].concat());
    command.current_dir(world.workspace().join("sub")).env("BATON_AGENT_ID", "test:ana");
    let released = Ran::of(command);
    assert!(released.stdout.contains("Your handoff points to sub/a.rs:1-5, src/b.rs, /etc/hosts."), "{released:?}");
    let state = world.run_as("ana", &["room", "state", "--json"]).json();
    let paths =
        state["data"]["handoff"]["artifacts"].as_array().unwrap().iter().map(|artifact| artifact["path"].clone());
    assert_eq!(paths.collect::<Vec<_>>(), ["sub/a.rs", "src/b.rs", "/etc/hosts"]);
}

#[test]
fn who_left_is_called_by_its_last_name_in_what_is_still_owed() {
    let world = World::new();
    world.join_as("ana");
    world.join_as("bo");
    let bo = world.run_as("bo", &["agent", "heartbeat", "--json"]).json()["data"]["name"].as_str().unwrap().to_owned();
    let asks = ["handoff", &bo, "well?", "--response", "required"];
    let asked = world.run_as("ana", &asks);
    assert_eq!(asked.status, 0, "{asked:?}");
    assert_eq!(world.run_as("bo", &["leave"]).status, 0);
    for listing in [["agent", "graph"].as_slice(), &["status"]] {
        let shown = world.run_as("ana", listing).stdout;
        let owed = shown.lines().find(|line| line.contains("well?")).unwrap_or_else(|| panic!("{shown}"));
        assert!(owed.contains(&bo) && !owed.contains("test:bo"), "{shown}");
    }
}
