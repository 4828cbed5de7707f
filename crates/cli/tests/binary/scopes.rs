//! Reservations at the command line: who may have which paths, and the guard that a hook asks.

use baton_core::limits;
use serde_json::{Value, json};

use crate::support::{Agent, Ran, Transcript, World};

/// What git calls a file without contents.
const EMPTY_FILE: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/// An agent that reserved `scope` and whose process is proven gone.
fn gone_with(world: &World, scope: &str) -> Agent {
    let mut agent = world.agent("gone");
    agent.ok("scope", json!({ "op": "reserve", "args": { "scopes": [scope] } }));
    agent.kill();
    agent
}

#[test]
fn two_agents_share_a_workspace_by_reserving_paths() {
    let world = World::new();
    let mut story = Transcript::new(&world);
    story.run("ana", &["scope", "status"]);
    story.run("ana", &["join"]);
    story.run("ana", &["scope", "status"]);
    story.run("ana", &["scope", "reserve", "src/core", "docs/*", "--bead", "bb-7.1"]);
    story.run("bo", &["scope", "reserve", "src"]);
    story.run("bo", &["join"]);
    story.run("bo", &["scope", "reserve", "src", "docs/guide.md"]);
    story.run("bo", &["scope", "reserve", "src/core", "--takeover-stale"]);
    story.run("bo", &["scope", "reserve", "web"]);
    story.run("ana", &["scope", "status"]);
    story.run("bo", &["scope", "check", "--path", "src/core/lib.rs", "web/x"]);
    story.run("bo", &["scope", "check", "--path", "web/x", "--path", "README.md"]);
    story.run("bo", &["scope", "release", "src/core"]);
    story.run("bo", &["scope", "release"]);
    story.run("ana", &["scope", "release", "docs/*"]);
    story.run("ana", &["scope", "release", "--all"]);
    story.run("ana", &["scope", "release", "--all"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton scope status
    unknown_room: No room covers WORKSPACE.
      next: Open one with `baton join`.
    [exit 4]

    ana$ baton join
    Opened room_1 at WORKSPACE as test:ana (humble-orca).
    next: baton wait

    ana$ baton scope status
    Nothing is reserved here.
    next: baton scope reserve PATH…

    ana$ baton scope reserve src/core docs/* --bead bb-7.1
    Reserved for humble-orca (test:ana):
      src/core  for bb-7.1  runs out in SPAN
      docs/*    for bb-7.1  runs out in SPAN
    next: work there, then baton scope release --all

    bo$ baton scope reserve src
    AGENT_NOT_FOUND: test:bo is not an agent of this room.
      agent_id: test:bo
      next: List them with `baton agent list`; call `baton join` or `baton agent register` to become one.
    [exit 4]

    bo$ baton join
    Joined room_1 at WORKSPACE as test:bo (sunny-glade).
    next: baton wait

    bo$ baton scope reserve src docs/guide.md
    RESERVATION_CONFLICT: src is reserved: humble-orca has src/core and is active.
      owner: humble-orca (test:ana), active
      scope: src/core, runs out in SPAN
      also in the way: docs/* (humble-orca, active)
      next: Work elsewhere, or run: baton block --to humble-orca --subject 'I need src' --blocker 'src covers your scope src/core' --request 'Release src/core, or tell me when you are done there'
    [exit 3]

    bo$ baton scope reserve src/core --takeover-stale
    RESERVATION_CONFLICT: src/core is reserved: humble-orca has src/core and is active.
      owner: humble-orca (test:ana), active
      scope: src/core, runs out in SPAN
      next: Work elsewhere, or run: baton block --to humble-orca --subject 'I need src/core' --blocker 'src/core is in your scope src/core' --request 'Release src/core, or tell me when you are done there'
    [exit 3]

    bo$ baton scope reserve web
    Reserved for sunny-glade (test:bo):
      web  runs out in SPAN
    next: work there, then baton scope release --all

    ana$ baton scope status
      src/core  humble-orca (test:ana)  active  for bb-7.1  runs out in SPAN  (yours)
      docs/*    humble-orca (test:ana)  active  for bb-7.1  runs out in SPAN  (yours)
      web       sunny-glade (test:bo)   active              runs out in SPAN

    bo$ baton scope check --path src/core/lib.rs web/x
    RESERVATION_CONFLICT: src/core/lib.rs is reserved: humble-orca has src/core and is active.
      owner: humble-orca (test:ana), active
      scope: src/core, runs out in SPAN
      next: Work elsewhere, or run: baton block --to humble-orca --subject 'I need src/core/lib.rs' --blocker 'src/core/lib.rs is in your scope src/core' --request 'Release src/core, or tell me when you are done there'
    [exit 3]

    bo$ baton scope check --path web/x --path README.md
    2 paths checked: nobody else has reserved web/x, README.md.

    bo$ baton scope release src/core
    RELEASE_FORBIDDEN: src/core is reserved by humble-orca, not by you.
      scope: src/core
      owner: test:ana
      owner_agent: humble-orca
      next: Ask the owner, or take it over once the owner is stale.
    [exit 3]

    bo$ baton scope release
    error: the following required arguments were not provided:
      <SCOPE|--all>

    Usage: baton scope release <SCOPE|--all>

    For more information, try '--help'.
    [exit 2]

    ana$ baton scope release docs/*
    Released: docs/*

    ana$ baton scope release --all
    Released: src/core

    ana$ baton scope release --all
    You had nothing reserved.
    "#);
}

#[test]
fn the_scope_of_an_agent_that_is_gone_is_taken_over_only_when_asked_for() {
    World::on_every_backend(|world| {
        let gone = gone_with(&world, "src");
        world.join_as("bo");
        let refused = world.run_as("bo", &["scope", "reserve", "src/a.rs", "--json"]);
        assert_eq!((refused.status, refused.code().as_str()), (3, "RESERVATION_STALE_FOUND"), "{refused:?}");
        let hint = format!("baton scope reserve {} --takeover-stale", world.workspace().join("src/a.rs").display());
        assert_eq!(refused.json()["error"]["resolution_hint"], hint);
        assert_eq!(refused.json()["ok"], false);

        let typed: Vec<_> = hint.split(' ').skip(1).collect();
        let taken = world.run_as("bo", &typed);
        assert_eq!(taken.status, 0, "{taken:?}");
        assert!(taken.stdout.contains(&format!("({}), who was evicted: src\n", gone.id)), "{taken:?}");
        let log = world.log(&gone.room_id);
        let told: Vec<_> = log.iter().filter(|event| event["event_type"] == "INCURSION").collect();
        assert_eq!(told.len(), 2, "both times: {log:#?}");
        let archived = world.data_of(&["scope", "status", "--all"])["archived"].clone();
        let ended = json!([{ "scope": "src", "owner": gone.id, "ended": "expired" }]);
        assert_eq!(only(&archived, &["scope", "owner", "ended"]), ended);
        world.assert_sound();
    });
}

/// Only some fields of each row.
fn only(rows: &Value, fields: &[&str]) -> Value {
    let row = |row: &Value| fields.iter().map(|field| ((*field).to_owned(), row[field].clone())).collect::<Value>();
    rows.as_array().into_iter().flatten().map(row).collect()
}

#[test]
fn the_guard_lets_stale_owners_past_with_a_warning_when_it_is_told_to() {
    let world = World::new();
    let gone = gone_with(&world, "src");
    let strict = world.run_as("bo", &["scope", "check", "--path", "src/a.rs"]);
    assert_eq!((strict.status, strict.stdout.as_str()), (3, ""), "{strict:?}");
    for words in ["RESERVATION_STALE_FOUND: src/a.rs is reserved", &gone.id, "evicted", "runs out in 1h 59m"] {
        assert!(strict.stderr.contains(words), "{words}: {strict:?}");
    }
    let lenient = world.run_as("bo", &["scope", "check", "--path", "src/a.rs", "--active-only"]);
    assert_eq!(
        (lenient.status, lenient.stdout.as_str()),
        (0, "1 path checked: no active agent has reserved src/a.rs.\n")
    );
    assert!(lenient.stderr.starts_with("warning: src/a.rs is in src, which "), "{lenient:?}");
    assert!(lenient.stderr.ends_with("its owner is evicted.\n") && lenient.stderr.contains(&gone.id), "{lenient:?}");
    let told = world.run_as("bo", &["scope", "check", "--path", "src/a.rs", "--active-only", "--json"]);
    assert_eq!((told.status, told.stderr.as_str()), (0, ""));
    let passed = json!([{ "path": "src/a.rs", "scope": "src", "owner": gone.id, "owner_liveness": "evicted" }]);
    assert_eq!(only(&told.json()["data"]["passed"], &["path", "scope", "owner", "owner_liveness"]), passed);
}

/// Runs `baton` as an agent that stands in `directory`, below the root of the world.
fn standing(world: &World, agent: &str, directory: &str, arguments: &[&str]) -> Ran {
    let mut command = world.baton(arguments);
    command.current_dir(world.root().join(directory)).env("BATON_AGENT_ID", format!("test:{agent}"));
    Ran::of(command)
}

#[test]
fn a_relative_path_starts_where_the_shell_stands_and_the_answer_says_which_it_is() {
    World::on_every_backend(|world| {
        let world = world.with_repository();
        let room = world.join_as("ana");
        world.join_as("bo");
        world.write("packages/a/src/x.rs", "1");
        let deep = "work/packages/a";
        let reserved = standing(&world, "ana", deep, &["scope", "reserve", "src", "docs/*", ".\\web"]);
        assert_eq!(reserved.status, 0, "{reserved:?}");
        for path in ["  packages/a/src  ", "  packages/a/docs/*  ", "  packages/a/web  "] {
            assert!(reserved.stdout.contains(path), "{path}: {reserved:?}");
        }
        let json = standing(&world, "ana", deep, &["scope", "reserve", ".", "--json"]).json();
        assert_eq!(json["data"]["reserved"][0]["scope"], "packages/a");
        let released = standing(&world, "ana", deep, &["scope", "release", "src"]);
        assert_eq!(released.stdout, "Released: packages/a/src\n", "{released:?}");
        assert_eq!(standing(&world, "ana", deep, &["scope", "release", "."]).stdout, "Released: packages/a\n");

        let absolute = world.workspace().join("packages/a/docs/x");
        for (directory, path, status) in [
            (deep, "docs/x", 3),
            (deep, "packages/a/docs/x", 0),
            ("work", "packages/a/docs/x", 3),
            ("work/packages", r"a\docs\x", 3),
            (deep, absolute.to_str().unwrap(), 3),
        ] {
            let checked = standing(&world, "bo", directory, &["scope", "check", "--path", path]);
            assert_eq!(checked.status, status, "{directory} {path}: {checked:?}");
        }
        let clear = standing(&world, "bo", deep, &["scope", "check", "--path", "src/x.rs"]);
        assert_eq!(clear.stdout, "1 path checked: nobody else has reserved packages/a/src/x.rs.\n");
        let asked = standing(&world, "bo", deep, &["scope", "status", "src"]);
        assert!(asked.stdout.starts_with("Nobody has reserved packages/a/src.\n"), "{asked:?}");
        // A shell that stands elsewhere names paths from the room's root.
        assert_eq!(
            standing(&world, "bo", "home", &["scope", "check", "--path", "docs"]).status,
            4,
            "no room covers it"
        );
        let elsewhere = &["scope", "check", "--path", "packages/a/docs", "--room", &room];
        assert_eq!(standing(&world, "bo", "home", elsewhere).status, 3);

        // Every command that takes a path takes it so.
        let task = standing(&world, "bo", deep, &["task", "create", "t", "--scope", "lib", "--json"]).json();
        assert_eq!(task["data"]["scopes"], json!(["packages/a/lib"]));
        let said = [
            "send",
            "--to",
            "test:ana",
            "--category",
            "INFO",
            "--subject",
            "s",
            "--body",
            "b",
            "--scope",
            "lib",
            "--json",
        ];
        let said = standing(&world, "bo", deep, &said);
        assert_eq!(said.json()["data"]["event"]["scope"], "packages/a/lib", "{said:?}");

        world.write("README", "1");
        world.git(&["add", "--all"]);
        world.git(&["commit", "--quiet", "--message=all"]);
        world.git(&["worktree", "add", "--quiet", "../tree"]);
        let linked = standing(&world, "bo", "tree/packages/a", &["scope", "reserve", "src"]);
        assert!(linked.stdout.contains("  packages/a/src  "), "a linked worktree has the same paths: {linked:?}");
    });
}

#[test]
fn a_path_that_leaves_the_room_is_refused_with_the_reason() {
    let world = World::new();
    world.join_as("ana");
    world.write("packages/a/x", "1");
    std::os::unix::fs::symlink("/etc", world.workspace().join("packages/a/etc")).unwrap();
    for (directory, path, reason) in [
        ("work/packages/a", "../b", "\"../b\" has \"..\" in it, which can lead out of the room"),
        ("work/packages/a", r"..\b", "\"..\" in it, which can lead out of the room"),
        ("work", "src/../lib", "\"..\" in it, which can lead out of the room"),
        ("work", "../other", "\"..\" in it, which can lead out of the room"),
        ("work", "/etc", "lies outside the room, which is at "),
        ("work/packages/a", "etc/passwd", "packages/a/etc/passwd leads to /etc/passwd, which lies outside the room"),
    ] {
        for arguments in [["scope", "reserve"].as_slice(), &["scope", "check", "--path"], &["scope", "release"]] {
            let ran = standing(&world, "ana", directory, &[arguments, &[path]].concat());
            assert_eq!(ran.status, 2, "{arguments:?} {path}: {ran:?}");
            assert!(ran.stderr.contains(reason), "{arguments:?} {path}: {ran:?}");
        }
    }
    // A file may be called so, and git may tell of one.
    for (path, reason) in [("~/x", "which only a shell reads"), (r"C:\src", "the letter of a drive")] {
        let ran = standing(&world, "ana", "work", &["scope", "reserve", path]);
        assert!(ran.status == 2 && ran.stderr.contains(reason), "{path}: {ran:?}");
    }
}

#[test]
fn where_nothing_is_protected_a_commit_is_never_held_up() {
    let world = World::new().with_repository();
    let answer = |arguments: &[&str]| {
        let ran = world.run_as("bo", &[&["scope", "check"], arguments, &["--json"]].concat());
        assert_eq!(ran.stderr, "", "{ran:?}");
        (ran.status, ran.json()["data"].clone())
    };
    let nothing = |room: Value, checked: usize| json!({ "room_id": room, "checked": checked, "passed": [] });
    assert_eq!(answer(&["--staged"]), (0, nothing(Value::Null, 0)));
    world.write("a", "1");
    world.git(&["add", "a"]);
    assert_eq!(answer(&["--staged"]), (0, nothing(Value::Null, 1)));
    assert_eq!(answer(&["--staged", "--path", "b"]), (0, nothing(Value::Null, 2)));
    assert_eq!(answer(&["--path", "b"]), (4, Value::Null), "whoever names paths means a room");
    assert_eq!(answer(&[]), (2, Value::Null));

    let room = world.join_as("ana");
    let named = json!({ "room_id": room, "checked": 3, "paths": ["b", "c"], "passed": [] });
    assert_eq!(answer(&["--staged", "--path", "b", "c"]), (0, named));
    world.git(&["commit", "--quiet", "--message=a"]);
    let staged = world.run_as("bo", &["scope", "check", "--staged"]);
    assert_eq!((staged.status, staged.stdout.as_str()), (0, "Nothing is staged: there is nothing to check.\n"));
    assert_eq!(world.run_as("ana", &["scope", "reserve", "b"]).status, 0);
    assert_eq!(answer(&["--staged"]), (0, nothing(json!(room), 0)));
    assert_eq!(answer(&["--staged", "--path", "b"]), (3, Value::Null), "both count");
}

#[test]
fn a_commit_of_more_paths_than_one_call_takes_is_checked_to_the_last() {
    let world = World::new().with_repository();
    world.join_as("ana");
    let more = limits::CHECKED_PATHS + 1;
    let listed: String = (0..more).map(|number| format!("100644 {EMPTY_FILE} 0\tmany/{number:05}\n")).collect();
    let mut stage = world.command("git");
    stage.args(["update-index", "--index-info"]);
    assert_eq!(Ran::with_input(stage, &listed).status, 0);
    let clear = world.run_as("bo", &["scope", "check", "--staged", "--json"]);
    assert_eq!((clear.status, &clear.json()["data"]["checked"]), (0, &json!(more)), "{clear:?}");
    let last = format!("many/{:05}", more - 1);
    assert_eq!(world.run_as("ana", &["scope", "reserve", &last]).status, 0);
    let refused = world.run_as("bo", &["scope", "check", "--staged", "--json"]);
    assert_eq!((refused.status, &refused.json()["error"]["incoming_scope"]), (3, &json!(last)), "{refused:?}");
}

#[test]
fn a_commit_in_the_scope_of_an_active_agent_is_refused_by_the_installed_hook() {
    World::on_every_backend(|world| {
        let world = world.with_repository();
        assert_eq!(world.run(&["install", "git-hook"]).status, 0);
        let work = world.workspace();
        world.join_as("ana");
        assert_eq!(world.run_as("ana", &["scope", "reserve", "src"]).status, 0);
        for file in ["src/a.rs", "docs/a.md"] {
            world.write(file, "1");
        }
        world.git(&["add", "--all"]);
        let refused = world.git_as("bo", &work, &["commit", "--message=both"]);
        assert_eq!(refused.status, 1, "{refused:?}");
        for words in [
            "RESERVATION_CONFLICT: src/a.rs is reserved: humble-orca has src and is active.",
            "owner: humble-orca (test:ana), active",
            "scope: src, runs out in 1h 59m",
            "run: baton block --to humble-orca",
            "git commit --no-verify",
        ] {
            assert!(refused.stderr.contains(words), "{words}: {refused:?}");
        }
        // A commit of some paths is of these only, whatever else is staged.
        let disjoint = world.git_as("bo", &work, &["commit", "--quiet", "--message=docs", "docs/a.md"]);
        assert_eq!((disjoint.status, disjoint.stderr.as_str()), (0, ""), "{disjoint:?}");
        let own = world.git_as("ana", &work, &["commit", "--quiet", "--message=src"]);
        assert_eq!((own.status, own.stderr.as_str()), (0, ""), "{own:?}");

        world.git(&["worktree", "add", "--quiet", "../tree"]);
        let tree = world.root().join("tree");
        std::fs::write(tree.join("src/a.rs"), "2").unwrap();
        let linked = world.git_as("bo", &tree, &["commit", "--quiet", "--all", "--message=linked"]);
        assert_eq!(linked.status, 1, "a linked worktree is the same workspace: {linked:?}");
        let overridden = world.git_as("bo", &tree, &["commit", "--quiet", "--all", "--no-verify", "--message=linked"]);
        assert_eq!(overridden.status, 0, "{overridden:?}");
    });
}

#[test]
fn a_commit_in_the_scope_of_an_agent_that_is_gone_goes_through_the_hook_with_a_warning() {
    let world = World::new().with_repository();
    assert_eq!(world.run(&["install", "git-hook"]).status, 0);
    let gone = gone_with(&world, "src");
    world.write("src/a.rs", "1");
    world.git(&["add", "--all"]);
    let committed = world.git_as("bo", &world.workspace(), &["commit", "--quiet", "--message=on"]);
    assert_eq!((committed.status, committed.stdout.as_str()), (0, ""), "{committed:?}");
    assert!(committed.stderr.starts_with("warning: src/a.rs is in src, which "), "{committed:?}");
    assert!(committed.stderr.contains(&gone.id), "{committed:?}");
}

#[test]
fn a_reservation_that_is_made_again_under_its_key_gets_the_first_answer() {
    let world = World::new();
    world.join_as("ana");
    let reserve = || {
        let ran = world.run_as("ana", &["scope", "reserve", "src", "--idempotency-key", "k", "--json"]);
        assert_eq!(ran.status, 0, "{ran:?}");
        ran.json()["data"].clone()
    };
    let first = reserve();
    assert_eq!(world.run_as("ana", &["scope", "release", "src"]).status, 0);
    assert_eq!(reserve(), first);
    assert_eq!(world.data_of(&["scope", "status"])["scopes"], json!([]));
}
