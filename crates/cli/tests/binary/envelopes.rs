//! Envelopes at the command line: what both sides read, who is waited for, and what an operator decides.

use serde_json::{Value, json};

use crate::support::{Transcript, World};

/// A world in which these have joined.
fn world_of(agents: &[&str]) -> World {
    let world = World::new();
    agents.iter().for_each(|who| drop(world.join_as(who)));
    world
}

#[test]
fn something_is_handed_over_answered_and_waited_for() {
    let world = world_of(&["ana", "bo"]);
    let mut story = Transcript::new(&world);
    let asked =
        ["handoff", "sunny-glade", "Review the lexer", "--id", "p-1", "--response", "required", "--priority", "high"];
    story.run("ana", &[&asked[..], &["--structured", r#"{"tests": 12}"#, "--ok"]].concat());
    story.run("ana", &["await", "sunny-glade", "--timeout", "0"]);
    story.run("bo", &["inbox"]);
    story.run("bo", &["inbox", "read", "4"]);
    story.run("bo", &["status"]);
    story.run(
        "bo",
        &["handoff", "humble-orca", "It leaks", "--in-reply-to", "p-1", "--failed", "two tests fail", "--id", "p-2"],
    );
    story.run("ana", &["await", "sunny-glade"]);
    story.run("ana", &["open", "payload://p-1"]);
    story.run("bo", &["inbox"]);
    story.run("ana", &["handoff", "nobody", "x"]);
    story.run("ana", &["room", "events", "--limit", "3"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton handoff sunny-glade "Review the lexer" --id p-1 --response required --priority high --structured "{\"tests\": 12}" --ok
    Message 4 is queued for sunny-glade.
    next: baton await sunny-glade  (it owes you a response)

    ana$ baton await sunny-glade --timeout 0
    sunny-glade  pending  has one input queued (for SPAN)
    next: Call `baton await` again to go on waiting.
    [exit 10]

    bo$ baton inbox
        4  humble-orca  HANDOFF  Delivered, to answer  sent SPAN ago  Review the lexer
    You owe a response:
      4 humble-orca, sent SPAN ago: Review the lexer
    Answer with baton handoff humble-orca …: the oldest, or with --in-reply-to ID another.
    next: baton inbox read 4

    bo$ baton inbox read 4
    humble-orca hands you a handoff (message 4)
      message   Review the lexer
      status    ok
      data      {"tests":12}
      response  required, to humble-orca
      priority  high

    Seen. humble-orca waits for a response.
    next: baton handoff test:ana … --in-reply-to p-1

    bo$ baton status
    room_1  WORKSPACE
    turn 0, the stick is free

      1. humble-orca (test:ana)  idle, seen SPAN ago
      2. sunny-glade (test:bo)   idle, seen SPAN ago  (you)

    For you
      inbox     1 to accept: baton inbox
      owed      you owe a response: baton inbox
                4 humble-orca, sent SPAN ago: Review the lexer

    next: the stick is free: baton wait

    bo$ baton handoff humble-orca "It leaks" --in-reply-to p-1 --failed "two tests fail" --id p-2
    Message 7 is queued for humble-orca, as the answer to message 4.
    next: baton open payload://p-2  (what becomes of it)

    ana$ baton await sunny-glade
    sunny-glade  done  It leaks (payload://p-2)

    ana$ baton open payload://p-1
    payload://p-1  handoff from humble-orca to sunny-glade
      state     accepted, sent SPAN ago as message 4
      message   Review the lexer
      status    ok
      data      {"tests":12}
      response  required, to humble-orca
      priority  high
      answered  payload://p-2

    bo$ baton inbox
    Nothing waits for you. All there was: baton inbox --state all

    ana$ baton handoff nobody x
    UNKNOWN_RECIPIENT: nobody: no agent of this room has that name or id, and no job.
      field: to
      to: nobody
      agents: ["humble-orca","sunny-glade"]
      next: Use a name or id of `baton agent list`, or a job of `baton job list` that goes on.
    [exit 3]

    ana$ baton room events --limit 3
        8  TIME  turn 0    Accepted by sunny-glade: message 4 from humble-orca
        7  TIME  turn 0    sunny-glade handed payload://p-2 to humble-orca: It leaks
        6  TIME  turn 0    Seen by sunny-glade: message 4 from humble-orca
    more: baton room events --room room_1 --before 6
    "#);
}

#[test]
fn an_operator_says_who_may_write_to_whom_and_speaks_to_agents() {
    let world = world_of(&["ana", "bo"]);
    let mut story = Transcript::new(&world);
    story.steer(&["room", "policy", "--edges", "explicit"]);
    story.run("ana", &["handoff", "sunny-glade", "hello"]);
    story.steer(&["edge", "add", "humble-orca", "sunny-glade"]);
    story.steer(&["tell", "sunny-glade", "stop"]);
    story.run("ana", &["edge", "list"]);
    insta::assert_snapshot!(story.text(), @r#"
    person$ baton room policy --edges explicit
    lease      45m
    heartbeat  5m
    claim      20m
    presence   4h
    wait       30s
    poll       5s
    edges      explicit
    spawn      ask
    guard      on
    wake       all
    resume     off

    ana$ baton handoff sunny-glade hello
    NO_EDGE: No edge leads from humble-orca to sunny-glade, and this room's policy asks for one.
      field: to
      from: humble-orca
      to: sunny-glade
      next: You may write to nobody yet; an operator adds an edge with `baton edge add humble-orca sunny-glade`.
    [exit 3]

    person$ baton edge add humble-orca sunny-glade
    Envelopes go along these edges only: the policy is explicit.
      humble-orca  -->  sunny-glade

    person$ baton tell sunny-glade stop
    Message 6 is queued for sunny-glade: its next turn has it.
    next: baton inbox sent  (what becomes of it)

    ana$ baton edge list
    Envelopes go along these edges only: the policy is explicit.
      humble-orca  -->  sunny-glade
    "#);
    let data = |arguments: &[&str]| -> Value { world.data_at_terminal(arguments) };
    let edges = data(&["edge", "add", "humble-orca", "sunny-glade", "--both-ways"]);
    assert_eq!((&edges["edges"][0]["from"], &edges["edges"][0]["both_ways"]), (&json!("humble-orca"), &json!(true)));
    assert_eq!(world.run_as("ana", &["handoff", "sunny-glade", "hello"]).status, 0);
    let told = data(&["tell", "sunny-glade", "stop", "that", "--interrupt"]);
    assert_eq!((&told["mode"], &told["to"]), (&json!("interrupt"), &json!("sunny-glade")));
    let read = world.run_as("bo", &["inbox", "read", &told["message"].to_string()]);
    assert!(read.stdout.contains("says") && read.stdout.contains("stop that"), "{read:?}");
    let left = data(&["edge", "remove", "humble-orca", "sunny-glade", "--both-ways"]);
    assert_eq!(left["edges"], json!([]));
}
