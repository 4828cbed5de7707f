//! The time of an embedded store: the machine's boot clock, set once per boot by its wall clock.
//!
//! A wall clock jumps: people set it, and a process may be shown another one. So it is read once in a boot, by the
//! first process that writes, and what it said then is kept in the store. From there on all processes count with the
//! boot clock, so that no lease ends early or late. A machine that cannot tell its boot goes by its wall clock.

use std::sync::{Arc, OnceLock};

use baton_core::time::Timestamp;

use crate::{
    StoreError,
    boot_clock::BootClock,
    clock::{Clock, SystemClock, Time},
    engine::{Changes, Param, Tx},
};

/// The clocks of a machine.
pub(super) trait MachineClocks: Send + Sync {
    /// The time that people have set.
    fn wall(&self) -> Timestamp;
    /// The boot that the machine is in.
    fn boot_id(&self) -> Option<&str>;
    /// Milliseconds since that boot.
    fn since_boot(&self) -> i64;
}

struct ThisMachine;

impl MachineClocks for ThisMachine {
    fn wall(&self) -> Timestamp {
        SystemClock.now()
    }

    fn boot_id(&self) -> Option<&str> {
        BootClock::here().map(BootClock::boot_id)
    }

    fn since_boot(&self) -> i64 {
        BootClock::here().map_or(0, BootClock::millis)
    }
}

/// The clock of one open store.
pub(super) enum StoreClock {
    /// A test's.
    Told(Arc<dyn Clock>),
    /// The machine's.
    Machine {
        clocks: Arc<dyn MachineClocks>,
        /// When this boot began, once that is known.
        booted_at: OnceLock<Timestamp>,
    },
}

impl StoreClock {
    pub(super) fn of(time: Time) -> Self {
        match time {
            Time::Own => Self::of_machine(Arc::new(ThisMachine)),
            Time::Told(clock) => Self::Told(clock),
        }
    }

    pub(super) fn of_machine(clocks: Arc<dyn MachineClocks>) -> Self {
        Self::Machine { clocks, booted_at: OnceLock::new() }
    }

    /// The boot whose beginning is not known yet.
    fn unknown_boot(&self) -> Option<(&dyn MachineClocks, &OnceLock<Timestamp>, &str)> {
        match self {
            Self::Machine { clocks, booted_at } if booted_at.get().is_none() => {
                Some((&**clocks, booted_at, clocks.boot_id()?))
            }
            Self::Machine { .. } | Self::Told(_) => None,
        }
    }

    /// Whether a write must set it first.
    pub(super) fn is_unset(&self) -> bool {
        self.unknown_boot().is_some()
    }

    /// Goes by what the store has about this boot, if it has something.
    pub(super) fn look(&self, tx: &mut dyn Tx) -> Result<(), StoreError> {
        if let Some((_, booted_at, boot_id)) = self.unknown_boot()
            && let Some(known) = beginning(tx, boot_id)?
        {
            // Another thread may have found the same.
            let _ = booted_at.set(known);
        }
        Ok(())
    }

    /// Has the store keep when this boot began, unless it does. It is not gone by before that is committed, by a look.
    pub(super) fn set(&self, tx: &mut dyn Tx) -> Result<(), StoreError> {
        let Some((clocks, _, boot_id)) = self.unknown_boot() else { return Ok(()) };
        if beginning(tx, boot_id)?.is_some() {
            return Ok(());
        }
        // A wall clock that was set back, or lost its battery, must not make leases of the last boot longer.
        let now = recorded(tx)?.map_or_else(|| clocks.wall(), |recorded| recorded.max(clocks.wall()));
        let booted_at = now.as_millis().saturating_sub(clocks.since_boot());
        tx.execute(SET, &[boot_id.into(), booted_at.into()], Changes::One("boots"))
    }

    /// How far the wall clock is ahead of the store's time, in milliseconds.
    pub(super) fn wall_is_ahead_by(&self) -> i64 {
        match self {
            Self::Told(_) => 0,
            Self::Machine { clocks, .. } => clocks.wall().as_millis().saturating_sub(self.now().as_millis()),
        }
    }
}

impl Clock for StoreClock {
    fn now(&self) -> Timestamp {
        match self {
            Self::Told(clock) => clock.now(),
            Self::Machine { clocks, booted_at } => match booted_at.get() {
                Some(booted_at) => Timestamp::from_millis(booted_at.as_millis().saturating_add(clocks.since_boot())),
                None => clocks.wall(),
            },
        }
    }
}

const BEGINNING: &str = "
    SELECT booted_at_ms
      FROM boots
     WHERE boot_id = ?1
";

fn beginning(tx: &mut dyn Tx, boot_id: &str) -> Result<Option<Timestamp>, StoreError> {
    time(tx, BEGINNING, &[boot_id.into()])
}

const SET: &str = "
    INSERT INTO boots (boot_id, booted_at_ms)
    VALUES (?1, ?2)
";

/// The last change of any room. Rooms are few, and this is asked once per boot.
const RECORDED: &str = "
    SELECT max(updated_at_ms)
      FROM rooms
";

fn recorded(tx: &mut dyn Tx) -> Result<Option<Timestamp>, StoreError> {
    time(tx, RECORDED, &[])
}

fn time(tx: &mut dyn Tx, sql: &'static str, params: &[Param<'_>]) -> Result<Option<Timestamp>, StoreError> {
    let mut found = None;
    tx.query(sql, params, &mut |row| {
        found = row.int(0)?.map(Timestamp::from_millis);
        Ok(())
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::{
        path::Path,
        sync::{
            Barrier,
            atomic::{AtomicI64, Ordering},
        },
        thread,
    };

    use tempfile::TempDir;

    use super::*;
    use crate::{
        engine::{Engine, Patience, Verdict},
        sqlite::Sqlite,
    };

    const DAY: i64 = 86_400_000;
    const NOON: i64 = 1_800_000_000_000;

    /// A machine whose clocks go when the test says so.
    struct Machine {
        wall: AtomicI64,
        since_boot: AtomicI64,
        boot_id: Option<&'static str>,
    }

    impl Machine {
        fn booted(boot_id: Option<&'static str>, wall: i64, since_boot: i64) -> Arc<Self> {
            Arc::new(Self { wall: wall.into(), since_boot: since_boot.into(), boot_id })
        }

        fn pass(&self, millis: i64) {
            self.wall.fetch_add(millis, Ordering::Relaxed);
            self.since_boot.fetch_add(millis, Ordering::Relaxed);
        }

        fn set_wall(&self, wall: i64) {
            self.wall.store(wall, Ordering::Relaxed);
        }
    }

    impl MachineClocks for Machine {
        fn wall(&self) -> Timestamp {
            Timestamp::from_millis(self.wall.load(Ordering::Relaxed))
        }

        fn boot_id(&self) -> Option<&str> {
            self.boot_id
        }

        fn since_boot(&self) -> i64 {
            self.since_boot.load(Ordering::Relaxed)
        }
    }

    fn open(directory: &Path, machine: &Arc<Machine>) -> Sqlite {
        Sqlite::open_with(directory, StoreClock::of_machine(Arc::clone(machine) as Arc<dyn MachineClocks>)).unwrap()
    }

    /// The time of a write.
    fn written_at(store: &Sqlite) -> i64 {
        let mut now = None;
        let look = &mut |tx: &mut dyn Tx| {
            now = Some(tx.now().unwrap().as_millis());
            Verdict::Commit
        };
        store.write(Patience::Deadline, look).unwrap();
        now.unwrap()
    }

    fn read_at(store: &Sqlite) -> i64 {
        let mut now = None;
        store.read(&mut |tx| now = Some(tx.now().unwrap().as_millis())).unwrap();
        now.unwrap()
    }

    fn execute(store: &Sqlite, sql: &'static str) {
        let run = &mut |tx: &mut dyn Tx| {
            tx.execute(sql, &[], Changes::Any).unwrap();
            Verdict::Commit
        };
        store.write(Patience::Deadline, run).unwrap();
    }

    #[test]
    fn a_wall_clock_that_jumps_moves_nothing_within_a_boot_in_any_process() {
        let directory = TempDir::new().unwrap();
        let machine = Machine::booted(Some("b1"), NOON, 5_000);
        let store = open(directory.path(), &machine);
        assert_eq!(written_at(&store), NOON);
        machine.pass(1_500);
        machine.set_wall(NOON + DAY);
        assert_eq!(
            (written_at(&store), read_at(&store), store.now().unwrap().as_millis()),
            (NOON + 1_500, NOON + 1_500, NOON + 1_500)
        );
        let fast = open(directory.path(), &machine);
        assert_eq!((fast.now().unwrap().as_millis(), written_at(&fast)), (NOON + 1_500, NOON + 1_500));
        machine.set_wall(0);
        machine.pass(1);
        assert_eq!((written_at(&store), written_at(&fast)), (NOON + 1_501, NOON + 1_501));
    }

    #[test]
    fn a_new_boot_begins_with_the_wall_clock_but_not_before_what_was_recorded() {
        let directory = TempDir::new().unwrap();
        let first = open(directory.path(), &Machine::booted(Some("b1"), NOON, 5_000));
        assert_eq!(written_at(&first), NOON);
        let next = Machine::booted(Some("b2"), NOON + DAY, 70);
        let second = open(directory.path(), &next);
        assert_eq!(written_at(&second), NOON + DAY);
        execute(
            &second,
            "INSERT INTO rooms (room_id, state, sequence_index, turn_id, policy, last_seq, created_at_ms, updated_at_ms)
             VALUES ('room_1', 'idle', 0, 0, '{}', 0, 0, 1800086400007)",
        );
        let third = open(directory.path(), &Machine::booted(Some("b3"), 12, 12));
        assert_eq!(written_at(&third), NOON + DAY + 7, "the battery of its clock is empty");
        // A system that shares the disk goes on as before.
        next.pass(9);
        assert_eq!(written_at(&second), NOON + DAY + 9);
    }

    #[test]
    fn of_those_who_start_at_once_in_a_new_boot_one_sets_the_clock_for_all() {
        const PROCESSES: i64 = 12;
        let directory = TempDir::new().unwrap();
        drop(open(directory.path(), &Machine::booted(Some("b0"), NOON, 0)));
        let start = Barrier::new(12);
        let times: Vec<i64> = thread::scope(|scope| {
            let process = |number: i64| {
                let (directory, start) = (directory.path(), &start);
                move || {
                    let store = open(directory, &Machine::booted(Some("b1"), NOON + number * DAY, 1_000));
                    start.wait();
                    written_at(&store)
                }
            };
            let running: Vec<_> = (0..PROCESSES).map(|number| scope.spawn(process(number))).collect();
            running.into_iter().map(|process| process.join().unwrap()).collect()
        });
        assert!(times.iter().all(|time| *time == times[0]), "{times:?}");
        assert_eq!(times[0] % DAY, NOON % DAY);
    }

    #[test]
    fn a_machine_that_cannot_tell_its_boot_goes_by_its_wall_clock() {
        let directory = TempDir::new().unwrap();
        let machine = Machine::booted(None, NOON, 5_000);
        let store = open(directory.path(), &machine);
        assert_eq!(written_at(&store), NOON);
        machine.set_wall(NOON + DAY);
        assert_eq!((written_at(&store), store.info().unwrap().clock_ahead_ms), (NOON + DAY, None));
    }

    #[test]
    fn who_only_reads_sets_nothing_and_goes_by_the_wall_clock_until_somebody_writes() {
        let directory = TempDir::new().unwrap();
        let machine = Machine::booted(Some("b1"), NOON, 5_000);
        let reader = open(directory.path(), &machine);
        assert_eq!(read_at(&reader), NOON);
        machine.set_wall(NOON + DAY);
        assert_eq!(read_at(&reader), NOON + DAY);
        machine.set_wall(NOON + 2 * DAY);
        assert_eq!(written_at(&open(directory.path(), &machine)), NOON + 2 * DAY);
        machine.set_wall(NOON);
        assert_eq!(read_at(&reader), NOON + 2 * DAY);
    }

    #[test]
    fn clocks_that_are_more_than_a_minute_apart_are_told() {
        let directory = TempDir::new().unwrap();
        let machine = Machine::booted(Some("b1"), NOON, 5_000);
        let store = open(directory.path(), &machine);
        written_at(&store);
        let told = [NOON + 60_000, NOON + 60_001, NOON + DAY, NOON - DAY].map(|wall| {
            machine.set_wall(wall);
            store.info().unwrap().clock_ahead_ms
        });
        assert_eq!(told, [None, Some(60_001), Some(DAY), Some(-DAY)]);
    }
}
