//! A store that an earlier Baton wrote is brought up to date, and has all that it had.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::{fs, path::Path};

use baton_core::{
    agent::Former,
    bus::{self, Action, Conversation},
    event::Recorded,
    ids::Seq,
    inbox::{Category, Item},
    job::Job,
    library::{Anchor, Artifact, Card, Plan},
    part::Rows,
    process::Proof,
    room::Room,
    runner::Runner,
    scope::Reservation,
    task::{Focus, Task},
};
use baton_store::{
    SCHEMA_VERSION, Store, StoreError,
    engine::{Changes, Tx},
    former, hosts,
    idempotency::{self, Kept},
    log, rooms, search,
    table::all,
};
use baton_testkit::{Agent, Backend, Place, TestApp, on_every_backend};
use rusqlite::Connection;
use serde_json::json;

/// Takes away what the migrations since the sixth brought. What is left is what an earlier Baton has.
const BACK_TO_FIVE: &[&str] = &[
    "DROP INDEX conversations_by_task",
    "DROP TABLE agent_sessions",
    "ALTER TABLE members DROP COLUMN rest_until_ms",
    "ALTER TABLE members DROP COLUMN rest_seq",
    "ALTER TABLE members DROP COLUMN wake",
    "DROP TABLE waits",
    "ALTER TABLE inbox DROP COLUMN note",
    "ALTER TABLE rooms DROP COLUMN earlier_events",
    "DROP TABLE incursions",
    "ALTER TABLE rooms DROP COLUMN taken_from",
    "ALTER TABLE jobs DROP COLUMN earlier_claim_ends_at_ms",
    "ALTER TABLE jobs DROP COLUMN progress",
    "ALTER TABLE jobs RENAME COLUMN open_gate TO proof_missing",
    "ALTER TABLE jobs RENAME COLUMN open_error TO has_error",
    "ALTER TABLE former_names DROP COLUMN added_by",
    "ALTER TABLE runners DROP COLUMN via",
    "ALTER TABLE runners DROP COLUMN process",
    "ALTER TABLE jobs DROP COLUMN claim_via",
    "ALTER TABLE jobs DROP COLUMN claim_process",
    "ALTER TABLE connections DROP COLUMN ended_why",
    "ALTER TABLE connections DROP COLUMN ended_as",
    "ALTER TABLE connections DROP COLUMN ended_at_ms",
    "ALTER TABLE jobs DROP COLUMN capability",
    "DROP INDEX members_by_agent",
    "DROP INDEX members_by_process",
    "ALTER TABLE former_names DROP COLUMN retired",
    "ALTER TABLE members DROP COLUMN overridden",
    "ALTER TABLE members DROP COLUMN parallel_to",
    "ALTER TABLE members DROP COLUMN added_by",
    "ALTER TABLE members DROP COLUMN keeps",
    "ALTER TABLE log DROP COLUMN overridden",
    // Only the embedded store has it.
    "DROP TABLE IF EXISTS boots",
    "DROP INDEX artifacts_by_hash",
    "DROP INDEX artifacts_by_name",
    "DROP INDEX artifacts_of_turn",
    "ALTER TABLE artifacts DROP COLUMN dropped_at_ms",
    "ALTER TABLE artifacts DROP COLUMN turn",
    "ALTER TABLE artifacts DROP COLUMN node",
    "DELETE FROM inbox WHERE category = 'MANAGER'",
    "DROP INDEX inbox_interrupts",
    "DROP INDEX inbox_of_turn",
    "ALTER TABLE inbox DROP COLUMN interrupts",
    "ALTER TABLE inbox DROP COLUMN turn",
    "DROP TABLE grants",
    "DROP TABLE approvals",
    "DROP TABLE streams",
    "DROP TABLE turns",
    "DROP TABLE envelopes",
    "DROP TABLE edges",
    "DROP TABLE briefs",
];

/// And the fifth.
const BACK_TO_FOUR: &[&str] = &[
    "DROP TABLE connections",
    "DROP TABLE conversation_tasks",
    "DROP TABLE conversations",
    "DROP TABLE actions",
    "ALTER TABLE rooms DROP COLUMN name",
];

/// And the fourth.
const BACK_TO_THREE: &[&str] = &[
    "DROP TABLE search_index",
    "DROP TABLE search_progress",
    "DROP TABLE artifacts",
    "DROP TABLE plans",
    "DROP TABLE anchors",
    "DROP TABLE cards",
    "DROP TABLE focus",
    "ALTER TABLE tasks DROP COLUMN verification",
    "ALTER TABLE tasks DROP COLUMN definition_of_done",
    "DROP TABLE runners",
    "DROP TABLE jobs",
    "DROP INDEX log_by_job",
    "ALTER TABLE log DROP COLUMN job",
];

fn go_back_to_five(place: &Place) {
    let version = match place.backend() {
        Backend::Sqlite => "PRAGMA user_version = 5",
        Backend::Postgres => "UPDATE schema_version SET version = 5",
    };
    take_away(place, BACK_TO_FIVE.iter().chain([&version]));
}

fn go_back_to_four(place: &Place) {
    let version = match place.backend() {
        Backend::Sqlite => "PRAGMA user_version = 4",
        Backend::Postgres => "UPDATE schema_version SET version = 4",
    };
    take_away(place, BACK_TO_FIVE.iter().chain(BACK_TO_FOUR).chain([&version]));
}

fn go_back_to_three(place: &Place) {
    let version = match place.backend() {
        Backend::Sqlite => "PRAGMA user_version = 3",
        Backend::Postgres => "UPDATE schema_version SET version = 3",
    };
    take_away(place, BACK_TO_FIVE.iter().chain(BACK_TO_FOUR).chain(BACK_TO_THREE).chain([&version]));
}

/// Opening it again would bring it up to date, so all is taken away at once.
fn take_away<'a>(place: &Place, statements: impl Iterator<Item = &'a &'static str> + Clone) {
    let gone = place
        .open()
        .write::<_, StoreError>(|tx| statements.clone().try_for_each(|sql| tx.execute(sql, &[], Changes::Any)));
    gone.unwrap();
}

/// What a database is made of, as each engine tells it.
const MADE_OF_IN_SQLITE: &str = "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema ORDER BY name";
const MADE_OF_IN_POSTGRES: &str = "
    SELECT CAST(part AS TEXT)
      FROM (SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default, collation_name) AS part
              FROM information_schema.columns
             WHERE table_schema = 'baton'
             UNION ALL
            SELECT indexdef FROM pg_indexes WHERE schemaname = 'baton'
             UNION ALL
            SELECT concat_ws(' ', CAST(conrelid AS REGCLASS), pg_get_constraintdef(oid))
              FROM pg_constraint
             WHERE connamespace = CAST('baton' AS REGNAMESPACE)) AS parts
     ORDER BY part
";

fn made_of(place: &Place) -> Vec<String> {
    let sql = match place.backend() {
        Backend::Sqlite => MADE_OF_IN_SQLITE,
        Backend::Postgres => MADE_OF_IN_POSTGRES,
    };
    let mut found = Vec::new();
    let told = place.open().read::<_, StoreError>(|tx| {
        tx.query(sql, &[], &mut |row| {
            found.push(row.text(0)?.unwrap_or_default().to_owned());
            Ok(())
        })
    });
    told.unwrap();
    found
}

#[test]
fn what_is_taken_away_leaves_exactly_the_schemas_that_the_embedded_store_had() {
    leaves_exactly(go_back_to_three, &["0001_rooms", "0002_hosts", "0003_agents"]);
    leaves_exactly(go_back_to_four, &["0001_rooms", "0002_hosts", "0003_agents", "0004_jobs"]);
    leaves_exactly(go_back_to_five, &["0001_rooms", "0002_hosts", "0003_agents", "0004_jobs", "0005_bus"]);
}

fn leaves_exactly(go_back: fn(&Place), files: &[&str]) {
    let place = Place::new(Backend::Sqlite);
    drop(place.open());
    go_back(&place);
    let earlier = Connection::open_in_memory().unwrap();
    for file in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/schema/{file}.sqlite.sql"));
        earlier.execute_batch(&fs::read_to_string(path).unwrap()).unwrap();
    }
    let mut names = earlier.prepare(MADE_OF_IN_SQLITE).unwrap();
    let expected: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    // Looked at from outside: opening it would bring it up to date.
    let database = place.data_directory().join(baton_store::DATABASE_FILE);
    #[expect(clippy::disallowed_methods, reason = "nothing of Baton has it open here")]
    let left = Connection::open(database).unwrap();
    let mut names = left.prepare(MADE_OF_IN_SQLITE).unwrap();
    let found: Vec<String> = names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(found, expected);
}

/// All that the third schema has of a room.
#[derive(Debug, PartialEq)]
struct Whole {
    room: Room,
    log: Vec<Recorded>,
    scopes: Rows<Reservation>,
    tasks: Rows<Task>,
    focus: Rows<Focus>,
    inbox: Rows<Item>,
    former: Vec<Former>,
}

fn everything(store: &Store) -> (Vec<Whole>, Vec<Kept>) {
    let rooms_of = |tx: &mut dyn Tx| {
        let mut found = Vec::new();
        for id in rooms::all(tx)? {
            found.push(Whole {
                room: rooms::load(tx, &id)?.unwrap(),
                log: log::after(tx, &id, Seq(0), u32::MAX)?,
                scopes: all(tx, &id)?.into_iter().collect(),
                tasks: all(tx, &id)?.into_iter().collect(),
                focus: all(tx, &id)?.into_iter().collect(),
                inbox: all(tx, &id)?.into_iter().collect(),
                former: former::all(tx, &id)?,
            });
        }
        Ok::<_, StoreError>(found)
    };
    store.read(|tx| Ok::<_, StoreError>((rooms_of(tx)?, idempotency::after(tx, None, 99)?))).unwrap()
}

/// Two rooms, one of them closed, with everything that agents could have before there were jobs.
fn collaborate<'a>(app: &'a TestApp, gone: &Agent<'_>) -> Agent<'a> {
    let [ana, bo] = app.joined(["ana", "bo"]);
    let closer = app.agent("cy");
    app.workspace().file("closed/AGENTS.md", "# A workspace\n");
    closer.join_at("closed");
    closer.does("room.close", json!({"expected_turn_id": 0, "reason": "done"}));
    ana.does("agent.register", json!({"name": "amber-otter", "role": "builder"}));
    ana.does("scope.reserve", json!({"scopes": ["src/*", "it's a \"dir\""], "bead_id": "bb-u6f.6.3"}));
    ana.does("scope.release", json!({"scopes": ["it's a \"dir\""]}));
    for title in ["open", "under way — «…»"] {
        ana.does("tasks.create", json!({"title": title, "scopes": ["src"]}));
    }
    ana.does("tasks.start", json!({"task": "TASK-002"}));
    let message = json!({"to": bo.id(), "category": "HANDOFF", "subject": "x", "summary": "s", "next_action": "n"});
    let message = ana.does("inbox.send", message)["message"].clone();
    bo.does("inbox.ack", json!({"message": message, "note": "mi\u{0}\u{0}ne \\u0000"}));
    ana.does("room.note", json!({"text": "a zebra", "idempotency_key": "k"}));
    ana.release(&ana.claim());
    let told = app.place().open().write::<_, StoreError>(|tx| {
        hosts::booted(tx, "afar", &gone.process().boot_id, app.now())?;
        hosts::departed(tx, &gone.process(), Proof::Exited, app.now())
    });
    told.unwrap();
    ana
}

#[test]
fn a_store_of_the_third_schema_keeps_everything_and_gains_jobs() {
    on_every_backend(|app| {
        let gone = app.agent_elsewhere("gone", "afar");
        let ana = collaborate(&app, &gone);
        let (before, newest) = (everything(&app.place().open()), made_of(app.place()));
        let parts: Vec<_> = before
            .0
            .iter()
            .map(|whole| {
                let Whole { scopes, tasks, inbox, former, .. } = whole;
                [scopes.iter().count(), tasks.iter().count(), inbox.iter().count(), former.len()]
            })
            .collect();
        assert!(parts.contains(&[2, 2, 1, 1]), "{parts:?}");
        assert_eq!(before.1.len(), 1);

        go_back_to_three(app.place());
        let store = app.place().open();
        assert_eq!(store.info().unwrap().schema, SCHEMA_VERSION);
        assert_eq!(everything(&store), before);
        assert_eq!(made_of(app.place()), newest, "it is made of what a fresh one is made of");
        let proof = store
            .read::<_, StoreError>(|tx| Ok(hosts::testimony(tx, &[&gone.process()])?.of(&gone.process())))
            .unwrap();
        assert_eq!(proof, Some(Proof::Exited));
        assert!(store.check().unwrap().iter().all(|check| check.problem.is_none()));
        for Whole { room, .. } in &before.0 {
            let gained = store.read::<_, StoreError>(|tx| {
                let (jobs, runners) = (all::<Job>(tx, &room.id)?.len(), all::<Runner>(tx, &room.id)?.len());
                let (cards, anchors) = (all::<Card>(tx, &room.id)?.len(), all::<Anchor>(tx, &room.id)?.len());
                let (plans, artifacts) = (all::<Plan>(tx, &room.id)?.len(), all::<Artifact>(tx, &room.id)?.len());
                Ok(([jobs, runners, cards, anchors, plans, artifacts], search::progress(tx, &room.id)?))
            });
            assert_eq!(gained.unwrap(), ([0; 6], Seq(0)));
        }

        // What was there before is found, and what is new works on it.
        let app = app.beside();
        let ana = ana.through(&app);
        let found = ana.does("tasks.search", json!({"query": "zebra"}));
        assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{found}");
        ana.does("jobs.create", json!({"title": "t", "prompt": "p", "task": "TASK-001"}));
        assert_eq!(ana.does("jobs.list", json!({"task": "TASK-001"}))["jobs"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn a_store_of_the_fourth_schema_keeps_everything_and_gains_the_bus() {
    on_every_backend(|app| {
        let ana = collaborate(&app, &app.agent_elsewhere("gone", "afar"));
        ana.does("jobs.create", json!({"title": "t", "prompt": "p", "task": "TASK-001"}));
        let (before, newest) = (everything(&app.place().open()), made_of(app.place()));
        go_back_to_four(app.place());
        let store = app.place().open();
        assert_eq!(store.info().unwrap().schema, SCHEMA_VERSION);
        assert_eq!(everything(&store), before);
        assert_eq!(made_of(app.place()), newest, "it is made of what a fresh one is made of");
        for Whole { room, .. } in &before.0 {
            assert_eq!(room.name, None);
            let gained = store.read::<_, StoreError>(|tx| {
                let (actions, tasks) = (all::<Action>(tx, &room.id)?.len(), all::<bus::Task>(tx, &room.id)?.len());
                let conversations = all::<Conversation>(tx, &room.id)?.len();
                Ok([actions, conversations, tasks, all::<bus::Connection>(tx, &room.id)?.len()])
            });
            assert_eq!(gained.unwrap(), [0; 4]);
        }

        // What is new works on what was there before.
        let app = app.beside();
        let ana = ana.through(&app);
        assert_eq!(ana.does("jobs.list", json!({}))["jobs"].as_array().unwrap().len(), 1);
        ana.does("bus.rename", json!({"name": "the workspace"}));
        let actions = json!([{
            "type": "message", "dst": "bo", "action_id": "a1", "action_index": 0, "kind": "user", "text": "hello",
        }]);
        ana.does("bus.submit", json!({"group_id": "g", "actions": actions}));
        let listed = ana.does("bus.actions", json!({"group_id": "g"}));
        assert_eq!(listed["actions"].as_array().unwrap().len(), 1, "{listed}");
    });
}

#[test]
fn a_store_of_the_fifth_schema_keeps_everything_and_what_managers_said_is_in_the_inboxes_of_jobs() {
    on_every_backend(|app| {
        let ana = collaborate(&app, &app.agent_elsewhere("gone", "afar"));
        ana.does("jobs.create", json!({"title": "t", "prompt": "p"}));
        ana.does("jobs.message", json!({"job": "JOB-001", "message": "begin with the tests"}));
        let (before, newest) = (everything(&app.place().open()), made_of(app.place()));
        let said = |whole: &Whole| whole.inbox.iter().filter(|item| item.category == Category::Manager).count();
        assert_eq!(before.0.iter().map(said).sum::<usize>(), 1);
        go_back_to_five(app.place());
        let store = app.place().open();
        assert_eq!(store.info().unwrap().schema, SCHEMA_VERSION);
        assert_eq!(everything(&store), before);
        assert_eq!(made_of(app.place()), newest, "it is made of what a fresh one is made of");
    });
}
