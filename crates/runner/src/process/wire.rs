//! What runner and minder tell each other over their socket.
//!
//! The runner sends a line `stdin N` with the N bytes for the program's standard input behind it, and then a line
//! `stop MILLISECONDS` for each time it wants the program to stop. The end of what it sends means that it is gone. The
//! minder sends [`Report`]s, one JSON object a line: one of the first two, and at the end the third.

use std::{
    io::{self, BufRead, Read, Write},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::Status;

/// How many left-over processes are named. There may be more.
pub(super) const NAMES_MAX: usize = 16;

/// What the minder tells.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// The program runs, as this process, which leads its session and its group.
    Started { pid: i32, start_ticks: u64 },
    /// The program could not be started.
    Refused { why: String },
    /// The program and all that it had started are gone, but for those that are stuck.
    Ended { status: Status, leaked: Vec<String>, stuck: Vec<String> },
}

impl Report {
    pub(super) fn send(&self, mut to: impl Write) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        to.write_all(&line)
    }

    /// The next one. None when the minder is gone.
    pub(super) fn receive(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = Vec::new();
        from.read_until(b'\n', &mut line)?;
        if line.is_empty() { Ok(None) } else { Ok(Some(serde_json::from_slice(&line)?)) }
    }
}

pub(super) fn send_stdin(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    writeln!(to, "stdin {}", bytes.len())?;
    to.write_all(bytes)
}

pub(super) fn receive_stdin(from: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut line = String::new();
    from.read_line(&mut line)?;
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "a minder is started by a runner only");
    let length: usize = line.strip_prefix("stdin ").and_then(|count| count.trim().parse().ok()).ok_or_else(wrong)?;
    let mut bytes = Vec::new();
    let read = from.take(length as u64).read_to_end(&mut bytes)?;
    if read == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

pub(super) fn send_stop(mut to: impl Write, grace: Duration) -> io::Result<()> {
    // In one piece, because several threads may ask for it.
    to.write_all(format!("stop {}\n", grace.as_millis()).as_bytes())
}

/// The grace of the next request to stop. None when the runner is gone.
pub(super) fn receive_stop(from: &mut impl BufRead) -> Option<Duration> {
    let mut line = String::new();
    from.read_line(&mut line).ok()?;
    line.strip_prefix("stop ")?.trim().parse().ok().map(Duration::from_millis)
}
