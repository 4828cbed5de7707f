//! What these tests share.

use std::path::Path;

use baton_core::{
    ids::RoomId,
    room::{Event, Noted, Room},
};
use baton_store::{Hints, Location, Store, StoreError, clock::Time, engine::Bell, rooms};
use baton_testkit::{Place, Scribe};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The store at an address.
pub(crate) fn open(url: &str) -> Store {
    Store::open(&location(url), Time::Own).unwrap()
}

pub(crate) fn location(url: &str) -> Location {
    Location::parse(url, Path::new("/"), &Hints::default()).unwrap()
}

/// The address with another user in it.
pub(crate) fn url_as(url: &str, user: &str) -> String {
    let (_, rest) = url.split_once('@').unwrap();
    format!("postgres://{user}@{rest}")
}

pub(crate) fn note(text: &str) -> Event {
    Event::Noted(Noted { text: text.to_owned() })
}

pub(crate) fn room_id() -> RoomId {
    "room_1".parse().unwrap()
}

/// A room for these tests to write to.
pub(crate) fn open_room(store: &Store) -> Room {
    Scribe::new("ana").opens(store, "room_1", "/repo")
}

/// Notes `text` in the room, after `inside` was called in the transaction, and tells how often the work ran.
pub(crate) fn notes(store: &Store, text: &str, mut inside: impl FnMut(u32)) -> Result<u32, StoreError> {
    let mut runs = 0;
    store.write::<_, StoreError>(|tx| {
        runs += 1;
        let room = rooms::load(tx, &room_id())?.unwrap();
        inside(runs);
        Scribe::new("ana").writes_in(tx, &room, note(text)).map(drop)
    })?;
    Ok(runs)
}

/// How often `text` was noted. The log must have no gap.
pub(crate) fn times_noted(store: &Store, text: &str) -> usize {
    let log = Scribe::new("ana").log(store, &room_id()).unwrap();
    let seqs: Vec<u64> = log.iter().map(|recorded| recorded.seq.0).collect();
    assert_eq!(seqs, (1..=log.len() as u64).collect::<Vec<_>>());
    log.iter().filter(|recorded| recorded.event == note(text).into()).count()
}

/// What a read of the room gives.
pub(crate) fn reads(store: &Store) -> Result<Option<Room>, StoreError> {
    Scribe::new("ana").reads(store, &room_id())
}

fn rings_within(bell: &dyn Bell, seconds: i64) -> bool {
    let fd = bell.fd();
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    poll(&mut fds, Some(&Timespec { tv_sec: seconds, tv_nsec: 0 })).unwrap() == 1
}

/// Whether the bell rings; it has twenty seconds, and needs a moment.
pub(crate) fn rings(bell: &dyn Bell) -> bool {
    rings_within(bell, 20)
}

pub(crate) fn silent(bell: &dyn Bell) -> bool {
    !rings_within(bell, 0)
}

/// Ends every session of the database, as an administrator would.
pub(crate) fn end_all_sessions(place: &Place) {
    place.sql(
        "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
}

/// Returns once a session of the database waits for another one's lock.
pub(crate) fn until_one_waits(place: &Place) {
    let waiting = "SELECT count(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'";
    assert!((0..1000).any(|_| place.sql(waiting) != "0"), "nobody waits");
}

/// The server's clock.
pub(crate) fn server_time(place: &Place) -> i64 {
    place.sql("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint").parse().unwrap()
}
