//! Sessions at the command line, compared as a whole.

use std::process::Stdio;

use crate::support::{Agent, Ran, Transcript, World};

#[test]
fn two_agents_hand_over_from_join_to_join() {
    let world = World::new();
    world.write("src/parser.rs", &"line\n".repeat(80));
    world.write("plan.md", "plan\n");
    let mut story = Transcript::new(&world);
    story.run("ana", &["status"]);
    story.run("ana", &["join"]);
    story.run("bo", &["join"]);
    story.run("ana", &["wait"]);
    story.run("ana", &["wait"]);
    story.run("bo", &["wait", "--timeout", "0"]);
    story.run("ana", &["status"]);
    story.run("ana", &["heartbeat"]);
    story.run(
        "ana",
        &[
            "release",
            "--status",
            "wrote the parser",
            "--next",
            "review it",
            "--artifact",
            "src/parser.rs:10-80=review",
            "--artifact",
            "plan.md=context",
            "--question",
            "is recursion fine?",
            "--do-not",
            "touch the lexer",
        ],
    );
    story.run("bo", &["status"]);
    story.run("bo", &["wait"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton status
    No room covers this path yet.

    You are test:ana.
    next: baton join

    ana$ baton join
    Opened room_1 at WORKSPACE as test:ana (humble-orca).
    next: baton wait

    bo$ baton join
    Joined room_1 at WORKSPACE as test:bo (sunny-glade).
    next: baton wait

    ana$ baton wait
    It is your turn: turn 1, lease lease_1, which runs out in SPAN.

    next: work, `baton heartbeat` now and then, then baton release --status … --next …

    ana$ baton wait
    It is already your turn: turn 1, lease lease_1, which runs out in SPAN.

    next: work, `baton heartbeat` now and then, then baton release --status … --next …

    bo$ baton wait --timeout 0
    Not yet: the room is owned, the stick is held by humble-orca.
    next: baton wait
    [exit 10]

    ana$ baton status
    room_1  WORKSPACE
    turn 1, held by humble-orca, lease runs out in SPAN

    * 1. humble-orca (test:ana)  connected, seen SPAN ago  (you)
      2. sunny-glade (test:bo)   idle, seen SPAN ago

    next: you hold the stick: baton release --status … --next …

    ana$ baton heartbeat
    Turn 1 is yours until TIME.

    ana$ baton release --status "wrote the parser" --next "review it" --artifact src/parser.rs:10-80=review --artifact plan.md=context --question "is recursion fine?" --do-not "touch the lexer"
    The stick is kept for sunny-glade (event 5).
    Your handoff points to src/parser.rs:10-80, plan.md.

    bo$ baton status
    room_1  WORKSPACE
    turn 1, kept for sunny-glade, claim runs out in SPAN

      1. humble-orca (test:ana)  idle, seen SPAN ago
    > 2. sunny-glade (test:bo)   idle, seen SPAN ago  (you)

    Handoff from humble-orca
      status    wrote the parser
      next      review it
      review    src/parser.rs:10-80
      context   plan.md
      question  is recursion fine?
      do not    touch the lexer

    next: it is your turn: baton wait

    bo$ baton wait
    It is your turn: turn 2, lease lease_2, which runs out in SPAN.

    Handoff from humble-orca
      status    wrote the parser
      next      review it
      review    src/parser.rs:10-80
      context   plan.md
      question  is recursion fine?
      do not    touch the lexer

    next: work, `baton heartbeat` now and then, then baton release --status … --next …
    "#);
}

#[test]
fn a_pass_names_its_recipient_by_id_or_by_the_name_people_use() {
    let world = World::new();
    let mut story = Transcript::new(&world);
    for who in ["ana", "bo", "cy"] {
        story.run(who, &["join"]);
    }
    story.run("ana", &["wait"]);
    story.run("ana", &["pass", "nobody", "--status", "s", "--next", "n"]);
    story.run("ana", &["pass", "test:ana", "--status", "s", "--next", "n"]);
    let members = world.data_of(&["room", "state"])["members"].clone();
    let cy = members.as_array().unwrap().iter().find(|member| member["agent_id"] == "test:cy").unwrap();
    story
        .run("ana", &["pass", cy["display_name"].as_str().unwrap(), "--status", "found a race", "--next", "assess it"]);
    story.run("bo", &["wait", "--timeout", "0"]);
    story.run("cy", &["wait"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton join
    Opened room_1 at WORKSPACE as test:ana (humble-orca).
    next: baton wait

    bo$ baton join
    Joined room_1 at WORKSPACE as test:bo (sunny-glade).
    next: baton wait

    cy$ baton join
    Joined room_1 at WORKSPACE as test:cy (mellow-meadow).
    next: baton wait

    ana$ baton wait
    It is your turn: turn 1, lease lease_1, which runs out in SPAN.

    next: work, `baton heartbeat` now and then, then baton release --status … --next …

    ana$ baton pass nobody --status s --next n
    unknown_member: pass_stick target must be an active room member; nobody has not joined it.
      to_agent_id: nobody
      active_members: ["test:bo","test:cy"]
      next: Call `baton join` first; pass only to an active member listed by `baton room state`.
    [exit 3]

    ana$ baton pass test:ana --status s --next n
    invalid_target: test:ana already holds the stick.
      to_agent_id: test:ana
      next: Name another member, or release to continue the sequence.
    [exit 3]

    ana$ baton pass mellow-meadow --status "found a race" --next "assess it"
    The stick is kept for mellow-meadow (event 6).

    bo$ baton wait --timeout 0
    Not yet: the room is reserved, the stick is kept for mellow-meadow.
    next: baton wait
    [exit 10]

    cy$ baton wait
    It is your turn: turn 2, lease lease_2, which runs out in SPAN.

    Handoff from humble-orca
      status    found a race
      next      assess it

    next: work, `baton heartbeat` now and then, then baton release --status … --next …
    "#);
}

#[test]
fn the_stick_is_taken_over_only_once_its_owner_is_gone() {
    let world = World::new();
    let mut cy = world.command("sh");
    cy.args(["-c", r#""$0" mcp; :"#, env!("CARGO_BIN_EXE_baton")]).env("BATON_AGENT_ID", "test:cy");
    let mut cy = Agent::join(cy, "cy").0;
    cy.claim();
    let mut story = Transcript::new(&world);
    story.run("bo", &["join"]);
    story.run("bo", &["take", "--reason", "it takes too long"]);
    cy.kill();
    story.run("bo", &["status"]);
    story.run("bo", &["wait"]);
    story.run("bo", &["take", "--reason", " "]);
    story.run("bo", &["take", "--turn", "7", "--reason", "gone"]);
    story.run("bo", &["take", "--turn", "1", "--reason", "its process is gone"]);
    story.run("bo", &["release", "--status", "took over", "--next", "start again"]);
    insta::assert_snapshot!(story.text(), @r#"
    bo$ baton join
    Joined room_1 at WORKSPACE as test:bo (sunny-glade).
    next: baton wait

    bo$ baton take --reason "it takes too long"
    takeover_unavailable: The stick cannot be taken over: nothing has timed out and nobody is known to be gone.
      room_state: owned
      current_turn_id: 1
      current_owner: test:cy
      available_at: TIME
      next: Call `baton wait`; take over only after it answers `takeover_available`.
    [exit 3]

    bo$ baton status
    room_1  WORKSPACE
    turn 1, held by mellow-meadow, whose process has exited: it may be taken over

    * 1. mellow-meadow (test:cy)  gone: its process has exited
      2. sunny-glade (test:bo)    idle, seen SPAN ago  (you)

    next: baton take --turn 1 --reason …

    bo$ baton wait
    mellow-meadow does not respond (owner_gone): the stick may be taken over.
    next: baton take --turn 1 --reason …, or to let them be: baton wait --cursor 5.1.owner_gone.0
    [exit 11]

    bo$ baton take --reason " "
    invalid_reason: reason must be non-empty.
      field: reason
      next: Say in a sentence why.
    [exit 2]

    bo$ baton take --turn 7 --reason gone
    turn_mismatch: Turn 7 is not current: the room is at turn 1.
      expected_turn_id: 7
      current_turn_id: 1
      current_owner: test:cy
      room_state: owner_gone
      next: Stop working as the owner, read `baton room state`, then wait for your turn again.
    [exit 3]

    bo$ baton take --turn 1 --reason "its process is gone"
    You hold the stick in place of test:cy: turn 2, lease lease_1.
    next: baton room events  (read the latest handoffs)

    bo$ baton release --status "took over" --next "start again"
    Nobody else is here: the stick is free, and your handoff waits for whoever takes it up (event 8).
    "#);
}

#[test]
fn a_room_can_be_read_noted_ordered_timed_left_and_closed() {
    let world = World::new();
    let mut story = Transcript::new(&world);
    story.run("ana", &["room", "list"]);
    story.run("ana", &["join"]);
    story.run("bo", &["join"]);
    story.run("ana", &["room", "note", "the tests are slow today"]);
    story.run("ana", &["room", "reorder", "test:bo", "test:ana"]);
    story.run("ana", &["room", "reorder", "test:bo"]);
    story.run("ana", &["room", "policy"]);
    story.run("ana", &["room", "policy", "--lease", "10m", "--heartbeat", "30s"]);
    story.steer(&["room", "policy", "--lease", "10m", "--heartbeat", "30s"]);
    story.steer(&["room", "policy", "--lease", "1s"]);
    story.run("ana", &["room", "list", "--all"]);
    story.run("ana", &["wait"]);
    story.run("ana", &["leave"]);
    story.run("bo", &["room", "close"]);
    story.run("ana", &["release", "--status", "done", "--next", "nothing"]);
    story.run("bo", &["leave"]);
    story.run("ana", &["room", "state"]);
    story.run("ana", &["room", "close", "--reason", "all done"]);
    story.run("ana", &["room", "events", "--limit", "3"]);
    story.run("ana", &["status"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton room list
    No rooms.
    next: baton join

    ana$ baton join
    Opened room_1 at WORKSPACE as test:ana (humble-orca).
    next: baton wait

    bo$ baton join
    Joined room_1 at WORKSPACE as test:bo (sunny-glade).
    next: baton wait

    ana$ baton room note "the tests are slow today"
    Noted as notes@4.

    ana$ baton room reorder test:bo test:ana
    1. sunny-glade
    2. humble-orca

    ana$ baton room reorder test:bo
    invalid_order: order must name every member exactly once.
      missing: ["test:ana"]
      next: Take the members from `baton room state` and reorder those.
    [exit 2]

    ana$ baton room policy
    lease      45m
    heartbeat  5m
    claim      20m
    presence   4h
    wait       30s
    poll       5s
    edges      mesh
    spawn      ask
    guard      on
    wake       all
    resume     off

    ana$ baton room policy --lease 10m --heartbeat 30s
    FORBIDDEN: Only the owner of the current turn, or an operator, changes a room's timings.
      needs: owner
      current_turn_id: 0
      room_state: idle
      role: agent
      next: Set them while you hold the stick (`baton wait`), or ask a person: `baton room policy` at a terminal, or the room's page of `baton up`.
    [exit 3]

    person$ baton room policy --lease 10m --heartbeat 30s
    lease      10m
    heartbeat  30s
    claim      20m
    presence   4h
    wait       30s
    poll       5s
    edges      mesh
    spawn      ask
    guard      on
    wake       all
    resume     off

    person$ baton room policy --lease 1s
    invalid_policy: heartbeat_interval_ms must be shorter than owner_lease_ttl_ms (1000), or a lease lapses between two heartbeats.
      field: heartbeat_interval_ms
      next: Correct the named field.
    [exit 2]

    ana$ baton room list --all
    room_1  idle           turn 0     free, 2 members  WORKSPACE

    ana$ baton wait
    It is your turn: turn 1, lease lease_1, which runs out in SPAN.

    next: work, `baton heartbeat` now and then, then baton release --status … --next …

    ana$ baton leave
    holds_stick: You hold the stick (turn 1); it cannot leave with you.
      current_turn_id: 1
      next: Release or pass the stick with a handoff, then leave.
    [exit 3]

    bo$ baton room close
    stale_lease: The room is held; only its owner may close it.
      current_owner: test:ana
      current_turn_id: 1
      room_state: owned
      next: Stop working as the owner and read `baton room state`. If your own process was replaced while it held the stick, take it over.
    [exit 3]

    ana$ baton release --status done --next nothing
    The stick is kept for sunny-glade (event 8).

    bo$ baton leave
    You left room_1. Still there: 1.

    ana$ baton room state
    room_1  WORKSPACE
    turn 1, kept for humble-orca, claim runs out in SPAN

    > 1. humble-orca (test:ana)  idle, seen SPAN ago  (you)

    Handoff from humble-orca
      status    done
      next      nothing

    ana$ baton room close --reason "all done"
    room_1 is closed. Joining its path again opens a fresh room.

    ana$ baton room events --limit 3
    unknown_room: No room covers WORKSPACE.
      next: Open one with `baton join`.
    [exit 4]

    ana$ baton status
    No room covers this path yet.

    You are test:ana.
    next: baton join
    "#);
}

#[test]
fn a_closed_room_ends_a_wait_with_exit_12_and_takes_no_more_turns() {
    let world = World::new();
    let room = world.join_as("ana");
    assert_eq!(world.run_as("ana", &["room", "close"]).status, 0);
    let mut story = Transcript::new(&world);
    story.run("ana", &["wait", "--room", &room]);
    story.run("ana", &["room", "note", "too late", "--room", &room]);
    story.run("ana", &["join"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton wait --room room_1
    The room is closed.
    next: baton join  (opens a fresh room)
    [exit 12]

    ana$ baton room note "too late" --room room_1
    room_closed: The room is closed.
      next: Call `baton join` on the same path: it opens a fresh room.
    [exit 3]

    ana$ baton join
    Opened room_2 at WORKSPACE as test:ana (humble-orca).
    next: baton wait
    "#);
}

#[test]
fn a_parked_listener_never_takes_a_free_stick_and_is_told_when_one_is_kept_for_it() {
    let world = World::new();
    let mut story = Transcript::new(&world);
    story.run("ana", &["join"]);
    story.run("bo", &["join"]);
    story.run("bo", &["wait", "--park", "--timeout", "0"]);
    story.run("ana", &["wait"]);
    story.run("ana", &["release", "--status", "s", "--next", "n"]);
    story.run("bo", &["wait", "--park"]);
    story.run("bo", &["wait"]);
    insta::assert_snapshot!(story.text(), @r"
    ana$ baton join
    Opened room_1 at WORKSPACE as test:ana (humble-orca).
    next: baton wait

    bo$ baton join
    Joined room_1 at WORKSPACE as test:bo (sunny-glade).
    next: baton wait

    bo$ baton wait --park --timeout 0
    Not yet: the room is idle, the stick is free.
    next: baton wait
    [exit 10]

    ana$ baton wait
    It is your turn: turn 1, lease lease_1, which runs out in SPAN.

    next: work, `baton heartbeat` now and then, then baton release --status … --next …

    ana$ baton release --status s --next n
    The stick is kept for sunny-glade (event 5).

    bo$ baton wait --park
    The stick is kept for you.
    next: baton wait
    [exit 13]

    bo$ baton wait
    It is your turn: turn 2, lease lease_2, which runs out in SPAN.

    Handoff from humble-orca
      status    s
      next      n

    next: work, `baton heartbeat` now and then, then baton release --status … --next …
    ");
}

#[test]
fn a_wait_says_nothing_until_the_stick_comes_and_then_shows_the_handoff() {
    let world = World::new();
    let mut ana = world.agent("ana");
    ana.claim();
    world.join_as("bo");
    let mut command = world.baton(&["wait"]);
    command.env("BATON_AGENT_ID", "test:bo");
    let waiting = command.stdout(Stdio::piped()).spawn().unwrap();
    ana.release();
    let output = waiting.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.starts_with("It is your turn: turn 2") && text.contains("status    done\n  next      go on\n"),
        "{text}"
    );
}

#[test]
fn a_turn_is_held_across_shells_that_end_with_each_command() {
    let world = World::new();
    let shell_out = |script: &str| {
        let mut command = world.command("bash");
        command.args(["-c", &format!("{script}; exit $?"), env!("CARGO_BIN_EXE_baton")]);
        Ran::of(command)
    };
    for script in [r#""$0" join"#, r#""$0" wait"#, r#""$0" heartbeat"#, r#""$0" release --status done --next 'go on'"#]
    {
        let ran = shell_out(script);
        assert_eq!(ran.status, 0, "{script}: {ran:?}");
    }
    world.assert_sound();
}
