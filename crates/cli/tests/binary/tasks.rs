//! Tasks at the command line.

use crate::support::{Ran, Transcript, World};

#[test]
fn a_task_is_written_down_given_begun_and_done() {
    let world = World::new();
    for who in ["ana", "bo"] {
        world.join_as(who);
    }
    let mut story = Transcript::new(&world);
    story.run("ana", &["task", "list"]);
    story.run("ana", &["task", "create", "write the parser", "--scope", "src/*", "--assign", "sunny-glade"]);
    story.run("ana", &["task", "create", "read the docs"]);
    story.run("ana", &["task", "start", "TASK-001"]);
    story.run("bo", &["task", "start", "task-1", "--scope", "src/parser.rs"]);
    story.run("bo", &["task", "show", "1"]);
    story.run("ana", &["task", "assign", "2", "test:bo"]);
    story.run("bo", &["task", "list", "--mine"]);
    story.run("bo", &["task", "assign", "2", "--nobody"]);
    story.run("bo", &["task", "done", "1"]);
    story.run("bo", &["task", "start", "1"]);
    story.run("ana", &["task", "list"]);
    story.run("ana", &["task", "show", "3"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton task list
    No tasks.
    next: baton task create TITLE

    ana$ baton task create "write the parser" --scope src/* --assign sunny-glade
    TASK-001 is open, for sunny-glade: write the parser

    ana$ baton task create "read the docs"
    TASK-002 is open, and nobody's yet: read the docs
    next: baton task start TASK-002

    ana$ baton task start TASK-001
    PRECONDITION_FAILED: TASK-001 is assigned to test:bo.
      task: TASK-001
      assignee: test:bo
      next: Leave it to them, or assign TASK-001 to your own name with `baton task assign` first.
    [exit 3]

    bo$ baton task start task-1 --scope src/parser.rs
    TASK-001 is in progress with sunny-glade: write the parser
    next: baton task done TASK-001

    bo$ baton task show 1
    TASK-001  write the parser
      state     in progress, changed SPAN ago
      for       sunny-glade
      in        src/parser.rs
      by        test:ana, created SPAN ago

    next: baton task done TASK-001

    ana$ baton task assign 2 test:bo
    TASK-002 is open, for sunny-glade: read the docs

    bo$ baton task list --mine
    TASK-002  open         sunny-glade  read the docs
    TASK-001  in progress  sunny-glade  write the parser  in src/parser.rs

    bo$ baton task assign 2 --nobody
    TASK-002 is open, and nobody's yet: read the docs
    next: baton task start TASK-002

    bo$ baton task done 1
    TASK-001 is done, by sunny-glade: write the parser

    bo$ baton task start 1
    PRECONDITION_FAILED: TASK-001 is done: it is over; create another.
      task: TASK-001
      state: done
      next: The message says how it stands; do what leads on from there.
    [exit 3]

    ana$ baton task list
    TASK-002  open  nobody       read the docs
    TASK-001  done  sunny-glade  write the parser  in src/parser.rs

    ana$ baton task show 3
    UNKNOWN_ID: There is no TASK-003 in this room.
      task: TASK-003
      next: List what there is: `baton task list`, `baton job list`, `baton card list`; or look for it with `baton search`.
    [exit 4]
    "#);
    world.assert_sound();
}

#[test]
fn tasks_are_counted_in_each_room_and_a_key_makes_a_repeated_one_the_same() {
    World::on_every_backend(|world| {
        let other = world.make_workspace("other");
        let create = |place: &std::path::Path, arguments: &[&str]| {
            let mut command = world.baton(&[arguments, &["--json"]].concat());
            command.current_dir(place).env("BATON_AGENT_ID", "test:ana");
            let ran = Ran::of(command);
            assert_eq!(ran.status, 0, "{ran:?}");
            ran.json()["data"]["task"].as_str().unwrap_or_default().to_owned()
        };
        let here = world.workspace();
        for place in [&here, &other] {
            create(place, &["join"]);
        }
        let keyed = ["task", "create", "b", "--idempotency-key", "k"];
        assert_eq!(create(&here, &["task", "create", "a"]), "TASK-001");
        assert_eq!(create(&here, &keyed), "TASK-002");
        // The key says which room it was, wherever it is said again.
        assert_eq!(create(&other, &keyed), "TASK-002");
        assert_eq!(create(&other, &["task", "create", "c"]), "TASK-001");
        assert_eq!(create(&here, &["task", "create", "d"]), "TASK-003");
        world.assert_sound();
    });
}

#[test]
fn a_task_that_makes_no_sense_is_refused() {
    let world = World::new();
    world.join_as("ana");
    assert_eq!(world.run_as("ana", &["task", "create", "a"]).status, 0);
    let refused = |arguments: &[&str]| {
        let ran = world.run_as("ana", &[arguments, &["--json"]].concat());
        (ran.status, ran.code())
    };
    let long = "x".repeat(201);
    for (arguments, status, code) in [
        (&["task", "create", " "][..], 2, "INVALID_ARGS"),
        (&["task", "create", &long], 2, "INVALID_ARGS"),
        (&["task", "create", "a", "--scope", "../out"], 2, "INVALID_ARGS"),
        (&["task", "create", "a", "--assign", "nobody"], 4, "AGENT_NOT_FOUND"),
        (&["task", "show", "7"], 4, "UNKNOWN_ID"),
        (&["task", "show", "seven"], 2, "INVALID_INPUT"),
        (&["task", "start", "0"], 2, "INVALID_INPUT"),
        (&["task", "start", "99999999999"], 2, "INVALID_INPUT"),
        (&["task", "assign", "1"], 2, "INVALID_INPUT"),
        (&["task", "assign", "1", "test:ana", "--nobody"], 2, "INVALID_INPUT"),
        (&["task", "assign", "1", "test:bo"], 4, "AGENT_NOT_FOUND"),
        (&["task", "list", "--state", "lost"], 2, "INVALID_INPUT"),
        (&["task", "list", "--limit", "0"], 2, "INVALID_LIMIT"),
    ] {
        assert_eq!(refused(arguments), (status, code.to_owned()), "{arguments:?}");
    }
    let stranger = world.run_as("bo", &["task", "done", "1", "--json"]);
    assert_eq!((stranger.status, stranger.code()), (4, "AGENT_NOT_FOUND".to_owned()));
}
