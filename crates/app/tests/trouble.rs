//! A store in trouble, as callers see it.

use std::{sync::mpsc, thread, time::Duration};

use baton_app::{App, clock::Time, environment::Environment};
use baton_core::{code::ErrorCode, ids::RoomId};
use baton_store::{StoreError, engine::Changes};
use baton_testkit::{Backend, Other, Place, Role, SequentialIds, TestApp};
use serde_json::json;

#[test]
#[ignore = "the other process of the tests in this file"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    let store = role.open();
    let done = store.write::<_, StoreError>(|_| {
        role.say("inside");
        role.hear();
        Ok(())
    });
    done.unwrap();
}

#[test]
fn a_read_does_not_wait_for_a_writer_even_when_presence_is_due() {
    let app = TestApp::open(Backend::Sqlite);
    let [codex] = app.joined(["codex"]);
    app.later_minutes(1);
    let mut writer = Other::start("stays inside a transaction", &app.place().data_directory());
    assert_eq!(writer.says().as_deref(), Some("inside"));
    thread::scope(|scope| {
        let (done, answered) = mpsc::channel();
        let codex = &codex;
        scope.spawn(move || {
            codex.state();
            codex.does("room.events", json!({}));
            let _ = done.send(());
        });
        // A writer that is stopped would hold each of them up for the whole deadline of five seconds.
        assert_eq!(answered.recv_timeout(Duration::from_secs(3)), Ok(()), "a read waited for a writer");
    });
}

#[test]
fn a_damaged_store_is_refused_with_its_code_and_what_to_do() {
    let place = Place::new(Backend::Sqlite);
    std::fs::create_dir(place.data_directory()).unwrap();
    std::fs::write(place.data_directory().join(baton_store::DATABASE_FILE), "no database".repeat(100)).unwrap();
    let environment = Environment::of([("HOME", "/nowhere")], "/");
    let failure =
        App::open(&place.location(), environment, Time::Own, Box::new(SequentialIds::default())).err().unwrap();
    assert_eq!(failure.code, ErrorCode::StoreCorrupt);
    assert!(failure.next.contains("baton doctor"), "{}", failure.next);
}

#[test]
fn a_deleted_store_is_told_by_every_command_again_and_again() {
    let app = TestApp::open(Backend::Sqlite);
    let [codex] = app.joined(["codex"]);
    std::fs::remove_file(app.place().data_directory().join(baton_store::DATABASE_FILE)).unwrap();
    for _ in 0..2 {
        for (command, input) in [
            ("room.state", json!({})),
            ("room.note", json!({"text": "into a ghost"})),
            ("stick.wait", json!({"max_wait_ms": 0})),
            ("room.list", json!({})),
        ] {
            assert_eq!(codex.refused(command, input)["error"], "store_replaced", "{command}");
        }
    }
}

#[test]
fn a_store_of_a_newer_baton_is_readable_and_says_why_it_is_not_written() {
    let app = TestApp::open(Backend::Sqlite);
    let [codex] = app.joined(["codex"]);
    let store = app.place().open();
    // Inside a transaction of the store itself, so that this test opens nothing.
    store.write::<_, StoreError>(|tx| tx.execute("PRAGMA user_version = 99", &[], Changes::Any)).unwrap();
    let room: RoomId = codex.room();
    app.later_minutes(1);
    assert_eq!(codex.state()["room"]["room_id"], room.as_str());
    assert_eq!(codex.story(), "create join");
    assert_eq!(codex.refused("room.note", json!({"text": "no"}))["error"], "store_newer");
    assert_eq!(codex.refused("stick.wait", json!({"max_wait_ms": 0}))["error"], "store_newer");
    assert_eq!(codex.story(), "create join");
}
