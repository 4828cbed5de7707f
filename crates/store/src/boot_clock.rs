//! The clock that counts since a machine booted, also while it sleeps. Nobody sets it, so spans on it are true.
//!
//! Time namespaces shift it, and with it the start of every process in `/proc`. Both are given back here as the machine
//! itself counts them, so that processes of all namespaces agree.

use std::sync::OnceLock;

/// The boot clock of this machine, as this process sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BootClock {
    boot_id: String,
    /// How far ahead this process's time namespace has set it, in nanoseconds.
    ahead: i64,
}

/// The kernel's unit in `/proc`, the same on every architecture that Rust's Linux targets have.
const NANOS_PER_TICK: i128 = 10_000_000;

impl BootClock {
    /// The clock of this machine, where the boot and the clock can be told. Read once: a process stays in its namespace.
    pub fn here() -> Option<&'static Self> {
        static HERE: OnceLock<Option<BootClock>> = OnceLock::new();
        HERE.get_or_init(read).as_ref()
    }

    /// The boot it counts from.
    pub fn boot_id(&self) -> &str {
        &self.boot_id
    }

    /// Milliseconds since the boot.
    #[cfg(target_os = "linux")]
    pub fn millis(&self) -> i64 {
        use rustix::time::{ClockId, clock_gettime};

        // The kernel is asked without the C library, which a preloaded one could stand in for.
        let shown = clock_gettime(ClockId::Boottime);
        let nanos = i128::from(shown.tv_sec) * 1_000_000_000 + i128::from(shown.tv_nsec) - i128::from(self.ahead);
        i64::try_from(nanos / 1_000_000).unwrap_or(i64::MAX)
    }

    /// There is no such clock here, so nobody has one to ask.
    #[cfg(not(target_os = "linux"))]
    pub fn millis(&self) -> i64 {
        0
    }

    /// The ticks between the boot and the start of a process that `/proc/PID/stat` shows. Where the namespace's offset is
    /// no whole number of ticks, the result may be one too low (see `baton_core::process::same_start`).
    pub fn ticks_since_boot(&self, shown: u64) -> u64 {
        let nanos = i128::from(shown) * NANOS_PER_TICK;
        // A process that started before the namespace's zero has a number that wrapped round.
        let nanos = if nanos > i128::from(i64::MAX) { nanos - (1 << 64) } else { nanos };
        let ticks = (nanos - i128::from(self.ahead)).div_euclid(NANOS_PER_TICK);
        u64::try_from(ticks).unwrap_or(0)
    }
}

#[cfg(target_os = "linux")]
fn read() -> Option<BootClock> {
    let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let boot_id = Some(boot_id.trim()).filter(|id| !id.is_empty())?.to_owned();
    Some(BootClock { boot_id, ahead: ahead()? })
}

#[cfg(not(target_os = "linux"))]
fn read() -> Option<BootClock> {
    None
}

/// How far this process's time namespace has set the boot clock ahead.
#[cfg(target_os = "linux")]
fn ahead() -> Option<i64> {
    use std::{fs, io};

    let offsets = match fs::read_to_string("/proc/self/timens_offsets") {
        Ok(offsets) => offsets,
        // A kernel without time namespaces shifts nothing.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(0),
        Err(_) => return None,
    };
    // The file is about the namespace of a process's children, which some kernels do not enter on exec.
    let namespace = |name: &str| fs::read_link(format!("/proc/self/ns/{name}")).ok();
    if namespace("time")? != namespace("time_for_children")? {
        return None;
    }
    ahead_in(&offsets)
}

/// Reads `boottime SECONDS NANOSECONDS` among lines of that shape. A clock that is not listed is not shifted.
#[cfg(target_os = "linux")]
fn ahead_in(offsets: &str) -> Option<i64> {
    // Kernels have written the clock as a number, too.
    let is_boot_clock =
        |line: &&str| line.split_ascii_whitespace().next().is_some_and(|clock| ["boottime", "7"].contains(&clock));
    let Some(line) = offsets.lines().find(is_boot_clock) else { return Some(0) };
    let mut fields = line.split_ascii_whitespace().skip(1);
    let (seconds, nanos): (i64, i64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    seconds.checked_mul(1_000_000_000)?.checked_add(nanos)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    fn ahead_by(ahead: i64) -> BootClock {
        BootClock { boot_id: "boot".to_owned(), ahead }
    }

    #[test]
    fn offsets_are_read_as_the_kernel_writes_them() {
        assert_eq!(
            ahead_in("monotonic           0         0\nboottime        86400         0\n"),
            Some(86_400_000_000_000)
        );
        assert_eq!(ahead_in("monotonic 5 6\nboottime -3 500000000\n"), Some(-2_500_000_000));
        assert_eq!(ahead_in("1 5 6\n7 1 2\n"), Some(1_000_000_002));
        assert_eq!(ahead_in("monotonic 5 6\n"), Some(0));
        for wrong in ["boottime", "boottime x 0", "boottime 9223372036854775807 0"] {
            assert_eq!(ahead_in(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn ticks_are_those_of_the_machine_in_every_namespace() {
        const TICK: i64 = 10_000_000;
        assert_eq!(ahead_by(0).ticks_since_boot(98_765), 98_765);
        assert_eq!(ahead_by(86_400_000_000_000).ticks_since_boot(8_640_123), 123);
        assert_eq!(ahead_by(-3_000_000_000).ticks_since_boot(700), 1000);
        for ahead in
            [0, 1, TICK / 2, 7 * TICK + 1, -TICK / 2, -1, 86_400 * 100 * TICK + 3, -90 * 100 * TICK, -9_123_456_789]
        {
            for start in [0, 1, TICK - 1, 99 * TICK, 123_456_789_012, 500 * TICK + TICK / 2] {
                // As the kernel shows it: a 64-bit number of nanoseconds that wraps round.
                let shown = (start + ahead).cast_unsigned() / TICK.cast_unsigned();
                let (told, truth) = (ahead_by(ahead).ticks_since_boot(shown), (start / TICK).cast_unsigned());
                let rounding = u64::from(ahead % TICK != 0 || start + ahead < 0);
                assert!(told <= truth && truth - told <= rounding, "{start} {ahead}: {told} for {truth}");
            }
        }
    }

    #[test]
    fn a_time_namespace_that_is_a_day_ahead_shows_its_offset_and_a_process_with_the_ticks_it_has_here() {
        let here = BootClock::here().unwrap();
        let stat = format!("/proc/{}/stat", std::process::id());
        let script = format!("cat /proc/self/timens_offsets; echo --; cat {stat}");
        let mut elsewhere = Command::new("unshare");
        elsewhere.args(["--time", "--boottime", "86400", "--fork", "sh", "-c", &script]);
        let output = elsewhere.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let (offsets, there) = said.split_once("--\n").unwrap_or_else(|| {
            panic!("a time namespace needs root: {}", String::from_utf8_lossy(&output.stderr));
        });
        let ticks =
            |stat: &str| stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().nth(19).unwrap().parse().unwrap();
        let (seen_here, seen_there): (u64, u64) = (ticks(&std::fs::read_to_string(stat).unwrap()), ticks(there));
        assert_ne!(seen_here, seen_there, "the namespace shifts it");
        let clock = ahead_by(ahead_in(offsets).unwrap());
        assert_eq!(clock.ticks_since_boot(seen_there), here.ticks_since_boot(seen_here));
    }

    #[test]
    fn it_goes_forward() {
        let clock = BootClock::here().unwrap();
        let before = clock.millis();
        assert!(before > 0 && clock.millis() >= before);
    }
}
