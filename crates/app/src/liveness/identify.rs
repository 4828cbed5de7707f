//! Takes down what identifies a process, while it runs.

use baton_core::{process::ProcessIdentity, time::Timestamp};
use baton_store::boot_clock::BootClock;

use super::{host, pidfd, stat};
use crate::clock::{Clock, SystemClock};

/// The kernel's unit in `/proc`, the same on every architecture that Rust's Linux targets have.
const MILLIS_PER_TICK: i64 = 10;

/// Identifies the process that has `pid` now. `None` when there is none, or it cannot be seen.
pub fn identify(pid: u32) -> Option<ProcessIdentity> {
    identify_as(pid, &seen(pid)?)
}

/// What `/proc` says about `pid`, where it speaks about our own pid namespace.
pub(crate) fn seen(pid: u32) -> Option<stat::Stat> {
    host::here()?;
    stat::read(pid).ok()
}

/// Identifies the process whose entry was just read.
pub(crate) fn identify_as(pid: u32, seen: &stat::Stat) -> Option<ProcessIdentity> {
    let host = host::here()?;
    Some(ProcessIdentity {
        host_id: host.host_id.clone(),
        boot_id: host.boot_id.clone(),
        pid_namespace: host.pid_namespace,
        pid,
        start_ticks: seen.start_ticks,
        pidfd_inode: unique_inode(pid, seen.start_ticks),
        process_started_at: started_at(seen.start_ticks),
        keeps: None,
    })
}

/// The inode of the process that had these ticks. A pid that was reused meanwhile shows in a second look.
fn unique_inode(pid: u32, start_ticks: u64) -> Option<u64> {
    let inode = pidfd::inode(pidfd::open(pid).ok()?)?;
    let again = stat::read(pid).ok()?;
    (again.start_ticks == start_ticks).then_some(inode)
}

fn started_at(start_ticks: u64) -> Timestamp {
    let uptime_ms = BootClock::here().map_or(0, BootClock::millis);
    let start_ms = i64::try_from(start_ticks).unwrap_or(i64::MAX).saturating_mul(MILLIS_PER_TICK);
    let age_ms = uptime_ms.saturating_sub(start_ms);
    Timestamp::from_millis(SystemClock.now().as_millis().saturating_sub(age_ms))
}
