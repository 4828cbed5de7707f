//! What runner and minder tell each other over their socket.
//!
//! The runner sends a line `stdin N` with the N bytes for the program's standard input behind it, and then a line
//! `stop MILLISECONDS` for each time it wants the program to stop. For a program that runs under a claim it sends a line
//! `until MILLISECONDS` first, with the claim's end on the boot clock, and again whenever the claim was renewed. The end of
//! what it sends means that it is gone. The minder sends [`Report`]s, one JSON object a line: one of the first two, and at the end the third.

use std::{
    io::{self, BufRead, Read, Write},
    time::Duration,
};

use serde::{Deserialize, Serialize};

use super::{BootTime, Status};

/// How many left-over processes are named. There may be more.
pub(super) const NAMES_MAX: usize = 16;

/// What the minder tells.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Report {
    /// The program runs, as this process, which leads its session and its group.
    Started { pid: i32, start_ticks: u64 },
    /// The program could not be started.
    Refused { why: String, kind: RefusalKind },
    /// The program and all that it had started are gone, but for those that are stuck.
    Ended { status: Status, leaked: Vec<String>, stuck: Vec<String>, claim_ran_out: bool },
}

/// Why a program was not started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RefusalKind {
    /// It cannot be run.
    NotRun,
    /// Another program of the same job runs.
    Locked,
    /// The claim has run out, or there is a newer one.
    ClaimOver,
}

impl RefusalKind {
    /// The kind of error that the runner's side makes of it.
    pub(super) const fn error_kind(self) -> io::ErrorKind {
        match self {
            Self::NotRun => io::ErrorKind::Other,
            Self::Locked => io::ErrorKind::ResourceBusy,
            Self::ClaimOver => io::ErrorKind::TimedOut,
        }
    }
}

/// An order of the runner to a minder whose program runs.
pub(super) enum Order {
    /// Stop the program, and kill what is left after the grace.
    Stop(Duration),
    /// The claim was renewed.
    Until(BootTime),
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

/// The end of the program's claim, if it has one, and its standard input.
pub(super) fn receive_begin(from: &mut impl BufRead) -> io::Result<(Option<BootTime>, Vec<u8>)> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidData, "a minder is started by a runner only");
    let mut until = None;
    let length: usize = loop {
        let mut line = String::new();
        from.read_line(&mut line)?;
        match until_of(&line) {
            Some(end) => until = Some(end),
            None => {
                let length = line.strip_prefix("stdin ").and_then(|length| length.trim().parse().ok());
                break length.ok_or_else(wrong)?;
            }
        }
    };
    let mut bytes = Vec::new();
    let read = from.take(length as u64).read_to_end(&mut bytes)?;
    if read == length { Ok((until, bytes)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

pub(super) fn send_until(mut to: impl Write, end: BootTime) -> io::Result<()> {
    // In one piece, because several threads may renew.
    to.write_all(format!("until {}\n", end.as_millis()).as_bytes())
}

fn until_of(line: &str) -> Option<BootTime> {
    line.strip_prefix("until ")?.trim().parse().ok().map(BootTime::from_millis)
}

pub(super) fn send_stop(mut to: impl Write, grace: Duration) -> io::Result<()> {
    // In one piece, because several threads may ask for it.
    to.write_all(format!("stop {}\n", grace.as_millis()).as_bytes())
}

/// The next order. None when the runner is gone.
pub(super) fn receive_order(from: &mut impl BufRead) -> Option<Order> {
    let mut line = String::new();
    from.read_line(&mut line).ok()?;
    if let Some(end) = until_of(&line) {
        return Some(Order::Until(end));
    }
    line.strip_prefix("stop ")?.trim().parse().ok().map(Duration::from_millis).map(Order::Stop)
}
