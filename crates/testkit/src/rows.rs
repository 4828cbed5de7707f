//! Rows and events in a store, for tests of its tables: two rooms, what is put there, and what is read back.

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq},
    part::Rows,
    process::ProcessIdentity,
    time::Timestamp,
};
use baton_store::{
    Store, StoreError,
    engine::Tx,
    log,
    table::{self, Table},
};

use crate::{Scribe, on_every_place};

/// Text that is hard on quoting, encodings and sorting.
pub const ODD: &str = "it's \"ünïcode\" ✓ \\ %_ ?1 $1 漢字 \u{1f9d1}\u{200d}\u{1f4bb}\n\t\u{1}";

/// The agent of this name.
pub fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

/// A moment.
pub fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// A process whose numbers use every bit they have.
pub fn process() -> ProcessIdentity {
    ProcessIdentity {
        keeps: None,
        host_id: "host_1".to_owned(),
        boot_id: "boot".to_owned(),
        pid_namespace: u64::MAX,
        pid: u32::MAX,
        start_ticks: u64::MAX,
        pidfd_inode: Some(u64::MAX - 1),
        process_started_at: at(-1),
    }
}

/// Plays a story on every engine, on a store with two rooms, so that rows of one are seen not to be the other's.
pub fn on_two_rooms(story: impl Fn(&Store, &RoomId, &RoomId)) {
    on_every_place(|place| {
        let store = place.open();
        let rooms = [("room_1", "/one"), ("room_2", "/two")];
        let [one, two] = rooms.map(|(id, path)| Scribe::new("ana").opens(&store, id, path).id);
        story(&store, &one, &two);
    });
}

/// Reads in a transaction of its own.
pub fn read<T>(store: &Store, mut work: impl FnMut(&mut dyn Tx) -> Result<T, StoreError>) -> T {
    store.read(|tx| work(tx)).unwrap()
}

/// Writes in a transaction of its own.
pub fn write(store: &Store, mut work: impl FnMut(&mut dyn Tx) -> Result<(), StoreError>) {
    store.write(|tx| work(tx)).unwrap();
}

/// Stores rows of a room that has none of them yet.
pub fn put<T: Table>(store: &Store, room: &RoomId, rows: &Rows<T>) {
    write(store, |tx| table::insert(tx, room, rows.iter()));
}

/// Stores what differs from how it is stored.
pub fn save<T: Table>(store: &Store, room: &RoomId, rows: &Rows<T>) {
    write(store, |tx| table::save(tx, room, &mut rows.clone()));
}

/// Every row of a room.
pub fn all<T: Table>(store: &Store, room: &RoomId) -> Rows<T> {
    read(store, |tx| table::all(tx, room)).into_iter().collect()
}

/// The row with a key.
pub fn find<T: Table>(store: &Store, room: &RoomId, key: &T::Key) -> Option<T> {
    read(store, |tx| table::find(tx, room, key))
}

/// Fails unless a log on every engine gives these events back as they were written, one by one and all together.
pub fn assert_events_are_read_back(events: &[Event]) {
    on_every_place(|place| {
        let store = place.open();
        let room = Scribe::new("ana").opens(&store, "room_1", "/repo");
        let recorded = |(number, event): (usize, &Event)| Recorded {
            seq: Seq(room.last_seq.0 + 1 + number as u64),
            ..room.record(at(number as i64), agent("ana"), event.clone())
        };
        let written: Vec<Recorded> = events.iter().enumerate().map(recorded).collect();
        for recorded in &written {
            write(&store, |tx| log::append(tx, recorded));
            assert_eq!(read(&store, |tx| log::find(tx, &room.id, recorded.seq)).as_ref(), Some(recorded));
        }
        assert_eq!(read(&store, |tx| log::after(tx, &room.id, room.last_seq, 999)), written);
    });
}
