//! Turns at the command line: begun with what waits, failed, begun again, ended and opened.

use serde_json::Value;

use crate::support::{Transcript, World};

#[test]
fn a_turn_takes_what_waits_and_a_failed_one_gives_it_back() {
    let world = World::new();
    let mut story = Transcript::new(&world);
    story.run("ana", &["agent", "init"]);
    story.run("bo", &["agent", "register", "amber-otter"]);
    story.run("bo", &["turn", "list"]);
    story.run(
        "ana",
        &["send", "--to", "amber-otter", "--category", "info", "--subject", "Names", "--body", "snake case"],
    );
    story.run("bo", &["turn", "begin"]);
    story.run("bo", &["turn", "begin"]);
    story.run("bo", &["turn", "end", "1", "--outcome", "failed", "--why", "The model did not answer."]);
    story.run("bo", &["turn", "begin"]);
    story.run("ana", &["agent", "show", "amber-otter"]);
    story.run("ana", &["turn", "end", "2"]);
    let took = ["--input-tokens", "900", "--cached-tokens", "300", "--output-tokens", "40", "--session", "s-1"];
    story.run("bo", &[&["turn", "end", "TURN-2"][..], &took].concat());
    story.run("bo", &["turn", "end", "2"]);
    story.run("ana", &["turn", "list", "--agent", "amber-otter"]);
    story.run("ana", &["turn", "list", "--agent", "amber-otter", "--before", "2"]);
    story.run("ana", &["turn", "list", "--agent", "nobody-here"]);
    story.run("ana", &["open", "TURN-1"]);
    story.run("ana", &["open", "TURN-2"]);
    story.run("ana", &["open", "TURN-3"]);
    story.run("ana", &["room", "events"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton agent init
    You are humble-orca (test:ana) in room_1. Nobody's work was left unfinished here.
    next: baton scope reserve PATH…  (before you edit)

    bo$ baton agent register amber-otter
    You are amber-otter (test:bo) in room_1.
    next: baton scope reserve PATH…  (before you edit)

    bo$ baton turn list
    No turns.
    next: baton turn begin

    ana$ baton send --to amber-otter --category info --subject Names --body "snake case"
    Message 4 is queued for amber-otter.
    next: baton inbox sent  (what becomes of it)

    bo$ baton turn begin
    TURN-1 begins: it has 1 message.

    4  INFO  from humble-orca
        Names

        snake case
    next: baton turn end TURN-1 --outcome completed

    bo$ baton turn begin
    PRECONDITION_FAILED: test:bo is in a turn already: TURN-1, since TIME.
      turn: TURN-1
      agent_id: test:bo
      since: TIME
      next: Go on with it: `baton open` TURN-1 shows what it has. Or end it first, with `baton turn end`.
    [exit 3]

    bo$ baton turn end 1 --outcome failed --why "The model did not answer."
    TURN-1  amber-otter  failed  ended SPAN ago after SPAN: The model did not answer.
    What it had waits again.
    next: baton turn begin

    bo$ baton turn begin
    TURN-2 begins: it has 1 message.

    4  INFO  from humble-orca
        Names

        snake case
    next: baton turn end TURN-2 --outcome completed

    ana$ baton agent show amber-otter
    amber-otter (test:bo)
      liveness    active, seen SPAN ago
      connection  connected, writing: TURN-2 goes on; active SPAN ago
      wake        all: messages, the stick and its jobs wake it (as the room's policy says)
      grants      may not ask for further agents

    ana$ baton turn end 2
    PRECONDITION_FAILED: TURN-2 is a turn of test:bo, and only whoever runs it may say something of it.
      turn: TURN-2
      agent_id: test:bo
      next: Begin a turn of your own with `baton turn begin`.
    [exit 3]

    bo$ baton turn end TURN-2 --input-tokens 900 --cached-tokens 300 --output-tokens 40 --session s-1
    TURN-2  amber-otter  completed  ended SPAN ago after SPAN, 900 tokens in (300 cached), 40 out

    bo$ baton turn end 2
    PRECONDITION_FAILED: TURN-2 is over: completed.
      turn: TURN-2
      outcome: completed
      next: Begin the next one with `baton turn begin`; what went back waits there.
    [exit 3]

    ana$ baton turn list --agent amber-otter
    TURN-2  amber-otter  completed  ended SPAN ago after SPAN, 900 tokens in (300 cached), 40 out
    TURN-1  amber-otter  failed     ended SPAN ago after SPAN: The model did not answer.

    ana$ baton turn list --agent amber-otter --before 2
    TURN-1  amber-otter  failed  ended SPAN ago after SPAN: The model did not answer.

    ana$ baton turn list --agent nobody-here
    AGENT_NOT_FOUND: No agent of this room is called "nobody-here".
      agent: nobody-here
      next: List them with `baton agent list`; call `baton join` or `baton agent register` to become one.
    [exit 4]

    ana$ baton open TURN-1
    TURN-1  turn 1 of amber-otter
      status    failed, ended SPAN ago after SPAN: The model did not answer.
                what it had consumed went back to the queue

    Consumed
    4  INFO  humble-orca  Names snake case

    ana$ baton open TURN-2
    TURN-2  turn 2 of amber-otter
      status    completed, ended SPAN ago after SPAN
      session   s-1
      took      900 tokens in (300 cached), 40 out

    Consumed
    4  INFO  humble-orca  Names snake case

    ana$ baton open TURN-3
    UNKNOWN_ID: There is no TURN-3 in this room.
      id: TURN-3
      next: List what there is: `baton task list`, `baton job list`, `baton card list`; or look for it with `baton search`.
    [exit 4]

    ana$ baton room events
        8  TIME  turn 0    TURN-2 of amber-otter ended: completed
        7  TIME  turn 0    amber-otter began TURN-2 with message 4: turn 2
        6  TIME  turn 0    TURN-1 of amber-otter ended: failed: The model did not answer.
        5  TIME  turn 0    amber-otter began TURN-1 with message 4: turn 1
        4  TIME  turn 0    Told to amber-otter by humble-orca: Names
             text      snake case
        3  TIME  turn 0    test:bo joined as amber-otter, under an id given by hand
        2  TIME  turn 0    test:ana joined as humble-orca, under an id given by hand
        1  TIME  turn 0    humble-orca opened the room
    "#);
}

#[test]
fn a_jobs_turn_is_shown_with_its_job() {
    let world = World::new();
    world.join_as("ana");
    let mut story = Transcript::new(&world);
    story.run("ana", &["job", "create", "Mend it", "--prompt", "It rains in."]);
    story.run("runner", &["job", "claim", "1", "--runner", "r1"]);
    story.run("ana", &["job", "message", "1", "Mind the gutter."]);
    story.run_on_it(&["turn", "begin"]);
    story.run("ana", &["job", "open", "1", "--events", "1"]);
    story.run("runner", &["turn", "end", "1", "--revision", "1", "--runner", "r1", "--input-tokens", "5"]);
    story.run("ana", &["open", "JOB-001"]);
    story.run("ana", &["job", "requeue", "1", "--reason", "Again."]);
    story.run_on_it(&["turn", "begin"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton job create "Mend it" --prompt "It rains in."
    JOB-001 is QUEUED: Mend it (JOB-001@3)
    next: baton radar

    runner$ baton job claim 1 --runner r1
    JOB-001  Mend it
      status    RUNNING, changed SPAN ago
      runner    r1, revision 1, which runs out in SPAN
      sort      task, priority MEDIUM
      by        test:ana, created SPAN ago

    It rains in.

    next: baton job report JOB-001 --revision 1 --runner r1 --kind progress …
    then: baton job complete JOB-001 --revision 1 --runner r1 --ref … SUMMARY
    An agent that works on it need name nothing, with BATON_JOB=room_1/JOB-001/1/r1/cap_1

    ana$ baton job message 1 "Mind the gutter."
    JOB-001 is RUNNING: Mend it (JOB-001@5)
    next: baton job tail JOB-001 --follow

    its agent$ baton turn begin
    TURN-1 begins: it has 1 message.

    5  MANAGER  from humble-orca  JOB-001@5
        Mind the gutter.
    next: baton turn end TURN-1 --outcome completed

    ana$ baton job open 1 --events 1
    JOB-001  Mend it
      status    RUNNING, changed SPAN ago
      runner    r1, revision 1, which runs out in SPAN
      sort      task, priority MEDIUM
      by        test:ana, created SPAN ago
      agent     connected, reading: TURN-1 goes on; active SPAN ago
      turns     1, the last TURN-1 open

    JOB-001@5  TIME  manager     test:ana: Mind the gutter.
    more: baton job open JOB-001 --before 5
    next: baton job tail JOB-001 --follow

    runner$ baton turn end 1 --revision 1 --runner r1 --input-tokens 5
    TURN-1  JOB-001  completed  ended SPAN ago after SPAN, 5 tokens in, 0 out

    ana$ baton open JOB-001
    JOB-001  Mend it
      status    RUNNING, changed SPAN ago
      runner    r1, revision 1, which runs out in SPAN
      sort      task, priority MEDIUM
      by        test:ana, created SPAN ago
      agent     idle, reading: it waits for its next turn; active SPAN ago
      turns     1, the last TURN-1 completed; 5 tokens in, 0 out

    Events, newest first
    JOB-001@5  TIME  manager     test:ana: Mind the gutter.
    JOB-001@4  TIME  claimed     test:runner: for r1
    JOB-001@3  TIME  created     test:ana: Mend it

    Also
    what it asks in full: baton open JOB-001@3
    next: baton job tail JOB-001 --follow

    ana$ baton job requeue 1 --reason Again.
    JOB-001 is QUEUED: Mend it (JOB-001@8)
    next: baton radar

    its agent$ baton turn begin
    CONFLICT: The claim (r1, 1) on JOB-001 is over: it is QUEUED, at revision 1.
      job: JOB-001
      shown_runner_id: r1
      shown_revision: 1
      status: QUEUED
      revision: 1
      next: Stop working on JOB-001: whatever you still report is refused. Claim it anew if it is free.
    [exit 3]
    "#);
}

#[test]
fn a_turn_is_begun_and_ended_by_scripts() {
    let world = World::new();
    world.join_as("ana");
    world.join_as("bo");
    let ran = |who: &str, arguments: &[&str]| -> Value { world.run_as(who, &[arguments, &["--json"]].concat()).json() };
    let begun = ran("bo", &["turn", "begin", "--idempotency-key", "k"]);
    assert_eq!((&begun["command"], &begun["data"]["turn"]), (&"turn begin".into(), &"TURN-1".into()));
    assert_eq!(
        ran("bo", &["turn", "begin", "--idempotency-key", "k"])["data"],
        begun["data"],
        "the same key, the same turn"
    );
    let ended = ran("bo", &["turn", "end", "1"]);
    assert_eq!((&ended["data"]["outcome"], &ended["data"]["agent_id"]), (&"completed".into(), &"test:bo".into()));
    assert_eq!(ran("bo", &["turn", "list"])["data"]["turns"].as_array().unwrap().len(), 1);
    assert_eq!(ran("ana", &["open", "TURN-1"])["data"]["turn"]["number"], 1);
    assert_eq!(ran("bo", &["turn", "end", "1"])["error"]["error"], "PRECONDITION_FAILED");
}
