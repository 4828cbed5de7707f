//! A copy of a store is the same store: everything is there, everything works, and nothing is half-done.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::sync::Arc;

use baton_app::{
    App, Failure,
    clock::Time,
    copy::{self, Progress, Report, Stage},
    doctor,
    environment::Environment,
    table,
};
use baton_core::{
    agent::Former,
    code::ErrorCode,
    event::Recorded,
    ids::{RoomId, Seq},
    inbox::Item,
    part::{Part, Rows},
    process::{ProcessIdentity, Proof},
    room::Room,
    scope::Reservation,
    task::Task,
    time::Timestamp,
};
use baton_store::{Store, StoreError, engine::Changes, engine::Tx, hosts, idempotency, log, rooms, table as stored};
use baton_testkit::{Agent, Backend, ManualClock, Place, SequentialIds, TestApp, handoff};
use serde_json::{Value, json};

/// Every way there is: between engines, and from one store of an engine to another.
fn on_every_pair(story: impl Fn(TestApp, Place)) {
    for from in Backend::ALL {
        for to in Backend::ALL {
            story(TestApp::open(*from), Place::new(*to));
        }
    }
}

fn open(place: &Place) -> App {
    let time = Time::Told(Arc::new(ManualClock::new()));
    let environment = Environment::of([("HOME", "/nowhere")], "/");
    App::open(&place.location(), environment, time, Box::new(SequentialIds::default())).unwrap()
}

fn copy(from: &TestApp, to: &Place) -> Result<Report, Failure> {
    copy::copy(&open(from.place()), &open(to), &mut |_| {})
}

/// Has `agent` call a command, about the room it is in, in the store at `place`.
fn call_in(place: &Place, agent: &Agent<'_>, command: &str, mut input: Value) -> Value {
    input["room_id"] = agent.room().as_str().into();
    let answer = table::find(command).unwrap().run(&open(place), agent.caller(), input);
    answer.unwrap_or_else(|failure| panic!("{command}: {failure}"))
}

/// A room with all that is stored of it, presence and leases included.
#[derive(Debug, PartialEq)]
struct Whole {
    room: Room,
    log: Vec<Recorded>,
    scopes: Rows<Reservation>,
    tasks: Rows<Task>,
    inbox: Rows<Item>,
    former: Rows<Former>,
}

fn rows<T: stored::Table>(tx: &mut dyn Tx, room: &RoomId) -> Result<Rows<T>, StoreError> {
    Ok(stored::all(tx, room)?.into_iter().collect())
}

fn count<P: Part>(rows: &Rows<P>) -> usize {
    rows.iter().count()
}

/// All rooms.
fn everything(store: &Store) -> Vec<Whole> {
    let read = store.read::<_, StoreError>(|tx| {
        let mut found = Vec::new();
        for id in rooms::all(tx)? {
            found.push(Whole {
                room: rooms::load(tx, &id)?.unwrap(),
                log: log::after(tx, &id, Seq(0), u32::MAX)?,
                scopes: rows(tx, &id)?,
                tasks: rows(tx, &id)?,
                inbox: rows(tx, &id)?,
                former: rows(tx, &id)?,
            });
        }
        Ok(found)
    });
    read.unwrap()
}

fn rooms_in(place: &Place) -> Vec<RoomId> {
    place.open().read::<_, StoreError>(rooms::all).unwrap()
}

/// Does to a store what Baton never would.
fn tamper(place: &Place, sql: &'static str) {
    place.open().write::<_, StoreError>(|tx| tx.execute(sql, &[], Changes::Any)).unwrap();
}

fn process() -> ProcessIdentity {
    ProcessIdentity {
        keeps: None,
        host_id: "afar".to_owned(),
        boot_id: "second".to_owned(),
        pid_namespace: u64::MAX,
        pid: 7,
        start_ticks: 8,
        pidfd_inode: Some(u64::MAX - 1),
        process_started_at: Timestamp::from_millis(9),
    }
}

/// A room that is held, one that is kept for somebody, one that was closed, and a free one with a long log, in which
/// paths are reserved and messages wait.
struct Cast<'a> {
    holder: Agent<'a>,
    turn: baton_testkit::Turn,
    recipient: Agent<'a>,
    /// Has scopes and a task in the busy room.
    worker: Agent<'a>,
    /// Has not read its message there.
    reader: Agent<'a>,
}

/// Two agents with everything that agents can have: scopes of every sort, tasks, messages on every rung, and names
/// that are not in use any more.
fn collaborate(worker: &Agent<'_>, reader: &Agent<'_>, leaver: &Agent<'_>, app: &TestApp) {
    worker.does("scope.reserve", json!({"scopes": ["brief"], "ttl_minutes": 5}));
    app.later_minutes(5);
    worker.does("agent.register", json!({"name": "amber-otter", "role": "builder"}));
    worker.does("scope.reserve", json!({"scopes": ["src/*", "it's a \"dir\""], "bead_id": "bb-u6f.6.3"}));
    worker.does("scope.release", json!({"scopes": ["it's a \"dir\""]}));
    reader.refused("scope.reserve", json!({"scopes": ["src/lib"]}));
    for (number, title) in ["open", "under way", "done — «…»"].iter().enumerate() {
        let task = format!("TASK-{:03}", number + 1);
        worker.does("tasks.create", json!({"title": title, "scopes": ["src"]}));
        (number > 0).then(|| worker.does("tasks.start", json!({"task": task})));
        (number > 1).then(|| worker.does("tasks.done", json!({"task": task})));
    }
    let send = |subject: &str| {
        let input =
            json!({"to": reader.id(), "category": "HANDOFF", "subject": subject, "summary": "s", "next_action": "n"});
        worker.does("inbox.send", input)["message"].clone()
    };
    let (accepted, seen) = (send("accepted"), send("seen"));
    reader.does("inbox.ack", json!({"message": accepted, "note": "mine"}));
    reader.does("inbox.read", json!({"message": seen}));
    send("queued");
    leaver.does("scope.reserve", json!({"scopes": ["docs"]}));
    leaver.does("room.leave", json!({}));
}

fn play(app: &TestApp) -> Cast<'_> {
    for room in ["held", "kept", "closed", "busy"] {
        app.workspace().file(&format!("{room}/AGENTS.md"), "# A workspace\n");
    }
    let at = |name: &str, path: &str| {
        let agent = app.agent(name);
        agent.join_at(path);
        agent
    };
    let closer = at("ana", "closed");
    closer.does("room.close", json!({"expected_turn_id": 0, "reason": "done"}));
    at("ana", "closed");

    let (giver, recipient) = (at("ana", "kept"), at("bo", "kept"));
    giver.release(&giver.claim());

    let (worker, reader, leaver) = (at("cy", "busy"), at("dee", "busy"), at("eve", "busy"));
    collaborate(&worker, &reader, &leaver, app);
    let busy = &worker;
    (0..450).for_each(|number| drop(busy.does("room.note", json!({"text": format!("note {number} — «…»")}))));

    let holder = app.living_agent("ana");
    holder.join_at("held");
    at("bo", "held");
    let turn = holder.claim();
    holder.does("room.note", json!({"text": "once", "idempotency_key": "k"}));
    holder.does("stick.heartbeat", turn.showing(json!({"idempotency_key": "beat"})));

    let told = app.place().open().write::<_, StoreError>(|tx| {
        hosts::booted(tx, "afar", "second", app.now())?;
        hosts::departed(tx, &process(), Proof::Exited, app.now())
    });
    told.unwrap();
    Cast { holder, turn, recipient, worker, reader }
}

#[test]
fn a_copy_has_everything_and_is_sound() {
    on_every_pair(|app, target| {
        play(&app);
        let report = copy(&app, &target).unwrap();
        assert_eq!((report.rooms, report.first_answers, report.machines), (5, 2, 2), "this machine spoke too");
        let (source, copied) = (app.place().open(), target.open());
        let whole = everything(&source);
        assert_eq!(everything(&copied), whole);
        let parts =
            |whole: &Whole| [count(&whole.scopes), count(&whole.tasks), count(&whole.inbox), count(&whole.former)];
        assert!(
            whole.iter().any(|room| parts(room) == [4, 3, 3, 2]),
            "{:?}",
            whole.iter().map(parts).collect::<Vec<_>>()
        );
        let events: usize = whole.iter().map(|room| room.log.len()).sum();
        assert_eq!(report.events, events as u64);
        let answers = |store: &Store| store.read::<_, StoreError>(|tx| idempotency::after(tx, None, 10)).unwrap();
        assert_eq!(answers(&copied), answers(&source));
        let told = |store: &Store| store.read::<_, StoreError>(hosts::everything).unwrap();
        assert_eq!(told(&copied), told(&source));
        let proof = copied.read::<_, StoreError>(|tx| Ok(hosts::testimony(tx, &[&process()])?.of(&process()))).unwrap();
        assert_eq!(proof, Some(Proof::Exited));
        let found = doctor::examine(&open(&target)).unwrap();
        assert!(found.is_clean(), "{found:?}");
    });
}

#[test]
fn what_was_copied_works() {
    on_every_pair(|app, target| {
        let Cast { holder, turn, recipient, worker, reader } = play(&app);
        let first = holder.does("room.note", json!({"text": "once", "idempotency_key": "k"}));
        copy(&app, &target).unwrap();

        let again = call_in(&target, &holder, "room.note", json!({"text": "once", "idempotency_key": "k"}));
        assert_eq!(again, first, "a retry gets its first answer");
        let released = call_in(&target, &holder, "stick.release", turn.showing(json!({"handoff": handoff("moved")})));
        assert_eq!(released["reserved_for"], "bo", "the holder releases with the lease it was granted before");
        let waited = call_in(&target, &recipient, "stick.wait", json!({"max_wait_ms": 0}));
        assert_eq!((&waited["status"], &waited["handoff"]), (&json!("your_turn"), &handoff("done")));
        let check = json!({"room_id": reader.room(), "paths": ["src/lib/parser.ts"]});
        let refused = table::find("scope.check").unwrap().run(&open(&target), reader.caller(), check);
        assert_eq!(refused.unwrap_err().code, ErrorCode::ReservationConflict, "what was reserved still is");
        assert_eq!(call_in(&target, &reader, "inbox.list", json!({}))["items"].as_array().unwrap().len(), 2);
        assert_eq!(call_in(&target, &worker, "tasks.done", json!({"task": "TASK-002"}))["state"], "done");
        let next = call_in(&target, &worker, "tasks.create", json!({"title": "next"}));
        assert_eq!(next["task"], "TASK-004", "numbers go on");
        assert!(doctor::examine(&open(&target)).unwrap().is_clean());
        assert_eq!(holder.room_state(), "owned", "the source is another store now");
    });
}

#[test]
fn an_empty_store_is_copied_as_one() {
    on_every_pair(|app, target| {
        assert_eq!(copy(&app, &target).unwrap(), Report::default());
    });
}

#[test]
fn a_store_with_rooms_is_not_copied_into() {
    on_every_pair(|app, target| {
        play(&app);
        baton_testkit::Scribe::new("zoe").opens(&target.open(), "room_mine", "/mine");
        let before = everything(&target.open());
        assert_eq!(copy(&app, &target).unwrap_err().code, ErrorCode::StoreNotEmpty);
        assert_eq!(everything(&target.open()), before);
    });
}

#[test]
fn a_source_with_a_bad_row_leaves_nothing_in_the_target() {
    let faults = [
        ("UPDATE log SET payload = 'nonsense' WHERE seq = 400", ErrorCode::StoreCorrupt),
        ("DELETE FROM log WHERE seq = 300", ErrorCode::StoreCorrupt),
        ("UPDATE rooms SET turn_id = turn_id + 1 WHERE state = 'owned'", ErrorCode::StoreCorrupt),
        ("UPDATE members SET session_kind = 'ghost' WHERE agent_id = 'bo'", ErrorCode::StoreCorrupt),
        ("UPDATE departures SET proof = 'hearsay'", ErrorCode::StoreCorrupt),
        ("UPDATE idempotency SET agent_id = ''", ErrorCode::StoreCorrupt),
        ("UPDATE log SET type = 'novelty' WHERE seq = 400", ErrorCode::StoreNewer),
    ];
    for (backend, other) in [(Backend::Sqlite, Backend::Postgres), (Backend::Postgres, Backend::Sqlite)] {
        for (fault, code) in faults {
            let (app, target) = (TestApp::open(backend), Place::new(other));
            play(&app);
            if fault.contains("agent_id = ''") {
                tamper(app.place(), "DELETE FROM idempotency WHERE key = 'beat'");
            }
            tamper(app.place(), fault);
            let failure = copy(&app, &target).err().unwrap_or_else(|| panic!("{fault}: it was copied"));
            assert_eq!(failure.code, code, "{fault}: {failure}");
            assert_eq!(rooms_in(&target), [], "{fault}");
        }
    }
}

#[test]
fn a_source_whose_scopes_tasks_inboxes_or_names_are_not_its_logs_leaves_nothing_in_the_target() {
    let faults = [
        "UPDATE scopes SET owner = 'dee' WHERE ended_at_ms IS NULL",
        "DELETE FROM scopes WHERE ended_at_ms IS NOT NULL",
        "UPDATE tasks SET scopes = 'src'",
        "UPDATE tasks SET state = 'open' WHERE state = 'done'",
        "UPDATE inbox SET category = 'RUMOUR' WHERE seen_at_ms IS NULL",
        "UPDATE inbox SET accepted_at_ms = NULL",
        "DELETE FROM former_names",
    ];
    for (backend, other) in [(Backend::Sqlite, Backend::Postgres), (Backend::Postgres, Backend::Sqlite)] {
        for fault in faults {
            let (app, target) = (TestApp::open(backend), Place::new(other));
            let [worker, reader, leaver] = app.joined(["cy", "dee", "eve"]);
            collaborate(&worker, &reader, &leaver, &app);
            tamper(app.place(), fault);
            let failure = copy(&app, &target).err().unwrap_or_else(|| panic!("{fault}: it was copied"));
            assert_eq!(failure.code, ErrorCode::StoreCorrupt, "{fault}: {failure}");
            assert_eq!(rooms_in(&target), [], "{fault}");
        }
    }
}

#[test]
fn a_source_that_moves_on_meanwhile_is_told_by_its_rooms() {
    on_every_pair(|app, target| {
        let Cast { holder, .. } = play(&app);
        let mut moved = false;
        let outcome = copy::copy(&open(app.place()), &open(&target), &mut |progress| {
            if progress.stage == Stage::Copying && progress.events > 0 && !std::mem::replace(&mut moved, true) {
                holder.does("room.note", json!({"text": "meanwhile"}));
                app.workspace().file("late/AGENTS.md", "# A workspace\n");
                app.agent("dee").join_at("late");
            }
        });
        let failure = outcome.unwrap_err();
        assert_eq!(failure.code, ErrorCode::StoreMoved);
        let late = app.rooms().into_iter().find(|id| app.log(id)[0].actor.as_str() == "dee").unwrap();
        assert_eq!(failure.details["rooms"], json!([late, holder.room()]), "{failure}");
        assert_eq!(rooms_in(&target).len(), 5, "what was seen at first is there, whole");
        assert!(doctor::examine(&open(&target)).unwrap().is_clean());
    });
}

#[test]
fn a_renewed_lease_is_a_move_and_presence_is_none() {
    let (app, target) = (TestApp::open(Backend::Sqlite), Place::new(Backend::Sqlite));
    let Cast { holder, turn, .. } = play(&app);
    let before = app.rooms().len();
    app.later_minutes(1);
    let compare_after = |target: &Place, meanwhile: &dyn Fn()| {
        let mut done = false;
        copy::copy(&open(app.place()), &open(target), &mut |_| {
            if !std::mem::replace(&mut done, true) {
                meanwhile();
            }
        })
    };
    let seen = compare_after(&target, &|| drop(holder.state()));
    assert_eq!(seen.unwrap().rooms, before as u64);
    let renewed = compare_after(&Place::new(Backend::Sqlite), &|| {
        app.later_minutes(1);
        holder.does("stick.heartbeat", turn.showing(json!({})));
    });
    assert_eq!(renewed.unwrap_err().details["rooms"], json!([holder.room()]));
}

#[test]
fn a_source_that_a_newer_baton_wrote_is_not_copied() {
    let (app, target) = (TestApp::open(Backend::Sqlite), Place::new(Backend::Sqlite));
    play(&app);
    tamper(app.place(), "PRAGMA user_version = 99");
    assert_eq!(copy(&app, &target).unwrap_err().code, ErrorCode::StoreNewer);
    assert_eq!(rooms_in(&target), []);
}

#[test]
fn progress_goes_up_to_everything_twice() {
    let (app, target) = (TestApp::open(Backend::Sqlite), Place::new(Backend::Sqlite));
    play(&app);
    let mut said: Vec<Progress> = Vec::new();
    let report = copy::copy(&open(app.place()), &open(&target), &mut |progress| said.push(progress)).unwrap();
    assert!(said.windows(2).all(|pair| {
        pair[0].stage != pair[1].stage || (pair[0].rooms <= pair[1].rooms && pair[0].events <= pair[1].events)
    }));
    for stage in [Stage::Copying, Stage::Comparing] {
        let last = said.iter().rfind(|progress| progress.stage == stage).unwrap();
        assert_eq!((last.rooms, last.rooms_total), (report.rooms, report.rooms), "{stage:?}");
        assert_eq!((last.events, last.events_total), (report.events, report.events), "{stage:?}");
    }
}
