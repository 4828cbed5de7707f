//! Whose time it is: the server's, read after what was waited for.

use std::thread;

use baton_core::time::Timestamp;
use baton_store::{
    Store, StoreError,
    clock::{Clock, SystemClock},
    rooms,
};
use baton_testkit::{Backend, Other, Place};

use super::support::{open_room, room_id, server_time, until_one_waits};

fn time_in_the_room(store: &Store) -> Result<Timestamp, StoreError> {
    store.write(|tx| {
        let early = tx.now()?;
        rooms::load(tx, &room_id())?;
        let now = tx.now()?;
        assert!(now >= early);
        Ok(now)
    })
}

#[test]
fn whoever_waited_for_a_room_decides_by_the_time_after_the_wait() {
    let place = Place::new(Backend::Postgres);
    let store = place.open();
    open_room(&store);
    let mut other = Other::start_at("stays inside a transaction", &place);
    assert_eq!(other.says().as_deref(), Some("inside"));
    thread::scope(|scope| {
        let waiting = scope.spawn(|| time_in_the_room(&store));
        until_one_waits(&place);
        let still_waiting = server_time(&place);
        other.go();
        assert!(waiting.join().unwrap().unwrap().as_millis() >= still_waiting);
    });
}

#[test]
fn whoever_waited_to_be_alone_decides_by_the_time_after_the_wait() {
    let place = Place::new(Backend::Postgres);
    let (store, elsewhere) = (place.open(), place.open());
    thread::scope(|scope| {
        let released = elsewhere.write::<_, StoreError>(|tx| {
            tx.alone("a name")?;
            tx.now()?;
            let waiting = scope.spawn(|| {
                store.write::<_, StoreError>(|tx| {
                    tx.now()?;
                    tx.alone("a name")?;
                    tx.now()
                })
            });
            until_one_waits(&place);
            Ok((server_time(&place), waiting))
        });
        let (still_waiting, waiting) = released.unwrap();
        assert!(waiting.join().unwrap().unwrap().as_millis() >= still_waiting);
    });
}

#[test]
fn a_machine_whose_clock_is_an_hour_slow_goes_by_the_servers() {
    let place = Place::new(Backend::Postgres);
    // In this database, since the machine's own clock is not ours to move.
    place.sql(
        "ALTER FUNCTION pg_catalog.clock_timestamp() RENAME TO machine_timestamp;
         CREATE FUNCTION pg_catalog.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
             AS 'SELECT pg_catalog.machine_timestamp() + interval ''1 hour'''",
    );
    const HALF_AN_HOUR: i64 = 30 * 60 * 1000;
    let store = place.open();
    let before = server_time(&place);
    assert!(before - SystemClock.now().as_millis() > HALF_AN_HOUR);

    let asked = store.now().unwrap();
    assert!((before..=server_time(&place)).contains(&asked.as_millis()));
    let remembered = store.now().unwrap();
    assert!(asked <= remembered && remembered.as_millis() <= server_time(&place));
    let decided = store.write::<_, StoreError>(|tx| tx.now()).unwrap();
    assert!((before..=server_time(&place)).contains(&decided.as_millis()));
    let ahead = store.info().unwrap().server.unwrap().clock_ahead_ms;
    assert!(ahead < -HALF_AN_HOUR, "{ahead}");
}
