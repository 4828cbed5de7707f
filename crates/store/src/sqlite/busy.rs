//! Waiting for the write lock. SQLite's own back-off sleeps up to 100 ms and starves the unlucky; this one
//! yields a few times, then looks again after 100 to 200 µs, and while many are waiting after a little longer each
//! time, up to two milliseconds: every look costs the holder some of the processor. It gives up at a hard deadline.
//!
//! There is no lock file and so nothing to go stale: when a holder is killed the kernel drops its lock, and
//! the next look finds it free. When a holder is stopped instead, the error names it.
#![expect(clippy::disallowed_methods, reason = "this module is a wait: it measures and sleeps")]

use std::{
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use crate::{StoreError, engine::Patience};

/// How long anybody waits for the lock.
pub(super) const DEADLINE: Duration = Duration::from_secs(5);

/// How often to yield before sleeping: a typical transaction is over in that time.
const YIELDS: i32 = 2;

/// The first pause, of which the second half is random, and how often it doubles.
const PAUSE_US: u64 = 100;
const PAUSE_DOUBLINGS: i32 = 3;

/// Where the write-ahead log's index keeps its write lock (SQLite's `UNIX_SHM_BASE`).
const WRITE_LOCK_BYTE: u64 = 120;

/// How long a connection waits right now, in microseconds.
#[derive(Clone)]
pub(super) struct Waiting {
    limit_us: Arc<AtomicU64>,
}

impl Waiting {
    /// Makes `connection` wait this module's way.
    pub(super) fn install(connection: &mut Connection) -> rusqlite::Result<Self> {
        let waiting = Self { limit_us: Arc::new(AtomicU64::new(micros(DEADLINE))) };
        let limit_us = waiting.limit_us.clone();
        let mut started = Instant::now();
        let mut jitter = u64::from(std::process::id()) | 1;
        connection.busy_handler(Some(move |attempt: i32| {
            let limit = Duration::from_micros(limit_us.load(Ordering::Relaxed));
            if limit.is_zero() {
                return false;
            }
            if attempt == 0 {
                started = Instant::now();
            }
            if attempt < YIELDS {
                thread::yield_now();
                return true;
            }
            jitter = jitter.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let pause = PAUSE_US << (attempt - YIELDS).min(PAUSE_DOUBLINGS);
            thread::sleep(Duration::from_micros(pause + (jitter >> 33) % pause));
            started.elapsed() < limit
        }))?;
        Ok(waiting)
    }

    /// Sets it for the next transaction.
    pub(super) fn set(&self, patience: Patience) {
        self.set_limit(match patience {
            Patience::Deadline => DEADLINE,
            Patience::None => Duration::ZERO,
        });
    }

    /// Sets it for what comes next.
    pub(super) fn set_limit(&self, limit: Duration) {
        self.limit_us.store(micros(limit), Ordering::Relaxed);
    }
}

fn micros(duration: Duration) -> u64 {
    duration.as_micros() as u64
}

/// The error for a wait that came to its deadline.
pub(super) fn timed_out(database: &Path) -> StoreError {
    StoreError::Busy {
        holder: writer(database).unwrap_or_else(|| "a process that cannot be seen from here".to_owned()),
        waited_ms: DEADLINE.as_millis() as u64,
    }
}

/// The process that holds the write lock, as the kernel tells. It asks `/proc/locks` because opening the file
/// to ask with a lock call would, on closing, drop this process's own locks.
pub(super) fn writer(database: &Path) -> Option<String> {
    let mut index = database.as_os_str().to_owned();
    index.push("-shm");
    let inode = std::fs::metadata(&index).ok()?.ino();
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    let pid = write_lock_holder(&locks, inode)?;
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let stopped = state.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with(['T', 't']));
    let note = if stopped { ", which is stopped" } else { "" };
    Some(format!("process {pid} ({}){note}", name.trim_end()))
}

/// Finds the pid in the text of `/proc/locks`: `1: POSIX  ADVISORY  WRITE 4242 fd:01:1234 120 120`.
fn write_lock_holder(locks: &str, inode: u64) -> Option<u32> {
    locks.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let &[_, _, _, "WRITE", pid, file, first, last] = fields.as_slice() else { return None };
        let covers =
            first.parse::<u64>().ok()? <= WRITE_LOCK_BYTE && last.parse::<u64>().unwrap_or(u64::MAX) >= WRITE_LOCK_BYTE;
        let same_file = file.rsplit(':').next()?.parse::<u64>().ok()? == inode;
        (covers && same_file).then(|| pid.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_is_read_from_the_kernels_table_of_locks() {
        let locks = "\
            1: POSIX  ADVISORY  READ 77 fd:01:9001 124 124\n\
            2: POSIX  ADVISORY  WRITE 4242 fd:01:9001 120 120\n\
            3: FLOCK  ADVISORY  WRITE 5 fd:01:33 0 EOF\n\
            4: -> POSIX  ADVISORY  WRITE 78 fd:01:9001 120 120\n";
        assert_eq!(write_lock_holder(locks, 9001), Some(4242));
        assert_eq!(write_lock_holder(locks, 9002), None);
    }
}
