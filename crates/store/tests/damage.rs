//! Databases that are not what they should be: newer, someone else's, damaged, replaced.
//! Each is told apart, and none is touched.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::{fs, path::Path};

use baton_core::{code::ErrorCode, ids::Seq, room::Room};
use baton_store::{SCHEMA_VERSION, Store, StoreError, log};
use baton_testkit::{Backend, Place, Scribe, TestApp, handoff, open_in};
use rusqlite::Connection;
use serde_json::json;

/// Does to the database what Baton never would.
fn tamper(database: &Path, sql: &str) {
    #[expect(clippy::disallowed_methods, reason = "a test does what only another program would")]
    let connection = Connection::open(database).unwrap();
    connection.execute_batch(sql).unwrap();
}

fn code<T>(result: Result<T, StoreError>) -> Option<ErrorCode> {
    result.err().map(|error| error.code())
}

/// A store with a room in it, and the path of its database.
fn store_with_room(place: &Place) -> (Store, Room, std::path::PathBuf) {
    let store = place.open();
    let room = Scribe::new("ana").opens(&store, "room_1", "/repo");
    (store, room, place.data_directory().join(baton_store::DATABASE_FILE))
}

#[test]
fn a_newer_schema_is_read_and_not_written() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let (open_since_before, room, database) = store_with_room(&place);
    tamper(&database, &format!("PRAGMA user_version = {}; CREATE TABLE novelty (x TEXT) STRICT", SCHEMA_VERSION + 1));
    let opened_after = place.open();
    for store in [&open_since_before, &opened_after] {
        assert_eq!(scribe.reads(store, &room.id).unwrap(), Some(room.clone()));
        assert_eq!(scribe.log(store, &room.id).unwrap().len(), 2);
        let error = scribe.notes(store, &room, "no").unwrap_err();
        assert_eq!(error.code(), ErrorCode::StoreNewer);
        assert_eq!(
            error.to_string(),
            format!(
                "the store has schema {}; this Baton knows up to {SCHEMA_VERSION} and will not write to it",
                SCHEMA_VERSION + 1
            )
        );
        assert_eq!(scribe.log(store, &room.id).unwrap().len(), 2, "nothing was changed");
        let info = store.info().unwrap();
        assert_eq!((info.schema, info.read_only), (SCHEMA_VERSION + 1, true));
    }
}

#[test]
fn a_store_that_lost_its_journal_mode_gets_it_back() {
    let place = Place::new(Backend::Sqlite);
    drop(place.open());
    let database = place.data_directory().join("rooms.sqlite");
    // Bytes 18 and 19 of the header tell who can read and write the file: 1 is a rollback journal, 2 the write-ahead log.
    let versions = || fs::read(&database).unwrap()[18..20].to_vec();
    tamper(&database, "PRAGMA journal_mode = DELETE");
    assert_eq!(versions(), [1, 1], "as a backup made by VACUUM INTO has it");
    drop(place.open());
    assert_eq!(versions(), [2, 2]);
}

#[test]
fn another_programs_database_is_refused_and_untouched() {
    for sql in [
        "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')",
        "PRAGMA application_id = 252006673; CREATE TABLE bookmarks (url TEXT)",
        "PRAGMA user_version = 1; CREATE TABLE bookmarks (url TEXT)",
        "PRAGMA user_version = 9",
    ] {
        let place = Place::new(Backend::Sqlite);
        fs::create_dir(place.data_directory()).unwrap();
        let database = place.data_directory().join(baton_store::DATABASE_FILE);
        tamper(&database, sql);
        let before = fs::read(&database).unwrap();
        let error = open_in(&place.data_directory()).err().unwrap();
        assert_eq!(error.code(), ErrorCode::StoreCorrupt, "{sql}");
        assert!(error.to_string().contains("another program"), "{error}");
        assert_eq!(fs::read(&database).unwrap(), before);
        assert_eq!(fs::read_dir(place.data_directory()).unwrap().count(), 1, "and nothing is left beside it");
    }
}

#[test]
fn a_file_that_is_no_database_is_refused_and_untouched() {
    for garbage in [b"not a database at all".repeat(500), vec![0; 100], vec![0xff; 8192]] {
        let place = Place::new(Backend::Sqlite);
        fs::create_dir(place.data_directory()).unwrap();
        let database = place.data_directory().join(baton_store::DATABASE_FILE);
        fs::write(&database, &garbage).unwrap();
        assert_eq!(code(open_in(&place.data_directory())), Some(ErrorCode::StoreCorrupt), "{}", garbage.len());
        assert_eq!(fs::read(&database).unwrap(), garbage);
    }
}

/// A closed store with enough in it that its tables have many pages.
fn large_store(place: &Place) -> std::path::PathBuf {
    let scribe = Scribe::new("ana");
    let (store, mut room, database) = store_with_room(place);
    for _ in 0..40 {
        room = scribe.notes(&store, &room, &"x".repeat(2000)).unwrap();
    }
    drop(store);
    database
}

/// What is wrong according to everything that looks: opening, reading and checking.
fn looked_over(place: &Place) -> Vec<ErrorCode> {
    let store = match open_in(&place.data_directory()) {
        Ok(store) => store,
        Err(error) => return vec![error.code()],
    };
    let scribe = Scribe::new("ana");
    let room = "room_1".parse().unwrap();
    let mut found: Vec<ErrorCode> = Vec::new();
    found.extend(code(scribe.reads(&store, &room)));
    found.extend(code(scribe.log(&store, &room)));
    match store.check() {
        Ok(checks) => {
            found.extend(checks.iter().any(|check| check.problem.is_some()).then_some(ErrorCode::StoreCorrupt))
        }
        Err(error) => found.push(error.code()),
    }
    found
}

#[test]
fn damaged_pages_are_found_and_untouched() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 3] = [
        ("flipped bits", |bytes| bytes[8192..].iter_mut().for_each(|byte| *byte ^= 0xff)),
        ("zeroed pages", |bytes| bytes[8192..].fill(0)),
        ("cut in half", |bytes| bytes.truncate(bytes.len() / 2)),
    ];
    for (what, damage) in damages {
        let place = Place::new(Backend::Sqlite);
        let database = large_store(&place);
        assert_eq!(looked_over(&place), [], "it is sound");
        let mut bytes = fs::read(&database).unwrap();
        assert!(bytes.len() > 60_000);
        damage(&mut bytes);
        fs::write(&database, &bytes).unwrap();
        let found = looked_over(&place);
        assert!(!found.is_empty() && found.iter().all(|code| *code == ErrorCode::StoreCorrupt), "{what}: {found:?}");
        assert_eq!(fs::read(&database).unwrap(), bytes, "{what}");
    }
}

#[test]
fn a_row_that_cannot_be_read_is_named() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let (store, room, database) = store_with_room(&place);
    tamper(&database, "UPDATE log SET payload = '{}' WHERE seq = 2");
    let error = scribe.log(&store, &room.id).unwrap_err();
    assert_eq!(error.code(), ErrorCode::StoreCorrupt);
    assert!(error.to_string().starts_with("row room_1@2 of log cannot be read"), "{error}");
    tamper(&database, "UPDATE rooms SET policy = 'no'");
    let error = scribe.reads(&store, &room.id).unwrap_err();
    assert!(error.to_string().starts_with("row room_1 of rooms cannot be read"), "{error}");
}

#[test]
fn a_database_deleted_while_it_is_open_is_noticed_by_reads_and_writes() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let (store, room, database) = store_with_room(&place);
    fs::remove_file(&database).unwrap();
    assert_eq!(code(scribe.reads(&store, &room.id)), Some(ErrorCode::StoreReplaced));
    assert_eq!(code(scribe.notes(&store, &room, "into a ghost")), Some(ErrorCode::StoreReplaced));
    assert!(!database.exists(), "it is not made again behind anybody's back");
}

#[test]
fn a_database_replaced_while_it_is_open_is_noticed_and_the_new_one_is_unharmed() {
    let (place, other) = (Place::new(Backend::Sqlite), Place::new(Backend::Sqlite));
    let scribe = Scribe::new("ana");
    let (store, room, database) = store_with_room(&place);
    let (elsewhere, new_room, new_database) = store_with_room(&other);
    let new_room = scribe.notes(&elsewhere, &new_room, "newer").unwrap();
    drop(elsewhere);
    fs::rename(&new_database, &database).unwrap();
    assert_eq!(code(scribe.reads(&store, &room.id)), Some(ErrorCode::StoreReplaced));
    assert_eq!(code(scribe.notes(&store, &room, "into a ghost")), Some(ErrorCode::StoreReplaced));
    drop(store);
    // The old write-ahead log belongs to the old file. Who replaces a database removes it too.
    for beside in ["rooms.sqlite-wal", "rooms.sqlite-shm"] {
        let _ = fs::remove_file(place.data_directory().join(beside));
    }
    let store = place.open();
    assert_eq!(scribe.reads(&store, &room.id).unwrap(), Some(new_room));
}

#[test]
fn a_gap_in_the_log_shows_in_its_places() {
    let place = Place::new(Backend::Sqlite);
    let scribe = Scribe::new("ana");
    let (store, room, database) = store_with_room(&place);
    let room = scribe.notes(&store, &room, "one").unwrap();
    let room = scribe.notes(&store, &room, "two").unwrap();
    tamper(&database, "DELETE FROM log WHERE seq = 3");
    let seqs: Vec<Seq> = scribe.log(&store, &room.id).unwrap().iter().map(|recorded| recorded.seq).collect();
    assert_eq!(seqs, [Seq(1), Seq(2), Seq(4)]);
    assert_eq!(store.read::<_, StoreError>(|tx| log::find(tx, &room.id, Seq(3))).unwrap(), None);
}

#[test]
fn an_edit_in_the_log_shows_when_it_is_folded() {
    let app = TestApp::open(Backend::Sqlite);
    let [codex, _claude, _gemini] = app.joined(["codex", "claude", "gemini"]);
    codex.does("stick.release", codex.claim().showing(json!({"handoff": handoff("done")})));
    let room = codex.room();
    assert_eq!(app.folded(&room), app.stored(&room));
    let database = app.place().data_directory().join(baton_store::DATABASE_FILE);
    tamper(
        &database,
        "UPDATE log SET payload = replace(payload, '\"claude\"', '\"gemini\"') WHERE type = 'stick.release'",
    );
    assert_ne!(app.folded(&room), app.stored(&room));
}
