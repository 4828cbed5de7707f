//! Stores by name: `--store`, `BATON_STORE` and `baton store`, on both engines.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{fs, os::unix::fs::PermissionsExt};

use baton_store::SCHEMA_VERSION;
use baton_testkit::{Backend, Place};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::support::{Agent, Ran, Tidy, World};

/// Runs the program as `test:ana` with a variable, and makes sure that no secret is in what it says.
fn run_with(world: &World, variable: (&str, &str), arguments: &[&str]) -> Ran {
    let mut command = world.baton(arguments);
    command.env("BATON_AGENT_ID", "test:ana").env(variable.0, variable.1);
    let ran = Ran::of(command);
    assert!(!ran.stdout.contains("hunter2") && !ran.stderr.contains("hunter2"), "{ran:?}");
    ran
}

fn run(world: &World, arguments: &[&str]) -> Ran {
    run_with(world, ("TERM", "dumb"), arguments)
}

/// A story in the store that `named` names: ana waits, holds and hands over to bo.
fn hand_over(world: &World, variable: (&str, &str), named: &[&str]) {
    let ana = |arguments: &[&str]| run_with(world, variable, &[arguments, named, &["--json"]].concat());
    assert_eq!(ana(&["join"]).status, 0);
    assert_eq!(ana(&["wait"]).json()["data"]["status"], "your_turn");
    let mut bo = world.baton(&[&["join"], named].concat());
    bo.env("BATON_AGENT_ID", "test:bo").env(variable.0, variable.1);
    assert_eq!(Ran::of(bo).status, 0);
    let released = ana(&["release", "--status", "done", "--next", "go on"]);
    assert_eq!(released.json()["data"]["reserved_for"], "test:bo", "{released:?}");
}

#[test]
fn a_store_is_named_by_an_argument_or_by_the_environment() {
    let place = Place::new(Backend::Postgres);
    let world = World::new();
    hand_over(&world, ("TERM", "dumb"), &["--store", &place.address()]);
    assert_eq!(run(&world, &["status", "--store", &place.address()]).status, 0);
    assert!(!world.data().exists(), "nothing is kept on this machine");

    let place = Place::new(Backend::Postgres);
    hand_over(&world, ("BATON_STORE", &place.address()), &[]);
    assert!(!world.data().exists());

    let directory = world.root().join("elsewhere");
    hand_over(&world, ("BATON_STORE", &place.address()), &["--store", "../elsewhere"]);
    assert!(directory.join("rooms.sqlite").exists(), "an argument outranks the environment");
    assert!(!world.data().exists());
}

#[test]
fn a_harness_and_a_guardian_use_the_store_that_they_were_given() {
    let place = Place::new(Backend::Postgres);
    let world = World::new();
    let mut terminal = world.terminal();
    let held = terminal.run(&["hold", "--json", "--store", &place.address()]);
    assert_eq!(held.json()["ok"], true, "{held:?}");
    let guardian = held.json()["data"]["guardian_pid"].as_u64().unwrap();
    let arguments = fs::read_to_string(format!("/proc/{guardian}/cmdline")).unwrap();
    assert!(!arguments.contains("postgres"), "the address of the store is nobody's business: {arguments}");

    let (mut bo, joined) = Agent::join(world.baton(&["mcp", "--store", &place.address()]), "bo");
    assert_eq!(joined["created"], false, "{joined}");
    let waiting = bo.start_wait();
    kill_process(Pid::from_raw(i32::try_from(guardian).unwrap()).unwrap(), Signal::KILL).unwrap();
    let (_, waited) = bo.finish(waiting);
    assert_eq!((&waited["status"], &waited["turn_id"]), (&json!("takeover_available"), &json!(1)), "{waited}");
    assert!(!world.data().exists());
}

#[test]
fn a_store_that_cannot_be_is_told_with_its_code_and_without_its_password() {
    let world = World::new();
    let server = Place::new(Backend::Postgres).address();
    let (nowhere, _) = server.rsplit_once('/').unwrap();
    let nowhere = format!("{nowhere}/nowhere");
    let stranger = nowhere.replacen("baton@", "stranger:hunter2@", 1);
    let cases = [
        ("mysql://ana:hunter2@db/baton", 2, "INVALID_INPUT", "mysql is no kind of store"),
        ("postgres://ana:hunter2@127.0.0.1:1/baton", 1, "store_unreachable", "postgres://ana@127.0.0.1:1/baton cannot"),
        ("postgres://ana:hun@ter2@db/baton", 2, "INVALID_INPUT", "write @ as %40"),
        ("postgres://ana:hunter2@db/baton?sslmod=require", 2, "INVALID_INPUT", "the parameter sslmod"),
        (nowhere.as_str(), 1, "store_denied", "does not exist; create it first"),
        (stranger.as_str(), 1, "store_denied", "stranger"),
    ];
    for (store, status, code, part) in cases {
        let ran = run_with(&world, ("BATON_STORE", store), &["status", "--json"]);
        assert_eq!((ran.status, ran.code().as_str()), (status, code), "{store}: {ran:?}");
        assert!(ran.json()["error"]["message"].as_str().unwrap().contains(part), "{store}: {ran:?}");
        let text = run_with(&world, ("BATON_STORE", store), &["store", "info"]);
        assert_eq!((text.status, text.stdout.as_str()), (status, ""), "{store}: {text:?}");
    }
    let empty = run(&world, &["status", "--store", "", "--json"]);
    assert_eq!((empty.status, empty.code().as_str()), (2, "INVALID_INPUT"));
    assert_eq!(run_with(&world, ("BATON_STORE", ""), &["status"]).status, 0, "an empty variable is none");
}

#[test]
fn a_password_on_the_command_line_is_refused_by_everything_that_takes_a_store() {
    let world = World::new();
    let secret = "postgres://ana:hunter2@db.example/baton";
    for arguments in [
        &["status", "--store", secret][..],
        &["--store", secret, "join"],
        &["hold", "--store", secret],
        &["mcp", "--store", secret],
        &["doctor", "--store", secret],
        &["store", "info", "--store", secret],
        &["store", "migrate", "--store", secret],
        &["store", "copy", "--from", secret, "--to", "there"],
        &["store", "copy", "--from", "here", "--to", secret],
        &["store", "info", "--store", "postgres://ana@db.example/baton?password=hunter2"],
    ] {
        let ran = run(&world, arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{arguments:?}: {ran:?}");
        assert_eq!(
            ran.stderr,
            "INVALID_INPUT: A password does not belong on the command line: everybody on this machine can see it there.\n  \
             next: Leave it out of the address, and put it into ~/.pgpass, PGPASSWORD or BATON_STORE.\n"
        );
    }
    assert!(!world.data().exists() && World::files(&world.workspace()).len() == 1, "nothing was made");
}

#[test]
fn a_command_that_uses_no_store_takes_none() {
    let world = World::new();
    for arguments in [&["demo"][..], &["uninstall", "--all"], &["store", "copy", "--from", "a", "--to", "b"]] {
        let ran = run(&world, &[arguments, &["--store", "x", "--json"]].concat());
        assert_eq!((ran.status, ran.code().as_str()), (2, "INVALID_INPUT"), "{arguments:?}");
    }
}

#[test]
fn a_password_file_that_is_ignored_is_told_once() {
    let world = World::new();
    let file = world.home().join(".pgpass");
    fs::write(&file, "*:*:*:*:hunter2\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let place = Place::new(Backend::Postgres);
    let ran = run(&world, &["doctor", "--store", &place.address(), "--json"]);
    let warning = format!(
        "warning: the password file {} was ignored: others may read it; chmod 600 would help\n",
        file.display()
    );
    assert_eq!((ran.status, ran.stderr), (0, warning));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let ran = run(&world, &["status", "--store", &place.address()]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
}

#[test]
fn the_demo_has_a_store_of_its_own_whatever_the_environment_says() {
    let world = World::new();
    let demo = run_with(&world, ("BATON_STORE", "postgres://ana@127.0.0.1:1/baton"), &["demo", "--json"]);
    assert_eq!((demo.status, demo.stderr.as_str()), (0, ""), "{demo:?}");
}

/// What `baton store info` says, less what differs from run to run.
fn tidied(text: &str, place: &Place) -> String {
    let mut page = String::new();
    for line in text.lines() {
        let (name, said) = line.split_at(line.len().min(13));
        let said = match name.trim_end() {
            "store" => said.replace(&place.address(), "PLACE"),
            "engine" => said.split(' ').next().unwrap().to_owned(),
            "schema" => said.replacen(&SCHEMA_VERSION.to_string(), "NEWEST", 1),
            "size" => said.chars().filter(|c| !c.is_ascii_digit()).collect(),
            "round trip" => "SPAN".to_owned(),
            "connections" => {
                said.trim_end_matches(char::is_numeric).trim_start_matches(char::is_numeric).trim().to_owned()
            }
            _ => said.to_owned(),
        };
        page.push_str(&format!("{name}{said}\n"));
    }
    page
}

#[test]
fn info_tells_what_the_store_is() {
    let (file, server) = (Place::new(Backend::Sqlite), Place::new(Backend::Postgres));
    let world = World::new();
    let info = |place: &Place| {
        hand_over(&world, ("TERM", "dumb"), &["--store", &place.address()]);
        let ran = run(&world, &["store", "info", "--store", &place.address()]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{ran:?}");
        tidied(&ran.stdout, place)
    };
    insta::assert_snapshot!(info(&file), @r"
    store        PLACE/rooms.sqlite
    engine       SQLite
    schema       NEWEST, the one this Baton writes
    size          KiB, write-ahead log  KiB
    rooms        1, with 5 events
    writer       nobody right now
    ");
    insta::assert_snapshot!(info(&server), @r"
    store        PLACE
    engine       PostgreSQL
    schema       NEWEST, the one this Baton writes
    size          KiB
    rooms        1, with 5 events
    writer       nobody right now
    round trip   SPAN
    clock        this machine's agrees with the server's
    connections  from Batons; the server allows
    encrypted    no
    ");
    let json = run(&world, &["store", "info", "--store", &server.address(), "--json"]).json();
    assert_eq!((&json["ok"], &json["command"]), (&json!(true), &json!("store info")));
    let data = &json["data"];
    assert_eq!(data["place"], server.address());
    assert_eq!((&data["rooms"], &data["events"], &data["read_only"]), (&json!(1), &json!(5), &json!(false)));
    assert!(data["database_bytes"].as_u64() > Some(0) && data["wal_bytes"].is_null());
    assert!(data["server"]["connections"].as_u64() >= Some(1), "{data}");
    assert_eq!(data["server"]["encrypted"], false);
    let json = run(&world, &["store", "info", "--store", &file.address(), "--json"]).json();
    assert!(json["data"]["server"].is_null() && json["data"]["wal_bytes"].is_u64(), "{json}");
}

#[test]
fn doctor_tells_what_applies_to_a_server() {
    let world = World::on(Backend::Postgres);
    world.join_as("ana");
    let ran = world.run(&["doctor"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.contains("encrypted    no\n") && !ran.stdout.contains("write-ahead"), "{}", ran.stdout);
    let store = world.run(&["doctor", "--json"]).json()["data"]["store"].clone();
    assert!(store["server"]["round_trip_us"].is_u64() && store["wal_bytes"].is_null(), "{store}");
}

#[test]
fn migrate_says_from_what_to_what_and_what_a_limited_role_needs() {
    let (file, server) = (Place::new(Backend::Sqlite), Place::new(Backend::Postgres));
    let world = World::new();
    let migrate = |place: &Place| {
        let ran = run(&world, &["store", "migrate", "--store", &place.address()]);
        assert_eq!((ran.status, ran.stderr.as_str()), (0, ""), "{ran:?}");
        ran.stdout.replace(&place.address(), "PLACE").replace(&format!("schema {SCHEMA_VERSION}."), "schema NEWEST.")
    };
    insta::assert_snapshot!(migrate(&file), @"PLACE/rooms.sqlite: made, with schema NEWEST.");
    insta::assert_snapshot!(migrate(&file), @"PLACE/rooms.sqlite: already at schema NEWEST.");
    insta::assert_snapshot!(migrate(&server), @r"
    PLACE: made, with schema NEWEST.

    A role of its own for agents (here `agents`) needs, from whoever ran this:
      GRANT USAGE ON SCHEMA baton TO agents;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA baton TO agents;
      ALTER DEFAULT PRIVILEGES IN SCHEMA baton GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO agents;
    ");
    let json = run(&world, &["store", "migrate", "--store", &server.address(), "--json"]).json();
    assert_eq!(
        (&json["data"]["from"], &json["data"]["to"]),
        (&json!(SCHEMA_VERSION), &json!(SCHEMA_VERSION)),
        "{json}"
    );
    assert_eq!(json["data"]["grants"].as_array().unwrap().len(), 3);
    server.sql("UPDATE baton.schema_version SET version = 99");
    let newer = run(&world, &["store", "migrate", "--store", &server.address(), "--json"]);
    assert_eq!((newer.status, newer.code().as_str()), (1, "store_newer"));
}

#[test]
fn a_role_with_what_migrate_shows_can_do_everything_and_one_without_is_told_what_to_do() {
    let place = Place::new(Backend::Postgres);
    let world = World::new();
    let role = format!("agents_{}", std::process::id());
    place.sql(&format!("CREATE ROLE {role} LOGIN"));
    let limited = place.address().replacen("baton@", &format!("{role}@"), 1);
    let denied = run(&world, &["status", "--store", &limited, "--json"]);
    assert_eq!((denied.status, denied.code().as_str()), (1, "store_denied"), "{denied:?}");
    assert!(denied.json()["error"]["message"].as_str().unwrap().contains("baton store migrate"), "{denied:?}");

    let migrated = run(&world, &["store", "migrate", "--store", &place.address(), "--json"]).json();
    let denied = run(&world, &["join", "--store", &limited, "--json"]);
    assert_eq!((denied.status, denied.code().as_str()), (1, "store_denied"), "{denied:?}");
    for grant in migrated["data"]["grants"].as_array().unwrap() {
        place.sql(&grant.as_str().unwrap().replace("agents", &role));
    }
    hand_over(&world, ("TERM", "dumb"), &["--store", &limited]);
    let doctor = run(&world, &["doctor", "--store", &limited]);
    assert_eq!(doctor.status, 0, "{doctor:?}");
    place.sql(&format!("DROP OWNED BY {role}; DROP ROLE {role}"));
}

#[test]
fn a_store_moves_to_a_server_and_back_and_a_turn_goes_on_where_it_is() {
    let server = Place::new(Backend::Postgres);
    let world = World::new();
    let key = ["--idempotency-key", "k"];
    for arguments in [&["join"][..], &["wait"], &[&["room", "note", "before the move"][..], &key].concat()] {
        assert_eq!(run(&world, arguments).status, 0);
    }

    let data = world.data();
    let there = ["store", "copy", "--from", data.to_str().unwrap(), "--to", &server.address()];
    let copied = run(&world, &there);
    assert_eq!(copied.status, 0, "{copied:?}");
    let mut tidy = Tidy::default().naming(&data, "DATA");
    insta::assert_snapshot!(tidy.tidy(&copied.stdout.replace(&server.address(), "STORE")), @r"
    Copied 1 room, 4 events and 1 first answer to keyed requests
      from DATA
      to   STORE
    Every log was folded and compared on both sides: they are the same.
    ");
    insta::assert_snapshot!(copied.stderr, @r"
    copying: 0 of 1 rooms, 0 of 4 events
    copying: 0 of 1 rooms, 4 of 4 events
    comparing: 1 of 1 rooms, 4 of 4 events
    ");
    let again = run(&world, &[&there[..], &["--json"]].concat());
    assert_eq!((again.status, again.code().as_str(), again.stderr.as_str()), (3, "store_not_empty", ""), "{again:?}");

    let back = world.root().join("back");
    let copied = run(&world, &["store", "copy", "--from", &server.address(), "--to", back.to_str().unwrap(), "--json"]);
    assert_eq!((copied.status, copied.stderr.as_str()), (0, ""), "{copied:?}");
    let data = &copied.json()["data"];
    assert_eq!((&data["from"], &data["to"]), (&json!(server.address()), &json!(back)));
    assert_eq!((&data["rooms"], &data["events"], &data["first_answers"]), (&json!(1), &json!(4), &json!(1)), "{data}");
    for store in [back.to_str().unwrap(), &server.address()] {
        let note = run(&world, &[&["room", "note", "before the move", "--json", "--store", store][..], &key].concat());
        assert_eq!(note.json()["data"]["event_seq"], 4, "a retry gets its first answer: {note:?}");
        let released = run(&world, &["release", "--status", "moved", "--next", "go on", "--store", store]);
        assert_eq!(released.status, 0, "{released:?}");
        assert_eq!(run(&world, &["doctor", "--store", store]).status, 0);
    }
}

#[test]
fn a_store_that_is_not_there_is_not_copied_and_not_made() {
    let (server, world) = (Place::new(Backend::Postgres), World::new());
    for from in ["../nowhere", &server.address()] {
        let ran = run(&world, &["store", "copy", "--from", from, "--to", "../there", "--json"]);
        assert_eq!((ran.status, ran.code().as_str()), (2, "INVALID_INPUT"), "{ran:?}");
        assert!(ran.json()["error"]["message"].as_str().unwrap().starts_with("There is no store to copy at "));
    }
    assert!(!world.root().join("nowhere").exists() && !world.root().join("there").exists());
    assert_eq!(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'baton'").trim(), "0");
}
