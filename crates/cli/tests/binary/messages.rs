//! Messages at the command line: the ladder as both sides see it, who may do what, and what a terminal is shown.

use std::os::unix::fs::symlink;

use baton_app::environment::Environment;
use serde_json::{Value, json};

use crate::support::{Agent, Ran, Transcript, World};

/// A world in which these have joined.
fn world_of(agents: &[&str]) -> World {
    let world = World::new();
    agents.iter().for_each(|who| drop(world.join_as(who)));
    world
}

/// Runs a command with `--json` that must succeed, and gives its data.
fn data(world: &World, who: &str, arguments: &[&str]) -> Value {
    let ran = world.run_as(who, &[arguments, &["--json"]].concat());
    assert_eq!(ran.status, 0, "{who} {arguments:?}: {ran:?}");
    ran.json()["data"].clone()
}

/// An INFO with a text.
fn info<'a>(to: &'a str, subject: &'a str) -> Vec<&'a str> {
    vec!["send", "--to", to, "--category", "INFO", "--subject", subject, "--body", "text"]
}

#[test]
fn a_message_climbs_the_ladder_and_its_sender_sees_every_rung() {
    let world = world_of(&["ana", "bo"]);
    let mut story = Transcript::new(&world);
    let blocked = ["--subject", "I need the lexer", "--blocker", "it is yours", "--request", "let me in"];
    story.run("bo", &[&["block", "--to", "humble-orca", "--urgency", "high"][..], &blocked].concat());
    story.run("bo", &["inbox", "sent"]);
    story.run("ana", &["inbox"]);
    story.run("bo", &["inbox", "sent"]);
    story.run("ana", &["inbox", "read", "4"]);
    story.run("bo", &["inbox", "sent", "--waiting"]);
    story.run("ana", &["inbox"]);
    story.run("ana", &["ack", "4", "--note", "come in"]);
    story.run("bo", &["inbox", "sent"]);
    story.run("bo", &["inbox", "sent", "--waiting"]);
    story.run("ana", &["inbox", "list"]);
    story.run("ana", &["inbox", "--state", "all"]);
    story.run("ana", &["inbox", "read", "4"]);
    insta::assert_snapshot!(story.text(), @r#"
    bo$ baton block --to humble-orca --urgency high --subject "I need the lexer" --blocker "it is yours" --request "let me in"
    Message 4 is queued for humble-orca, who has to accept it.
    next: baton inbox sent  (what becomes of it)

    bo$ baton inbox sent
        4  BLOCKED to humble-orca, sent SPAN ago: I need the lexer
           humble-orca  Queued, not accepted yet

    ana$ baton inbox
        4  sunny-glade  BLOCKED (high)  Delivered, to accept  sent SPAN ago  I need the lexer
             it is yours
             request: let me in
    next: baton inbox read 4

    bo$ baton inbox sent
        4  BLOCKED to humble-orca, sent SPAN ago: I need the lexer
           humble-orca  Delivered SPAN ago, not accepted yet

    ana$ baton inbox read 4
    Needs input: sunny-glade asks humble-orca (message 4, sent SPAN ago)
      subject   I need the lexer
      blocker   it is yours
      request   let me in
      urgency   high

    Seen. Its sender waits for you to accept it.
    next: baton ack 4

    bo$ baton inbox sent --waiting
        4  BLOCKED to humble-orca, sent SPAN ago: I need the lexer
           humble-orca  Seen SPAN ago, not accepted yet

    ana$ baton inbox
        4  sunny-glade  BLOCKED (high)  Seen, to accept  sent SPAN ago  I need the lexer
             it is yours
             request: let me in
    next: baton ack 4

    ana$ baton ack 4 --note "come in"
    Message 4 is accepted; its sender can see that.

    bo$ baton inbox sent
        4  BLOCKED to humble-orca, sent SPAN ago: I need the lexer
           humble-orca  Accepted SPAN ago: come in

    bo$ baton inbox sent --waiting
    Nothing that you sent waits to be accepted.

    ana$ baton inbox list
    Nothing waits for you. All there was: baton inbox --state all

    ana$ baton inbox --state all
        4  sunny-glade  BLOCKED (high)  Accepted  sent SPAN ago  I need the lexer
             it is yours
             request: let me in

    ana$ baton inbox read 4
    Needs input: sunny-glade asks humble-orca (message 4, sent SPAN ago)
      subject   I need the lexer
      blocker   it is yours
      request   let me in
      urgency   high

    Accepted SPAN ago.
    "#);
    world.assert_sound();
}

#[test]
fn on_every_engine_the_rungs_are_the_same() {
    World::on_every_backend(|world| {
        ["ana", "bo"].iter().for_each(|who| drop(world.join_as(who)));
        let rung = || data(&world, "bo", &["inbox", "sent"])["messages"][0]["deliveries"][0]["state"].clone();
        let handoff = ["--category", "handoff", "--subject", "s", "--summary", "done", "--next-action", "go on"];
        let sent = data(&world, "bo", &[&["send", "--to", "test:ana"][..], &handoff].concat());
        let number = sent["message"].to_string();
        let waiting = data(&world, "ana", &["status"])["attention"].clone();
        assert_eq!((&waiting["unseen"], &waiting["to_accept"]), (&json!(1), &json!(1)));
        assert_eq!(data(&world, "bo", &["status"])["attention"]["unanswered"][0]["message"], sent["message"]);
        let mut rungs = vec![rung()];
        for arguments in [&["inbox"][..], &["inbox", "read", &number], &["ack", &number]] {
            data(&world, "ana", arguments);
            rungs.push(rung());
        }
        assert_eq!(json!(rungs), json!(["queued", "delivered", "seen", "accepted"]));
        // Said again, each is answered as before and climbs nowhere.
        let again = data(&world, "ana", &["ack", &number]);
        assert_eq!((&again["state"], rung()), (&json!("accepted"), json!("accepted")));
        world.assert_sound();
    });
}

#[test]
fn a_message_is_accepted_without_being_read_first_and_named_by_its_protocol_id_too() {
    let world = world_of(&["ana", "bo"]);
    let sent = data(&world, "bo", &info("humble-orca", "good to know"));
    let id = sent["event"]["id"].as_str().unwrap();
    assert_eq!(data(&world, "ana", &["ack", id])["state"], "accepted");
    let delivery = data(&world, "bo", &["inbox", "sent"])["messages"][0]["deliveries"][0].clone();
    assert!(["delivered_at", "seen_at", "accepted_at"].iter().all(|at| delivery[at].is_string()), "{delivery}");
}

#[test]
fn only_its_recipient_reads_and_accepts_a_message() {
    let world = world_of(&["ana", "bo", "cy"]);
    let number = data(&world, "bo", &info("humble-orca", "for ana"))["message"].to_string();
    let refused = |who: &str, arguments: &[&str]| {
        let ran = world.run_as(who, &[arguments, &["--json"]].concat());
        assert_eq!(ran.json()["ok"], false);
        (ran.status, ran.code())
    };
    // Neither the sender nor anybody else, and it stays where it was.
    for who in ["bo", "cy"] {
        assert_eq!(refused(who, &["inbox", "read", &number]), (3, "READ_FORBIDDEN".to_owned()));
        assert_eq!(refused(who, &["ack", &number]), (3, "ACK_FORBIDDEN".to_owned()));
    }
    for arguments in [["inbox", "read", "1"].as_slice(), &["ack", "99"]] {
        assert_eq!(refused("ana", arguments), (4, "MESSAGE_NOT_FOUND".to_owned()), "{arguments:?}");
    }
    assert_eq!(refused("dee", &["ack", &number]), (4, "AGENT_NOT_FOUND".to_owned()));
    let sent = data(&world, "bo", &["inbox", "sent"]);
    assert_eq!(sent["messages"][0]["deliveries"][0]["state"], "queued");
}

#[test]
fn what_cannot_be_sent_is_refused_by_name_and_nothing_is_recorded() {
    let world = world_of(&["ana", "bo"]);
    let send = |category: &'static str, rest: &[&'static str]| {
        let start = ["send", "--to", "test:bo", "--subject", "s", "--category", category, "--json"];
        let ran = world.run_as("ana", &[&start[..], rest].concat());
        (ran.status, ran.code(), ran.json()["error"]["field"].as_str().unwrap_or_default().to_owned())
    };
    let invalid = |field: &str| (2, "INVALID_MESSAGE".to_owned(), field.to_owned());
    let blocked = ["--blocker", "b", "--request", "r"];
    let long = "x".repeat(20_000);
    assert_eq!(send("RUMOUR", &["--body", "b"]), (2, "INVALID_CATEGORY".to_owned(), "category".to_owned()));
    assert_eq!(send("HANDOFF", &["--summary", "done"]), invalid("next_action"));
    assert_eq!(send("HANDOFF", &["--summary", " ", "--next-action", "n"]), invalid("summary"));
    assert_eq!(send("HANDOFF", &["--summary", "s", "--next-action", "n", "--body", "b"]), invalid("body"));
    assert_eq!(send("BLOCKED", &["--blocker", "b"]), invalid("requested_action"));
    assert_eq!(send("BLOCKED", &[&blocked[..], &["--no-ack"]].concat()), invalid("requires_ack"));
    assert_eq!(send("INFO", &[&blocked[..], &["--body", "b"]].concat()), invalid("blocker"));
    assert_eq!(send("INFO", &["--body", "b", "--urgency", "low"]), invalid("urgency"));
    assert_eq!(send("DECISION", &[]), invalid("body"));
    assert_eq!(send("INFO", &["--body", long.leak()]), invalid("body"));
    assert_eq!(send("INFO", &["--body", "b", "--bead", "TASK-007"]).1, "UNKNOWN_ID");
    assert_eq!(send("INFO", &["--body", "b", "--scope", "../elsewhere"]).2, "scope");

    let to = |who: &str, to: &str| {
        let ran = world.run_as(who, &[&info(to, "s")[..], &["--json"]].concat());
        (ran.status, ran.code())
    };
    for nobody in ["test:nobody", "humble-orca", "test:ana", "role:reviewer"] {
        assert_eq!(to("ana", nobody), (3, "UNKNOWN_RECIPIENT".to_owned()), "{nobody}");
    }
    assert_eq!(to("ana", "role:No Such"), (2, "INVALID_ROLE".to_owned()));
    assert_eq!(to("cy", "test:bo"), (3, "UNKNOWN_SENDER".to_owned()));
    assert_eq!(data(&world, "ana", &["room", "events", "--limit", "1"])["events"][0]["event_type"], "join");
}

#[test]
fn a_listing_knows_its_states_and_bounds_and_pages_on() {
    let world = world_of(&["ana", "bo"]);
    for subject in ["one", "two", "three"] {
        data(&world, "bo", &info("test:ana", subject));
    }
    let refused = |arguments: &[&str]| {
        let ran = world.run_as("ana", &[arguments, &["--json"]].concat());
        (ran.status, ran.code())
    };
    assert_eq!(refused(&["inbox", "--state", "lost"]), (2, "INVALID_STATE".to_owned()));
    for limit in ["0", "201"] {
        for listing in [&["inbox"][..], &["inbox", "list"], &["inbox", "sent"]] {
            let arguments = [listing, &["--limit", limit]].concat();
            assert_eq!(refused(&arguments), (2, "INVALID_LIMIT".to_owned()), "{arguments:?}");
        }
    }
    let page = world.run_as("ana", &["inbox", "--limit", "1", "--state", "all"]);
    let shown: Vec<_> = page.stdout.lines().skip(1).collect();
    assert_eq!(
        shown,
        ["         text", "more: baton inbox --state all --after 4", "next: baton inbox read 4"],
        "{page:?}"
    );
    let rest = data(&world, "ana", &["inbox", "--state", "all", "--after", "4"]);
    let subjects: Vec<_> = rest["items"].as_array().unwrap().iter().map(|item| &item["subject"]).collect();
    assert_eq!(subjects, ["two", "three"]);
    // Options of the listing do not get lost before a subcommand; those of the program go anywhere.
    assert_eq!(refused(&["inbox", "--state", "all", "read", "4"]), (2, "INVALID_INPUT".to_owned()));
    assert_eq!(world.run_as("ana", &["inbox", "--json", "read", "4"]).json()["command"], "inbox read");
}

#[test]
fn a_broadcast_and_a_role_reach_everybody_they_mean_whether_a_person_or_an_agent_sends() {
    let world = world_of(&["ana", "bo"]);
    let mut reviewer = Agent::join(world.baton(&["mcp", "--tools", "full"]), "cy").0;
    reviewer.ok("agent", json!({ "op": "register", "args": { "name": "keen-eye", "role": "reviewer" } }));
    assert_eq!(data(&world, "ana", &info("role:reviewer", "look"))["recipients"], json!(["keen-eye"]));
    let news = json!({ "to": "broadcast", "category": "INFO", "subject": "news", "body": "text" });
    let told = reviewer.ok("inbox", json!({ "op": "send", "args": news }));
    assert_eq!(told["recipients"], json!(["humble-orca", "sunny-glade"]));

    // A person is whoever runs a command outside any harness.
    let mut person = world.baton(&["join", "--json"]);
    person.env("USER", "eve");
    let joined = Ran::of(person).json()["data"].clone();
    let mut person = world.baton(&[&info("broadcast", "stop")[..], &["--json"]].concat());
    person.env("USER", "eve");
    let sent = Ran::of(person);
    assert_eq!((sent.status, sent.json()["data"]["recipients"].as_array().map(Vec::len)), (0, Some(3)), "{sent:?}");
    let from = data(&world, "bo", &["inbox"])["items"][1]["from_agent"].clone();
    assert_eq!(from, joined["display_name"]);
    let seen = reviewer.ok("inbox", json!({ "op": "list" }));
    assert_eq!(seen["items"].as_array().map(Vec::len), Some(2), "{seen}");
}

#[test]
fn a_body_comes_from_standard_input_and_a_key_makes_a_repeated_send_one_message() {
    let world = world_of(&["ana", "bo"]);
    let send = |key: &str, text: &str| {
        let piped = ["send", "--to", "test:bo", "--category", "DECISION", "--subject", "s", "--body", "-"];
        let mut command = world.baton(&[&piped[..], &["--json", "--idempotency-key", key]].concat());
        command.env("BATON_AGENT_ID", "test:ana");
        Ran::with_input(command, text)
    };
    let first = send("k1", "line one\nline two\n").json()["data"].clone();
    assert_eq!(first["event"]["payload"]["body"], "line one\nline two");
    assert_eq!(send("k1", "line one\nline two\n").json()["data"], first);
    assert_eq!(send("k1", "something else").code(), "idempotency_conflict");
    assert_eq!(data(&world, "ana", &["inbox", "sent"])["messages"].as_array().map(Vec::len), Some(1));
    // Cut within a letter it would not even be text.
    for long in ["x".repeat(100_000), format!("x{}", "ü".repeat(50_000))] {
        let refused = send("k2", &long).json();
        assert_eq!(refused["error"]["message"], "body is too long; at most 16384 bytes are accepted.");
    }
}

#[test]
fn what_an_agent_wrote_is_harmless_on_a_terminal() {
    let world = world_of(&["ana", "bo"]);
    let hostile = "a\u{1b}[2Jb\u{202e}c\r\n    9  fake row";
    let sent = ["send", "--to", "test:ana", "--category", "INFO", "--subject", hostile, "--body", hostile];
    assert_eq!(world.run_as("bo", &sent).status, 0);
    let title = "b\u{202e}c";
    assert_eq!(world.run_as("bo", &["task", "create", title, "--assign", "test:ana"]).status, 0);
    data(&world, "ana", &["task", "start", "1"]);
    for arguments in [
        &["status"][..],
        &["inbox"],
        &["inbox", "read", "4"],
        &["task", "list"],
        &["task", "show", "1"],
        &["room", "events"],
    ] {
        let shown = world.run_as("ana", arguments).stdout;
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\r']), "{arguments:?}: {shown:?}");
        assert!(!shown.lines().any(|line| line.starts_with("    9  fake")), "{arguments:?}: {shown}");
    }
    assert!(world.run_as("bo", &["inbox", "sent"]).stdout.lines().count() == 2);
}

#[test]
fn the_hint_of_a_refused_reservation_runs_as_it_is_printed() {
    let world = world_of(&["bo"]);
    let mut command = world.baton(&["mcp", "--tools", "full"]);
    command.env("BATON_AGENT_ID", "test:ana");
    let mut ana = Agent::join(command, "ana").0;
    let reserve = |scope: &str| json!({ "op": "reserve", "args": { "scopes": [scope] } });
    // A name that a shell would read as several words, an end of a quotation and a command.
    let odd = "-it's $(touch owned)/`x`";
    for scope in ["src/*", odd] {
        ana.ok("scope", reserve(scope));
    }
    let mut command = world.baton(&["mcp", "--tools", "full"]);
    command.env("BATON_AGENT_ID", "test:bo");
    let mut bo = Agent::join(command, "bo").0;

    let bin = world.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink(env!("CARGO_BIN_EXE_baton"), bin.join("baton")).unwrap();
    let path = format!("{}:{}", bin.display(), Environment::read().var("PATH").unwrap_or_default());
    for (scope, subject) in [("src/lexer.rs", "I need src/lexer.rs"), (odd, &format!("I need {odd}"))] {
        let refused = bo.refused("scope", reserve(scope));
        let hint = refused["resolution_hint"].as_str().unwrap();
        assert!(hint.starts_with("baton block --to humble-orca --subject "), "{hint}");
        let mut shell = world.command("sh");
        shell.args(["-c", hint]).env("PATH", &path).env("BATON_AGENT_ID", "test:bo");
        let ran = Ran::of(shell);
        assert_eq!(ran.status, 0, "{hint}: {ran:?}");
        let event = data(&world, "bo", &["room", "events", "--limit", "2"])["events"].clone();
        assert_eq!((&event[0]["event_type"], &event[1]["event_type"]), (&json!("BLOCKED"), &json!("INCURSION")));
        assert_eq!(event[0]["protocol"]["payload"]["subject"], *subject);
        assert_eq!(event[1]["protocol"]["payload"]["resolution_hint"], hint);
    }
    assert!(!world.workspace().join("owned").exists(), "a part of the hint was run");
}

#[test]
fn status_shows_what_waits_for_you_and_counting_it_delivers_nothing() {
    let world = world_of(&["ana", "bo"]);
    let mut command = world.baton(&["mcp", "--tools", "full"]);
    command.env("BATON_AGENT_ID", "test:ana");
    let mut ana = Agent::join(command, "ana").0;
    ana.ok("scope", json!({ "op": "reserve", "args": { "scopes": ["src/*"] } }));
    data(&world, "ana", &["task", "create", "write the parser"]);
    data(&world, "ana", &["task", "start", "1"]);
    let blocked = ["--subject", "in my way", "--blocker", "b", "--request", "r"];
    data(&world, "bo", &[&["block", "--to", "test:ana"][..], &blocked].concat());
    data(&world, "bo", &info("test:ana", "good to know"));
    data(&world, "ana", &[&["block", "--to", "test:bo"][..], &blocked].concat());
    let mut story = Transcript::new(&world);
    story.run("ana", &["status"]);
    story.run("cy", &["status"]);
    insta::assert_snapshot!(story.text(), @"
    ana$ baton status
    room_1  WORKSPACE
    turn 0, the stick is free

      1. humble-orca (test:ana)  idle, seen SPAN ago  (you)
      2. sunny-glade (test:bo)   idle, seen SPAN ago

    For you
      inbox     2 not seen, 1 to accept: baton inbox
      sent      not accepted yet: baton inbox sent --waiting
                9 to sunny-glade, sent SPAN ago: in my way (TASK-001)
      task      TASK-001 write the parser: baton task done TASK-001
      scope     src/*, runs out in SPAN

    next: the stick is free: baton wait

    cy$ baton status
    room_1  WORKSPACE
    turn 0, the stick is free

      1. humble-orca (test:ana)  idle, seen SPAN ago
      2. sunny-glade (test:bo)   idle, seen SPAN ago

    Reserved by others
      src/*  humble-orca, active, runs out in SPAN

    next: baton join
    ");
    let attention = data(&world, "ana", &["status"])["attention"].clone();
    assert_eq!((&attention["unseen"], &attention["to_accept"]), (&json!(2), &json!(1)));
    assert_eq!(attention["unanswered"][0]["deliveries"][0]["state"], "queued");
    assert_eq!(
        (&attention["tasks"][0]["task"], &attention["scopes"][0]["scope"]),
        (&json!("TASK-001"), &json!("src/*"))
    );
    let told = data(&world, "bo", &["inbox", "sent"]);
    let states = told["messages"].as_array().unwrap().iter().map(|sent| &sent["deliveries"][0]["state"]);
    assert_eq!(states.collect::<Vec<_>>(), ["queued", "queued"]);
}
