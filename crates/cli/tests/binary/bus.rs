//! The bus at the command line: what two processes do with each other, how it ends, and what a terminal is shown.

use serde_json::{Value, json};

use crate::support::{Live, Ran, Transcript, World};

/// A world in which these have joined.
fn world_of(agents: &[&str]) -> World {
    let world = World::new();
    agents.iter().for_each(|who| drop(world.join_as(who)));
    world
}

/// Runs a command with `--json`, and gives its exit status and data.
fn does(world: &World, who: &str, arguments: &[&str]) -> (i32, Value) {
    let ran = world.run_as(who, &[arguments, &["--json"]].concat());
    (ran.status, ran.json()["data"].clone())
}

/// The same for one that must succeed.
fn data(world: &World, who: &str, arguments: &[&str]) -> Value {
    let (status, data) = does(world, who, arguments);
    assert_eq!(status, 0, "{who} {arguments:?}: {data}");
    data
}

/// Starts a command of `test:WHO` that goes on.
fn live(world: &World, who: &str, arguments: &[&str]) -> Live {
    let mut command = world.baton(arguments);
    command.env("BATON_AGENT_ID", format!("test:{who}"));
    Live::start(command)
}

#[test]
fn a_conversation_as_both_sides_see_it() {
    let world = World::new();
    let room = world.join_as("ana");
    world.join_as("bo");
    let mut story = Transcript::new(&world);
    let asked = ["bus", "submit", "--to", "sunny-glade", "--control", "new", "Read the diff", "--task", "t1"];
    story.run("ana", &[&asked[..], &["--idempotency-key", "k1"]].concat());
    story.run("bo", &["inbox"]);
    story.run("bo", &["inbox", "read", "5"]);
    story.run("bo", &["bus", "take", "--again"]);
    story.run("bo", &["bus", "result", "k1.0", "completed", "--new-context", "ctx-2"]);
    story.run("bo", &["bus", "result", "k1.1", "accepted"]);
    story.run("bo", &["bus", "take"]);
    story.run("ana", &["bus", "wait", "k1", "--timeout", "0"]);
    let reply = ["bus", "submit", "--to", "test:ana", "--reply-to", "k1.1", "Two findings", "--idempotency-key", "r1"];
    story.run("bo", &reply);
    story.run("bo", &["ack", "5", "--status", "completed"]);
    story.run("bo", &["bus", "result", "k1.1", "error"]);
    story.run("ana", &["bus", "wait", "k1"]);
    story.run("ana", &["bus", "take"]);
    story.run("ana", &["bus", "result", "r1.0", "completed"]);
    story.run("ana", &["bus", "task", "t1", "done", "--summary", "two findings"]);
    story.run("ana", &["bus", "send", "thanks", "--to", "test:bo"]);
    story.run("bo", &["bus", "take"]);
    story.run("bo", &["bus", "update", "--name", "reviewer"]);
    story.run("ana", &["bus", "rename", "the review"]);
    story.run("ana", &["bus", "sessions"]);
    story.run("ana", &["bus", "agents"]);
    story.run("ana", &["bus", "actions", "--to", "reviewer"]);
    story.run("ana", &["bus", "actions", "--to", "reviewer", "--open"]);
    story.run("bo", &["bus", "leave"]);
    story.run("ana", &["bus", "close", "--reason", "done"]);
    story.run("ana", &["bus", "take", "--wait", "--session", &room]);
    story.run("ana", &["bus", "show", "--session", "the review"]);
    story.run("ana", &["bus", "tail", "--after", "0", "--follow", "--session", &room]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton bus submit --to sunny-glade --control new "Read the diff" --task t1 --idempotency-key k1
    2 actions are submitted as k1, in the conversation ctx_4 for t1.
        4  k1.0  for test:bo
        5  k1.1  for test:bo
    next: baton bus wait k1

    bo$ baton inbox
        4  humble-orca  CONTROL  Delivered, to accept  sent SPAN ago  /new
        5  humble-orca  MESSAGE  Delivered, to accept  sent SPAN ago  Read the diff
    next: baton inbox read 4

    bo$ baton inbox read 5
    humble-orca (test:ana) asks (message 5, sent SPAN ago)
      text      Read the diff
      about     ctx_4, t1
      after     k1.0, a /new that has not ended

    next: baton ack 5 --status completed  (or rejected, error)

    bo$ baton bus take --again
        4  humble-orca (test:ana) asks: /new
      about     ctx_4, t1
      report    baton bus result k1.0 completed
        5  humble-orca (test:ana) asks
      text      Read the diff
      about     ctx_4, t1
      after     k1.0, a /new that has not ended
      report    baton bus result k1.1 completed

    bo$ baton bus result k1.0 completed --new-context ctx-2
        4  k1.0  /new  for test:bo  completed  begins ctx-2

    bo$ baton bus result k1.1 accepted
        5  k1.1  message  for test:bo  accepted

    bo$ baton bus take
    Nothing for you.
    next: baton bus take --wait
    [exit 10]

    ana$ baton bus wait k1 --timeout 0
        4  k1.0  /new     for test:bo  completed  begins ctx-2
        5  k1.1  message  for test:bo  accepted
    1 action has not ended yet.
    next: baton bus wait k1
    [exit 10]

    bo$ baton bus submit --to test:ana --reply-to k1.1 "Two findings" --idempotency-key r1
    One action is submitted as r1, in the conversation ctx-2 for t1.
       10  r1.0  for test:ana
    next: baton bus wait r1

    bo$ baton ack 5 --status completed
    Message 5 is completed; its sender can see that.

    bo$ baton bus result k1.1 error
    ALREADY_ENDED: The action k1.1 ended before, as completed.
      action_id: k1.1
      status: completed
      next: Nothing is left to do; look at how it ended with `baton bus actions`.
    [exit 3]

    ana$ baton bus wait k1
        4  k1.0  /new     for test:bo  completed  begins ctx-2
        5  k1.1  message  for test:bo  completed

    ana$ baton bus take
       10  sunny-glade (test:bo) replies to k1.1
      text      Two findings
      about     ctx-2, t1
      report    baton bus result r1.0 completed

    ana$ baton bus result r1.0 completed
       10  r1.0  reply  for test:ana  completed

    ana$ baton bus task t1 done --summary "two findings"
    t1 is done.

    ana$ baton bus send thanks --to test:bo
    Message 15 is queued for test:bo. Conversation ctx_15, task task_15.

    bo$ baton bus take
       15  humble-orca (test:ana) says
      text      thanks
      about     ctx_15, task_15

    bo$ baton bus update --name reviewer
    You are reviewer (test:bo) now.

    ana$ baton bus rename "the review"
    It is the review (room_1) now.

    ana$ baton bus sessions
    room_1  open  18 events  the review

    ana$ baton bus agents
      humble-orca (test:ana)  idle  seen SPAN ago  (you)
      reviewer (test:bo)      idle  seen SPAN ago

    ana$ baton bus actions --to reviewer
        4  k1.0  /new     for test:bo  completed  begins ctx-2
        5  k1.1  message  for test:bo  completed

    ana$ baton bus actions --to reviewer --open
    No actions.
    next: baton bus submit --to AGENT TEXT

    bo$ baton bus leave
    test:bo left room_1. One agent is still there.

    ana$ baton bus close --reason done
    Closed the review (room_1).

    ana$ baton bus take --wait --session room_1
    The session is over.
    [exit 12]

    ana$ baton bus show --session "the review"
    room_1  closed  20 events  the review

    ana$ baton bus tail --after 0 --follow --session room_1
        1  TIME  humble-orca opened the session
        2  TIME  test:ana joined as humble-orca
        3  TIME  test:bo joined as sunny-glade
        4  TIME  humble-orca asks reviewer (k1.0): /new
        5  TIME  humble-orca asks reviewer (k1.1): Read the diff
        6  TIME  reviewer was told of messages 4 and 5
        7  TIME  Seen by reviewer: message 5 from humble-orca
        8  TIME  reviewer to humble-orca (k1.0): completed, begins ctx-2
        9  TIME  reviewer to humble-orca (k1.1): accepted
       10  TIME  reviewer replies to humble-orca (r1.0): Two findings
       11  TIME  reviewer to humble-orca (k1.1): completed
       12  TIME  humble-orca was told of message 10
       13  TIME  humble-orca to reviewer (r1.0): completed
       14  TIME  humble-orca: t1 is done: two findings
       15  TIME  humble-orca told reviewer: thanks
       16  TIME  reviewer was told of message 15
       17  TIME  test:bo is called reviewer from now on: was sunny-glade
       18  TIME  humble-orca called the session the review
       19  TIME  reviewer left
       20  TIME  humble-orca closed the session: done
    "#);
    world.assert_sound();
}

#[test]
fn whoever_submits_waits_for_another_process_and_its_exit_status_tells_how_it_ended() {
    World::on_every_backend(|world| {
        ["ana", "bo"].iter().for_each(|who| drop(world.join_as(who)));
        for (status, exit) in [("completed", 0), ("rejected", 15), ("error", 15)] {
            let mut submit = live(&world, "ana", &["bus", "submit", "--to", "test:bo", "work", "--wait", "--json"]);
            let taken = data(&world, "bo", &["bus", "take", "--wait"]);
            let action = taken["deliveries"][0]["action_id"].as_str().unwrap().to_owned();
            data(&world, "bo", &["bus", "result", &action, "accepted"]);
            data(&world, "bo", &["bus", "result", &action, status, "--detail", "so it is"]);
            let told: Value = serde_json::from_str(&submit.shows("\n")).unwrap();
            let ended = &told["data"]["results"]["actions"][0];
            assert_eq!((&ended["action_id"], &ended["status"]), (&json!(action), &json!(status)), "{told}");
            assert_eq!((&told["ok"], &told["data"]["group_id"]), (&json!(true), &taken["deliveries"][0]["group_id"]));
            assert_eq!(submit.ends().0, exit);
        }
        let waited = ["bus", "submit", "--to", "test:bo", "too slow", "--wait", "--timeout", "0"];
        let (status, told) = does(&world, "ana", &waited);
        assert_eq!((status, &told["results"]["ended"], &told["results"]["open"]), (10, &json!(false), &json!(1)));
    });
}

#[test]
fn what_is_asked_of_an_agent_that_is_killed_ends_in_an_error() {
    let world = world_of(&["ana"]);
    let mut target = world.agent("bo");
    let mut submit = live(&world, "ana", &["bus", "submit", "--to", &target.id, "work", "--wait"]);
    let taken = target.ok("bus", json!({ "op": "take", "args": { "max_wait_ms": 40_000 } }));
    assert_eq!(taken["deliveries"][0]["text"], "work", "{taken}");
    target.kill();
    submit.shows("error  its target's process is gone\n");
    assert_eq!(submit.ends().0, 15);
    // One that is gone and owes nothing more is retired, and is nobody's target.
    let (status, _) = does(&world, "ana", &["bus", "submit", "--to", &target.id, "--control", "interrupt", "--wait"]);
    assert_eq!(status, 3);
    world.assert_sound();
}

#[test]
fn a_tail_tells_each_event_once_as_it_happens_and_ends_with_its_session_or_its_reader() {
    World::on_every_backend(|world| {
        let room = world.join_as("ana");
        world.join_as("bo");
        let mut people = live(&world, "cy", &["bus", "tail", "--follow"]);
        let mut programs = live(&world, "cy", &["bus", "tail", "--follow", "--after", "0", "--json"]);
        let types = "message.created,action.result";
        let mut some = live(&world, "cy", &["bus", "tail", "--follow", "--types", types, "--json"]);
        people.shows("test:bo joined as ");
        data(&world, "ana", &["bus", "submit", "--to", "test:bo", "work", "--idempotency-key", "k"]);
        people.shows("humble-orca asks sunny-glade (k.0): work\n");
        data(&world, "bo", &["bus", "take"]);
        data(&world, "bo", &["bus", "result", "k.0", "completed"]);
        people.shows("sunny-glade to humble-orca (k.0): completed\n");
        let history: Vec<Value> = world.run(&["bus", "tail", "--after", "0", "--json"]).records();
        let kinds: Vec<&str> = history.iter().map(|record| record["type"].as_str().unwrap()).collect();
        let expected =
            ["session.created", "agent.added", "agent.added", "message.created", "inbox.deliver", "action.result"];
        assert_eq!(kinds, expected);
        for record in &history {
            assert_eq!(serde_json::from_str::<Value>(&programs.shows("\n")).unwrap(), *record);
        }
        for record in [&history[3], &history[5]] {
            assert_eq!(serde_json::from_str::<Value>(&some.shows("\n")).unwrap(), *record);
        }
        people.is_read_no_more();
        assert_eq!(people.ends().0, 0);
        data(&world, "ana", &["bus", "close"]);
        assert_eq!(serde_json::from_str::<Value>(&programs.shows("\n")).unwrap()["type"], "session.closed");
        assert_eq!((programs.ends(), some.ends()), ((0, String::new()), (0, String::new())));
        let newest = world.run(&["bus", "tail", "-n", "1", "--types", types, "--json", "--room", &room]).records();
        assert_eq!(newest, [history[5].clone()], "also behind what is not wanted");
    });
}

#[test]
fn a_session_needs_no_path_and_is_known_by_its_name() {
    let world = World::new();
    let opened = world.data_of(&["bus", "open", "review"]);
    let id = opened["session"]["id"].as_str().unwrap();
    let joined = world.data_of(&["bus", "join", "--session", "review", "--id", "worker"]);
    assert_eq!((&joined["room_id"], &joined["agent"]["name"]), (&json!(id), &json!("worker")));
    let mut shell = world.baton(&["bus", "agents", "--session", "review", "--json"]);
    shell.env("BATON_AGENT_ID", "worker");
    let agents = Ran::of(shell).json()["data"]["agents"].clone();
    assert_eq!(
        (&agents[0]["id"], &agents[0]["you"], &agents[0]["status"]),
        (&json!("worker"), &json!(true), &json!("idle"))
    );
    for (session, code, status) in [("reviews", "unknown_room", 4), ("room_0000000000000000", "unknown_room", 4)] {
        let refused = world.run(&["bus", "agents", "--session", session, "--json"]);
        assert_eq!((refused.code().as_str(), refused.status), (code, status), "{session}");
    }
    world.data_of(&["bus", "open", "review"]);
    let ambiguous = world.run(&["bus", "agents", "--session", "review", "--json"]);
    assert_eq!((ambiguous.code().as_str(), ambiguous.status), ("INVALID_INPUT", 2));
    assert!(ambiguous.json()["error"]["sessions"].as_array().unwrap().contains(&json!(id)), "{ambiguous:?}");
    for id in ["codex:1", "bus", "broadcast"] {
        let refused =
            world.run(&["bus", "join", "--session", joined["room_id"].as_str().unwrap(), "--id", id, "--json"]);
        assert_eq!((refused.code().as_str(), refused.status), ("INVALID_AGENT_ID", 2), "{id}");
    }
}

#[test]
fn a_whole_submission_comes_from_a_file_or_standard_input() {
    let world = world_of(&["ana", "bo"]);
    let submission = json!({ "group_id": "g1", "actions": [
        { "type": "control", "dst": "test:bo", "action_id": "a", "action_index": 0, "command": "compact" },
        { "type": "message", "dst": "test:bo", "action_id": "b", "action_index": 1, "kind": "user", "text": "go on",
          "plan": { "steps": ["read", "write"], "note": "in this order" } },
    ]});
    let submit = |input: &str, more: &[&str]| {
        let mut command = world.baton(&[&["bus", "submit", "--file", "-", "--json"], more].concat());
        command.env("BATON_AGENT_ID", "test:ana");
        Ran::with_input(command, input)
    };
    let first = submit(&submission.to_string(), &["--idempotency-key", "k"]);
    assert_eq!((first.status, &first.json()["data"]["group_id"]), (0, &json!("g1")), "{first:?}");
    let again = submit(&submission.to_string(), &["--idempotency-key", "k"]);
    assert_eq!(again.json(), first.json());
    assert_eq!(submit(&submission.to_string(), &[]).code(), "DUPLICATE_ACTION");
    let taken = world.run_as("bo", &["bus", "take"]).stdout;
    assert!(taken.contains("  plan      1. read\n            2. write\n            in this order\n"), "{taken}");
    let mut elsewhere = submission.clone();
    elsewhere["session"] = json!("room_0000000000000000");
    assert_eq!(submit(&elsewhere.to_string(), &[]).code(), "unknown_room");
    assert_eq!(submit(&elsewhere.to_string(), &["--path", "."]).code(), "INVALID_INPUT", "it is said twice");
    let mut wrong = submission;
    wrong["actions"][1]["kind"] = json!("control");
    let refused = submit(&wrong.to_string(), &[]).json()["error"].clone();
    assert_eq!(refused["field"], "actions[1].kind", "{refused}");
    for text in ["", "[]", "{", "{\"group_id\":\"g\"}"] {
        assert_eq!(submit(text, &[]).status, 2, "{text:?}");
    }
    assert_eq!(world.run_as("ana", &["bus", "submit", "--to", "test:bo"]).status, 2, "nothing is said");
}

#[test]
fn what_a_model_says_while_it_relays_is_submitted_or_ends_the_relay() {
    let world = world_of(&["ana", "bo"]);
    let mut story = Transcript::new(&world);
    let actions = r#"{"type":"relay_actions","actions":[{"type":"message","dst":"sunny-glade","text":"look"}]}"#;
    story.run("ana", &["bus", "relay", "--task", "t1", "--context", "c1", "--group", "g", actions]);
    let back = actions.replace("sunny-glade", "humble-orca");
    story.run("bo", &["bus", "relay", "--task", "t1", "--context", "c1", &back]);
    story.run("ana", &["bus", "relay", "--task", "t1", "--context", "c1", r#"{"type":"relay_actions","actions":[]}"#]);
    story.run("ana", &["bus", "relay", "--task", "t1", "--context", "c1", "so it is done"]);
    story.run("ana", &["bus", "relay", "--task", "t2", r#"{"type":"task_done","summary":"all green"}"#]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton bus relay --task t1 --context c1 --group g {"type":"relay_actions","actions":[{"type":"message","dst":"sunny-glade","text":"look"}]}
    One action is submitted as g, in the conversation c1 for t1.
        4  g.4.0  for test:bo
    next: baton bus wait g

    bo$ baton bus relay --task t1 --context c1 {"type":"relay_actions","actions":[{"type":"message","dst":"humble-orca","text":"look"}]}
    NOT_OWNER: The task t1 is test:ana's; only they and an operator say how far it is, or relay it.
      task_id: t1
      owner: test:ana
      next: Reply with kind `reply`, or begin a conversation, a group or a task of your own under another name.
    [exit 3]

    ana$ baton bus relay --task t1 --context c1 {"type":"relay_actions","actions":[]}
    An answer for you, which ends the relay of t1.
    It is no relay: actions: must have 1 to 256 actions, not 0.
    {"type":"relay_actions","actions":[]}

    ana$ baton bus relay --task t1 --context c1 "so it is done"
    ALREADY_ENDED: The task t1 is done; a task ends once.
      task_id: t1
      next: Nothing is left to do; look at how it ended with `baton bus actions`.
    [exit 3]

    ana$ baton bus relay --task t2 "{\"type\":\"task_done\",\"summary\":\"all green\"}"
    The relay of t2 is over.
    all green
    "#);
}

#[test]
fn what_an_agent_wrote_cannot_move_the_cursor() {
    let world = world_of(&["ana", "bo"]);
    let hostile = "a\u{1b}[2Jb\u{202e}c\r\n    9  fake row";
    data(&world, "ana", &["bus", "submit", "--to", "test:bo", hostile, "--idempotency-key", "k"]);
    data(&world, "bo", &["bus", "result", "k.0", "rejected", "--detail", hostile]);
    data(&world, "ana", &["bus", "send", hostile]);
    data(&world, "ana", &["bus", "task", "t", "done", "--summary", hostile]);
    for arguments in [
        &["bus", "take", "--again"][..],
        &["bus", "tail"],
        &["bus", "actions"],
        &["bus", "agents"],
        &["bus", "sessions"],
        &["inbox", "--state", "all"],
        &["inbox", "read", "4"],
        &["room", "events"],
    ] {
        let shown = world.run_as("bo", arguments).stdout;
        assert!(!shown.is_empty() && !shown.contains(['\u{1b}', '\u{202e}', '\r']), "{arguments:?}: {shown:?}");
        assert!(!shown.lines().any(|line| line.starts_with("    9  fake")), "{arguments:?}: {shown}");
    }
}
