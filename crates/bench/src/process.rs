//! What the kernel tells about a process of ours: memory, time on a processor, and how often it was woken.

use std::fs;

use rustix::{
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
    time::{ClockId, clock_gettime},
};

use crate::trouble::Outcome;

/// What a process has used since it started.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Usage {
    /// Times a thread gave up the processor, by itself or not. Each ends in a wake-up.
    pub(crate) switches: u64,
    /// Nanoseconds on a processor. From schedstat, because the ticks in stat are 10 ms long.
    pub(crate) nanos: u64,
}

/// Adds up the threads of a process.
pub(crate) fn usage(pid: u32) -> Outcome<Usage> {
    let mut usage = Usage::default();
    for thread in fs::read_dir(format!("/proc/{pid}/task"))? {
        let path = thread?.path();
        let read = |name: &str| fs::read_to_string(path.join(name));
        // A thread that has ended since it was listed has nothing more to add.
        let (Ok(status), Ok(schedstat)) = (read("status"), read("schedstat")) else { continue };
        usage.switches += field(&status, "voluntary_ctxt_switches:").unwrap_or_default();
        usage.switches += field(&status, "nonvoluntary_ctxt_switches:").unwrap_or_default();
        usage.nanos += schedstat.split_whitespace().next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0);
    }
    Ok(usage)
}

/// Microseconds that the calling thread has spent on a processor.
pub(crate) fn this_thread_us() -> f64 {
    let spent = clock_gettime(ClockId::ThreadCPUTime);
    spent.tv_sec as f64 * 1e6 + spent.tv_nsec as f64 / 1e3
}

/// Keeps this thread, and the processes it starts, on one processor, until it is dropped.
pub(crate) struct OneProcessor {
    before: CpuSet,
}

impl OneProcessor {
    /// Picks the first processor that this thread may use.
    pub(crate) fn take() -> Outcome<Self> {
        let before = sched_getaffinity(None)?;
        let first = (0..CpuSet::MAX_CPU).find(|cpu| before.is_set(*cpu)).ok_or("there is no processor")?;
        let mut only = CpuSet::new();
        only.set(first);
        sched_setaffinity(None, &only)?;
        Ok(Self { before })
    }
}

impl Drop for OneProcessor {
    fn drop(&mut self) {
        // What was allowed before is allowed again.
        let _ = sched_setaffinity(None, &self.before);
    }
}

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    /// What it has in memory, shared pages included.
    pub(crate) resident: f64,
    /// The same, with shared pages divided among those who share them.
    pub(crate) proportional: f64,
}

/// Reads how much memory a process has.
pub(crate) fn memory(pid: u32) -> Outcome<Memory> {
    let kilobytes = |file: &str, name: &str| -> Outcome<f64> {
        let text = fs::read_to_string(format!("/proc/{pid}/{file}"))?;
        let kilobytes = field(&text, name).ok_or_else(|| format!("/proc/{pid}/{file} has no {name}"))?;
        Ok(kilobytes as f64 * 1024.0)
    };
    Ok(Memory { resident: kilobytes("status", "VmRSS:")?, proportional: kilobytes("smaps_rollup", "Pss:")? })
}

/// The number after `name` at the start of a line.
fn field(text: &str, name: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_the_whole_start_of_its_line() {
        let status = "VmRSS:\t    5432 kB\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n";
        assert_eq!(field(status, "VmRSS:"), Some(5432));
        assert_eq!(field(status, "voluntary_ctxt_switches:"), Some(12));
        assert_eq!(field(status, "nonvoluntary_ctxt_switches:"), Some(3));
    }

    #[test]
    fn this_process_has_used_something() {
        let (usage, memory) = (usage(std::process::id()).unwrap(), memory(std::process::id()).unwrap());
        assert!(usage.nanos > 0 && memory.resident >= memory.proportional && memory.proportional > 0.0);
    }
}
