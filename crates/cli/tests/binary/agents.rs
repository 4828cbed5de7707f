//! Identities at the command line: how a session begins, as whom, and on what evidence.

use serde_json::{Value, json};

use crate::support::{Agent, Ran, Transcript, World};

/// The work that a session leaves behind.
#[derive(Clone, Copy, Debug)]
enum Left {
    /// A changed file in its scope.
    ChangesInside,
    /// A changed file elsewhere.
    ChangesOutside,
    /// A task that it began.
    Task,
    Nothing,
}

/// An agent that reserved `src`, left something behind, and whose process is proven gone. Gives its name, too.
fn gone_leaving(world: &World, left: Left) -> (Agent, String) {
    let mut agent = world.agent("gone");
    agent.ok("scope", json!({ "op": "reserve", "args": { "scopes": ["src"] } }));
    let name = agent.ok("agent", json!({ "op": "show" }))["name"].as_str().unwrap_or_default().to_owned();
    match left {
        Left::ChangesInside => world.write("src/a.rs", "changed"),
        Left::ChangesOutside => world.write("docs/a.md", "changed"),
        Left::Task => {
            let task = agent.ok("tasks", json!({ "op": "create", "args": { "title": "parse it", "scopes": ["src"] } }));
            agent.ok("tasks", json!({ "op": "start", "args": { "task": task["task"] } }));
        }
        Left::Nothing => {}
    }
    agent.kill();
    (agent, name)
}

/// What `baton agent init` answers a program.
fn init(world: &World, who: &str, arguments: &[&str]) -> Ran {
    world.run_as(who, &[&["agent", "init", "--json"], arguments].concat())
}

#[test]
fn a_session_begins_beats_and_is_seen() {
    let world = World::new();
    let mut story = Transcript::new(&world);
    story.run("ana", &["agent", "list"]);
    story.run("ana", &["agent", "init"]);
    story.run("ana", &["agent", "init"]);
    story.run("ana", &["agent", "init", "--role", "parser-person"]);
    story.run("bo", &["agent", "register", "amber-otter", "--role", "reviewer"]);
    story.run("bo", &["agent", "register", "amber-otter"]);
    story.run("cy", &["agent", "init", "--register", "amber-otter"]);
    story.run("cy", &["agent", "init", "--register", "Amber Otter"]);
    story.run("bo", &["scope", "reserve", "docs"]);
    story.run("bo", &["agent", "list"]);
    story.run("bo", &["agent", "show"]);
    story.run("bo", &["agent", "show", "humble-orca"]);
    story.run("bo", &["agent", "show", "test:cy"]);
    story.run("bo", &["agent", "heartbeat"]);
    story.run("bo", &["agent", "heartbeat", "--agent", "humble-orca"]);
    story.run("cy", &["agent", "adopt", "amber-otter"]);
    story.run("bo", &["leave"]);
    story.run("cy", &["agent", "list", "--all"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton agent list
    unknown_room: No room covers WORKSPACE.
      next: Open one with `baton join`.
    [exit 4]

    ana$ baton agent init
    You are humble-orca (test:ana) in room_1. Nobody's work was left unfinished here.
    next: baton scope reserve PATH…  (before you edit)

    ana$ baton agent init
    You are humble-orca (test:ana) in room_1 already.
    next: baton scope reserve PATH…  (before you edit)

    ana$ baton agent init --role parser-person
    You are humble-orca (test:ana), role parser-person, in room_1 already.
    next: baton scope reserve PATH…  (before you edit)

    bo$ baton agent register amber-otter --role reviewer
    You are amber-otter (test:bo), role reviewer, in room_1.
    next: baton scope reserve PATH…  (before you edit)

    bo$ baton agent register amber-otter
    You are amber-otter (test:bo), role reviewer, in room_1 already.
    next: baton scope reserve PATH…  (before you edit)

    cy$ baton agent init --register amber-otter
    DUPLICATE_AGENT_ID: The name amber-otter belongs to another member.
      name: amber-otter
      agent_id: test:bo
      next: Register under another name; to go on as that agent, use `baton agent adopt`.
    [exit 3]

    cy$ baton agent init --register "Amber Otter"
    INVALID_AGENT_ID: an agent name must be 3 to 48 lowercase letters or digits, in words joined by single dashes (like "amber-otter"), not "Amber Otter".
      field: name
      next: Choose a name like amber-otter, or leave it out to be given one.
    [exit 2]

    bo$ baton scope reserve docs
    Reserved for amber-otter (test:bo):
      docs  runs out in SPAN
    next: work there, then baton scope release --all

    bo$ baton agent list
      humble-orca (test:ana)  active  idle  role:parser-person        seen SPAN ago
      amber-otter (test:bo)   active  idle  role:reviewer       docs  seen SPAN ago  (you)

    bo$ baton agent show
    amber-otter (test:bo)  (you)
      liveness    active, seen SPAN ago
      connection  idle, reading: it is there and waits; active SPAN ago
      role        reviewer
      scopes      docs
      wake        all: messages, the stick and its jobs wake it (as the room's policy says)
      grants      may not ask for further agents

    bo$ baton agent show humble-orca
    humble-orca (test:ana)
      liveness    active, seen SPAN ago
      connection  idle, reading: it is there and waits; active SPAN ago
      role        parser-person
      wake        all: messages, the stick and its jobs wake it (as the room's policy says)
      grants      may not ask for further agents

    bo$ baton agent show test:cy
    AGENT_NOT_FOUND: No agent of this room is called "test:cy".
      agent: test:cy
      next: List them with `baton agent list`; call `baton join` or `baton agent register` to become one.
    [exit 4]

    bo$ baton agent heartbeat
    amber-otter (test:bo) is active, last seen at TIME.

    bo$ baton agent heartbeat --agent humble-orca
    INVALID_ARGS: humble-orca is somebody else; only an agent's own calls show that it is there.
      field: agent
      you: test:bo
      next: Leave out agent, or name yourself.
    [exit 2]

    cy$ baton agent adopt amber-otter
    ADOPTION_REJECTED: amber-otter cannot be adopted: its own session, test:bo, is active and was last seen at TIME.
      its session: test:bo, active
      next: Register under a name of your own with `baton agent register`, or ask again once it has left, has been silent for the stale time, or its process is gone.
    [exit 3]

    bo$ baton leave
    You left room_1. Still there: 1.

    cy$ baton agent list --all
      humble-orca (test:ana)  active  idle  role:parser-person  seen SPAN ago
      amber-otter (test:bo)   left          role:reviewer       seen SPAN ago
    "#);
}

#[test]
fn a_room_is_opened_by_whoever_begins_in_it_and_by_nothing_that_is_refused() {
    let world = World::new();
    for (arguments, status, code) in [
        (&["--register", "X"][..], 2, "INVALID_AGENT_ID"),
        (&["--role", "Not A Role"], 2, "INVALID_ROLE"),
        (&["--adopt", "amber-otter"], 4, "unknown_room"),
        (&["--adopt", "amber-otter", "--register", "cobalt-harbor"], 2, "INVALID_INPUT"),
        (&["--scope", "src"], 2, "INVALID_INPUT"),
    ] {
        let refused = init(&world, "ana", arguments);
        assert_eq!((refused.status, refused.code().as_str()), (status, code), "{refused:?}");
    }
    assert_eq!(world.data_of(&["room", "list", "--all"])["rooms"], json!([]));

    let begun = init(&world, "ana", &["--register", "cobalt-harbor", "--path", "."]).json();
    assert_eq!((&begun["ok"], &begun["command"], &begun["error"]), (&json!(true), &json!("agent init"), &Value::Null));
    let data = &begun["data"];
    assert_eq!((&data["action"], &data["recommendation_reason"]), (&json!("registered"), &json!("explicit_register")));
    let log = world.log(data["room_id"].as_str().unwrap());
    let told: Vec<_> = log.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!(told, ["create", "join"], "under one name, from the beginning");
    let rooms = world.data_of(&["room", "list"])["rooms"].clone();
    assert_eq!(rooms[0]["room_id"], data["room_id"]);
    world.assert_sound();
}

#[test]
fn a_program_is_never_asked_and_gets_the_same_recommendation_for_the_same_situation() {
    let world = World::new().with_repository();
    let (gone, name) = gone_leaving(&world, Left::ChangesInside);
    let undecided = init(&world, "bo", &["--non-interactive"]);
    assert_eq!((undecided.status, undecided.code().as_str()), (3, "AMBIGUOUS_SESSION"), "{undecided:?}");
    let error = undecided.json()["error"].clone();
    assert_eq!(error["recommendation"], json!({ "action": "adopt", "agent": name, "reason": "uncommitted_scope" }));
    assert_eq!(error["recommendation_reason"], "uncommitted_scope");
    assert_eq!(error["choices"], json!([format!("baton agent init --adopt {name}"), "baton agent register"]));
    assert_eq!(init(&world, "bo", &[]).json()["error"], error, "nothing changed, so nothing is different");
    let told = world.run_as("bo", &["agent", "init"]);
    assert_eq!((told.status, told.stdout.as_str()), (3, ""), "{told:?}");
    assert!(told.stderr.contains(&format!("Recommended: {name}, because its changes")), "{told:?}");
    assert!(told.stderr.contains(&format!("  next: baton agent init --adopt {name}\n")), "{told:?}");

    let adopted = init(&world, "bo", &["--adopt", &name]).json();
    assert_eq!(
        (&adopted["data"]["action"], &adopted["data"]["recommendation_reason"]),
        (&json!("adopted"), &json!("uncommitted_scope"))
    );
    assert_eq!(
        (&adopted["data"]["agent"]["name"], &adopted["data"]["agent"]["scopes"]),
        (&json!(name), &json!(["src"]))
    );
    let again = init(&world, "bo", &[]).json();
    assert_eq!(again["data"]["recommendation_reason"], "session_already_registered");
    let log = world.log(&gone.room_id);
    assert!(log.iter().any(|event| event["event_type"] == "RESUME"), "{log:#?}");
    world.assert_sound();
}

#[test]
fn an_identity_goes_on_only_with_changes_in_its_scope_or_a_task_in_progress() {
    for (left, outcome) in [
        (Left::ChangesInside, Ok("uncommitted_scope")),
        (Left::ChangesOutside, Err("no_evidence")),
        (Left::Task, Ok("in_progress_ownership")),
        (Left::Nothing, Err("no_evidence")),
    ] {
        World::on_every_backend(|world| {
            let world = world.with_repository();
            let (gone, name) = gone_leaving(&world, left);
            let ran = init(&world, "bo", &["--adopt", &gone.id, "--non-interactive"]);
            let answer = ran.json();
            match outcome {
                Ok(reason) => {
                    assert_eq!(ran.status, 0, "{left:?}: {ran:?}");
                    let data = &answer["data"];
                    assert_eq!(
                        (&data["recommendation_reason"], &data["agent"]["name"]),
                        (&json!(reason), &json!(name))
                    );
                }
                Err(reason) => {
                    assert_eq!((ran.status, ran.code().as_str()), (3, "ADOPTION_REJECTED"), "{left:?}: {ran:?}");
                    let error = &answer["error"];
                    assert_eq!((&error["reason"], &error["recommendation_reason"]), (&json!(reason), &json!(reason)));
                }
            }
            assert_eq!(answer["ok"], outcome.is_ok());
            world.assert_sound();
        });
    }
}

#[test]
fn a_heartbeat_is_told_in_the_envelope_and_can_be_repeated() {
    let world = World::new();
    let room = world.join_as("ana");
    world.join_as("bo");
    let seen = |who: &str| {
        let shown = world.run_as("cy", &["agent", "show", &format!("test:{who}"), "--json"]).json();
        shown["data"]["last_seen_at"].as_str().unwrap().to_owned()
    };
    let before = (seen("ana"), seen("bo"));
    let events = world.log(&room).len();
    for _ in 0..3 {
        let beat = world.run_as("ana", &["agent", "heartbeat", "--agent", "test:ana", "--json"]);
        let envelope = beat.json();
        let keys: Vec<_> = envelope.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((beat.status, keys), (0, vec!["ok", "command", "data", "error"]));
        assert_eq!((&envelope["ok"], &envelope["command"]), (&json!(true), &json!("agent heartbeat")));
        let data = &envelope["data"];
        assert_eq!((&data["liveness"], &data["last_seen_at"]), (&json!("active"), &json!(seen("ana"))));
        assert!(data["last_seen_at"].as_str().unwrap().ends_with('Z'), "{data}");
    }
    assert!(seen("ana") > before.0);
    let other = world.run_as("ana", &["agent", "heartbeat", "--agent", "test:bo", "--json"]);
    assert_eq!((other.status, other.code().as_str(), other.json()["ok"].clone()), (2, "INVALID_ARGS", json!(false)));
    assert_eq!(seen("bo"), before.1, "only an agent's own calls show that it is there");
    let stranger = world.run_as("cy", &["agent", "heartbeat", "--json"]);
    assert_eq!((stranger.status, stranger.code().as_str()), (4, "AGENT_NOT_FOUND"));
    assert_eq!(world.log(&room).len(), events, "a heartbeat is not an event");
}

#[test]
fn a_person_at_a_terminal_is_asked_as_whom_to_go_on() {
    let world = World::new().with_repository();
    let (gone, name) = gone_leaving(&world, Left::ChangesInside);
    let ask = |who: &str, arguments: &[&str], typed: &str| {
        world.type_as(who, &[&["agent", "init"], arguments].concat(), typed)
    };

    let held = ask("bo", &["--non-interactive"], "1\n");
    assert!(held.status == 3 && held.stdout.contains("AMBIGUOUS_SESSION"), "{held:?}");
    assert!(!held.stdout.contains("Go on as ["), "{held:?}");
    let program = ask("bo", &["--json"], "1\n");
    assert!(program.status == 3 && !program.stdout.contains("Go on as ["), "{program:?}");

    let mut terminal = world.terminal_with(&[("BATON_AGENT_ID", "test:bo"), ("CODEX_THREAD_ID", "one")]);
    let agent = terminal.run_typing(&["agent", "init"], "1\n");
    assert!(agent.status == 3 && !agent.stdout.contains("Go on as ["), "an agent is no person: {agent:?}");

    let new = ask("bo", &[], "7\nn\nNo Name\namber-otter\n");
    assert_eq!(new.status, 0, "{new:?}");
    let question = "Go on as [1-1, n for a new name, Enter for 1]: ";
    for words in [
        &format!("1. {name} ({})  evicted, seen ", gone.id),
        "1 uncommitted file in src: src/a.rs",
        &format!("Recommended: {name}, because its changes are not committed yet."),
        question,
        "\"7\" is none of these.",
        "New name, like amber-otter [Enter to be given one]: ",
        "You are amber-otter (test:bo) in ",
    ] {
        assert!(new.stdout.contains(words), "{words}: {new:?}");
    }
    let silent = ask("cy", &[], "\u{4}");
    assert!(silent.status == 3 && silent.stdout.contains(question), "{silent:?}");
    let recommended = ask("cy", &[], "\n");
    assert!(
        recommended.status == 0 && recommended.stdout.contains(&format!("You go on as {name} (test:cy)")),
        "{recommended:?}"
    );
    world.git(&["add", "--all"]);
    world.git(&["commit", "--quiet", "--message=done"]);
    let nothing_left = ask("di", &[], "");
    assert!(nothing_left.status == 0 && nothing_left.stdout.starts_with("You are "), "{nothing_left:?}");
}

#[test]
fn a_person_at_a_terminal_can_adopt_without_evidence_by_typing_the_name() {
    let world = World::new().with_repository();
    let (gone, name) = gone_leaving(&world, Left::Nothing);
    let adopt = |arguments: &[&str], typed: &str| {
        world.terminal().run_typing(&[&["agent", "init", "--adopt", &gone.id], arguments].concat(), typed)
    };
    for (arguments, typed) in [(&[][..], "yes\n"), (&[], "\u{4}"), (&["--non-interactive"], "NAME\n")] {
        let left = adopt(arguments, &typed.replace("NAME", &name));
        assert!(left.status == 3 && left.stdout.contains("ADOPTION_REJECTED"), "{left:?}");
    }
    let adopted = adopt(&[], &format!("{name}\n"));
    assert_eq!(adopted.status, 0, "{adopted:?}");
    for words in [
        &format!(
            "Nothing speaks for going on as {name}: no uncommitted changes in src; no task of its own in progress."
        ),
        &format!("Type {name} to go on as it all the same"),
        &format!("You go on as {name} (human:"),
        "confirmed by a person at a terminal",
    ] {
        assert!(adopted.stdout.contains(words), "{words}: {adopted:?}");
    }
    let log = world.log(&gone.room_id);
    let resumed = log.iter().find(|event| event["event_type"] == "RESUME").unwrap();
    assert!(resumed.to_string().contains("confirmed_by_person"), "{resumed}");
    world.assert_sound();
}
