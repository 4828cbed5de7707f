//! `/proc/PID/stat`: the few fields that matter here.

use std::{
    fs::File,
    io::{self, Read},
};

use baton_store::boot_clock::BootClock;

/// More than the line can have: 52 fields of at most 20 digits, and a name.
const LINE_BYTES: usize = 2048;

/// What `/proc/PID/stat` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    /// The command's name, cut to 15 bytes by the kernel.
    pub(crate) comm: String,
    /// One letter: `R`unning, `S`leeping, s`T`opped, `Z`ombie, `X` dead.
    pub(crate) state: u8,
    /// The parent; 0 when it lies outside the pid namespace.
    pub(crate) parent: u32,
    /// The session it belongs to: the pid of its leader; 0 when that lies outside the pid namespace.
    pub(crate) session: u32,
    /// The controlling terminal as a device number; 0 without one.
    pub(crate) terminal: u32,
    /// How many threads have not been reaped, the main one included.
    pub(crate) threads: u64,
    /// Clock ticks between boot and the start, as the machine counts them.
    pub(crate) start_ticks: u64,
}

impl Stat {
    /// Whether the whole process has ended. A main thread that ended alone also shows as a zombie while the
    /// others run on; they are counted.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state, b'Z' | b'X' | b'x') && self.threads <= 1
    }
}

/// Reads the entry of a process. In one go: without a size to go by, the standard way takes a dozen small reads.
pub(crate) fn read(pid: u32) -> io::Result<Stat> {
    let mut text = [0; LINE_BYTES];
    let length = File::open(format!("/proc/{pid}/stat"))?.read(&mut text)?;
    let shown = parse(&text[..length]);
    let shown = shown.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a /proc/PID/stat line"))?;
    // The kernel shifts a start by the time namespace of whoever reads it.
    let clock = BootClock::here().ok_or_else(|| io::Error::other("the boot clock cannot be read"))?;
    Ok(Stat { start_ticks: clock.ticks_since_boot(shown.start_ticks), ..shown })
}

/// Parses `PID (COMM) STATE PARENT …`. The name may hold spaces and parentheses, so it ends at the *last* `)`.
fn parse(text: &[u8]) -> Option<Stat> {
    let open = text.iter().position(|byte| *byte == b'(')?;
    let close = text.iter().rposition(|byte| *byte == b')').filter(|close| *close > open)?;
    let comm = String::from_utf8_lossy(&text[open + 1..close]).into_owned();
    let fields: Vec<&str> = str::from_utf8(&text[close + 1..]).ok()?.split_ascii_whitespace().collect();
    // proc(5) counts from 1 and the name is field 2, so field N is here at N - 3.
    let field = |number: usize| fields.get(number - 3).copied();
    let &[state] = field(3)?.as_bytes() else { return None };
    Some(Stat {
        comm,
        state,
        parent: field(4)?.parse().ok()?,
        session: field(6)?.parse().ok()?,
        terminal: field(7)?.parse::<i32>().ok()?.cast_unsigned(),
        threads: field(20)?.parse().ok()?,
        start_ticks: field(22)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(comm: &str, state: &str, threads: u32) -> String {
        format!("42 ({comm}) {state} 7 42 41 34819 42 4194304 1 2 3 4 5 6 7 8 20 0 {threads} 0 98765 10 11 12\n")
    }

    #[test]
    fn a_name_with_parentheses_and_spaces_does_not_shift_the_fields() {
        for comm in ["bash", "a b", "x) S 1 (y", ") R 1 1 1", "", "((", "tmux: server"] {
            let expected = Stat {
                comm: comm.to_owned(),
                state: b'S',
                parent: 7,
                session: 41,
                terminal: 34819,
                threads: 3,
                start_ticks: 98765,
            };
            assert_eq!(parse(line(comm, "S", 3).as_bytes()), Some(expected), "{comm}");
        }
    }

    #[test]
    fn a_zombie_main_thread_with_other_threads_running_has_not_ended() {
        assert!(!parse(line("node", "Z", 2).as_bytes()).unwrap().has_ended());
        assert!(parse(line("node", "Z", 1).as_bytes()).unwrap().has_ended());
        assert!(!parse(line("node", "T", 1).as_bytes()).unwrap().has_ended());
    }

    #[test]
    fn a_cut_line_is_no_answer() {
        for text in ["", "42", "42 (bash", "42 (bash) S 7", "42 )bash( S 7 42"] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }
}
