//! What scripts and agents read: exit statuses, JSON, and answers that are repeated.

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
      "ok": false,
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
        "next": "Call wait_for_turn again. Do not work in this workspace yet."
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
