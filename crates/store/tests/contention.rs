//! Several writers: one at a time, nobody waits for ever, and what was not committed never was.

use std::thread;

use baton_core::{code::ErrorCode, room::Event, room::Noted};
use baton_store::{Store, StoreError};
use baton_testkit::{Backend, Other, Place, Role, Scribe, on_every_place};

fn note(text: &str) -> Event {
    Event::Noted(Noted { text: text.to_owned() })
}

#[test]
#[ignore = "the other process of the tests in this file"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    let scribe = Scribe::new("other");
    let store = role.open();
    let id = "room_1".parse().unwrap();
    match role.name.as_str() {
        "stays inside a transaction" => {
            let done = store.write::<_, StoreError>(|tx| {
                let room = baton_store::rooms::load(tx, &id)?.unwrap();
                scribe.writes_in(tx, &room, note("never committed"))?;
                role.say("inside");
                role.hear();
                Ok(())
            });
            role.say(if done.is_ok() { "committed" } else { "failed" });
        }
        "writes two hundred notes" => {
            for _ in 0..200 {
                let written = store.write::<_, StoreError>(|tx| {
                    let room = baton_store::rooms::load(tx, &id)?.unwrap();
                    scribe.writes_in(tx, &room, note("one of many"))
                });
                written.unwrap();
            }
        }
        other => panic!("nobody plays {other}"),
    }
}

/// A store with a room, and another process that is inside a write transaction on it.
fn beside_a_writer(place: &Place) -> (Store, baton_core::room::Room, Other) {
    let store = place.open();
    let room = Scribe::new("ana").opens(&store, "room_1", "/repo");
    let mut other = Other::start_at("stays inside a transaction", place);
    assert_eq!(other.says().as_deref(), Some("inside"));
    (store, room, other)
}

#[test]
fn a_stopped_writer_is_named_after_five_seconds_and_reads_do_not_wait_for_it() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let (store, room, mut other) = beside_a_writer(&place);
    other.stop();
    assert_eq!(scribe.reads(&store, &room.id).unwrap(), Some(room.clone()), "a read sees what is committed");
    let writer = store.info().unwrap().writer.unwrap();
    assert!(writer.contains(&format!("process {} ", other.pid())), "{writer}");

    let error = scribe.notes(&store, &room, "no").unwrap_err();
    assert_eq!(error.code(), ErrorCode::StoreBusy);
    let told = error.to_string();
    assert!(told.contains(&format!("process {} ", other.pid())) && told.contains("stopped"), "{told}");

    other.kill();
    let room = scribe.notes(&store, &room, "now").unwrap();
    assert_eq!(scribe.log(&store, &room.id).unwrap().len(), 3);
}

#[test]
fn killing_a_writer_inside_its_transaction_releases_the_lock_and_leaves_nothing() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let (store, mut room, mut other) = beside_a_writer(&place);
    for _ in 0..10 {
        other.kill();
        assert_eq!(scribe.reads(&store, &room.id).unwrap(), Some(room.clone()));
        room = scribe.notes(&store, &room, "at once").unwrap();
        assert!(store.check().unwrap().iter().all(|check| check.problem.is_none()));
        other = Other::start_at("stays inside a transaction", &place);
        assert_eq!(other.says().as_deref(), Some("inside"));
    }
    let seqs: Vec<u64> = scribe.log(&store, &room.id).unwrap().iter().map(|recorded| recorded.seq.0).collect();
    assert_eq!(seqs, (1..=12).collect::<Vec<_>>());
}

#[test]
fn a_writer_waits_for_another_and_then_goes_on() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let (store, room, mut other) = beside_a_writer(&place);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            store.write::<_, StoreError>(|tx| {
                let now = baton_store::rooms::load(tx, &room.id)?.unwrap();
                scribe.writes_in(tx, &now, note("after"))
            })
        });
        other.go();
        assert_eq!(other.says().as_deref(), Some("committed"));
        assert_eq!(waiting.join().unwrap().unwrap().last_seq.0, 4, "it saw what the other had committed");
    });
}

#[test]
fn a_rollback_leaves_nothing() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        let room = scribe.opens(&store, "room_1", "/repo");
        let failed = store.write::<(), StoreError>(|tx| {
            let after = scribe.writes_in(tx, &room, note("one"))?;
            scribe.writes_in(tx, &after, note("two"))?;
            Err(StoreError::BadRow { table: "log", key: "none".to_owned(), detail: "made up".to_owned() })
        });
        assert!(failed.is_err());
        assert_eq!(scribe.reads(&store, &room.id).unwrap(), Some(room.clone()));
        assert_eq!(scribe.log(&store, &room.id).unwrap().len(), 2);
        scribe.notes(&store, &room, "and the next one works").unwrap();
    });
}

#[test]
fn a_panic_inside_a_transaction_leaves_nothing_and_no_lock() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let store = place.open();
        let room = scribe.opens(&store, "room_1", "/repo");
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            store.write::<(), StoreError>(|tx| {
                scribe.writes_in(tx, &room, note("one"))?;
                panic!("made up")
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(scribe.reads(&store, &room.id).unwrap(), Some(room.clone()));
        scribe.notes(&store, &room, "and the next one works").unwrap();
    });
}

#[test]
fn a_read_sees_one_moment_while_others_write() {
    on_every_place(|place| {
        let scribe = Scribe::new("ana");
        let (store, elsewhere) = (place.open(), place.open());
        let room = scribe.opens(&store, "room_1", "/repo");
        let both = store.read::<_, StoreError>(|tx| {
            let before = baton_store::rooms::load(tx, &room.id)?;
            scribe.notes(&elsewhere, &room, "meanwhile")?;
            Ok((before, baton_store::rooms::load(tx, &room.id)?))
        });
        let (before, after) = both.unwrap();
        assert_eq!(before, after);
        assert_ne!(scribe.reads(&store, &room.id).unwrap(), after);
    });
}

#[test]
fn processes_and_threads_that_write_at_once_lose_nothing_and_leave_no_gap() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let store = place.open();
    let room = scribe.opens(&store, "room_1", "/repo");
    let mut others: Vec<Other> = (0..4).map(|_| Other::start_at("writes two hundred notes", &place)).collect();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let written = store.write::<_, StoreError>(|tx| {
                        let now = baton_store::rooms::load(tx, &room.id)?.unwrap();
                        scribe.writes_in(tx, &now, note("one of many"))
                    });
                    written.unwrap();
                }
            });
        }
    });
    assert!(others.iter_mut().all(|other| other.ends().success()));
    let seqs: Vec<u64> = scribe.log(&store, &room.id).unwrap().iter().map(|recorded| recorded.seq.0).collect();
    assert_eq!(seqs, (1..=2 + 8 * 200).collect::<Vec<_>>());
}

#[test]
fn the_write_ahead_log_is_moved_into_the_database_and_does_not_grow_for_ever() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let store = place.open();
    let mut room = scribe.opens(&store, "room_1", "/repo");
    for _ in 0..3000 {
        room = scribe.notes(&store, &room, &"x".repeat(100)).unwrap();
    }
    let info = store.info().unwrap();
    assert!(info.wal_bytes.is_some_and(|bytes| bytes < 8_000_000), "{info:?}");
    assert!(info.database_bytes > 200_000, "{info:?}");
}
