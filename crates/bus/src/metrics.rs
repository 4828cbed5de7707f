//! What a server counts. Plain numbers, so that counting costs nothing; how they are shown is HTTP's business.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use baton_app::{
    Failure,
    table::{Command, TABLE},
};
use baton_core::code::Kind;

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did what it was asked.
    Answered,
    /// It was answered with a "no" that is the caller's to act on.
    Refused,
    /// Baton or its store failed.
    Failed,
    /// Nobody waited for the answer.
    Abandoned,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 4] = [Self::Answered, Self::Refused, Self::Failed, Self::Abandoned];

    /// The outcome as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Abandoned => "abandoned",
        }
    }

    /// The outcome of an answer.
    pub fn of<T>(answer: &Result<T, Failure>) -> Self {
        match answer {
            Ok(_) => Self::Answered,
            Err(failure) => match failure.code.kind() {
                Kind::Invalid | Kind::NotFound | Kind::Refused => Self::Refused,
                Kind::Failed => Self::Failed,
            },
        }
    }
}

/// What somebody is connected through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// The Unix socket.
    Socket,
    /// HTTP, with server-sent events and MCP.
    Http,
}

impl Transport {
    /// Every transport.
    pub const ALL: [Self; 2] = [Self::Socket, Self::Http];

    /// The transport as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Socket => "socket",
            Self::Http => "http",
        }
    }
}

/// The numbers of one server.
#[derive(Debug)]
pub struct Metrics {
    /// By command, as the table lists them.
    commands: Vec<OfCommand>,
    connections: [AtomicU64; Transport::ALL.len()],
    connections_total: [AtomicU64; Transport::ALL.len()],
    refused_connections: AtomicU64,
    rate_limited: AtomicU64,
    waits: AtomicU64,
    feeds: AtomicU64,
    subscribers: AtomicU64,
    subscribers_dropped: AtomicU64,
    events_read: AtomicU64,
    events_sent: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
}

#[derive(Debug, Default)]
struct OfCommand {
    outcomes: [AtomicU64; Outcome::ALL.len()],
    micros: AtomicU64,
}

/// How often a command was called.
#[derive(Clone, Copy)]
pub struct CommandCount {
    /// Which.
    pub command: &'static Command,
    /// By outcome, as [`Outcome::ALL`] lists them.
    pub outcomes: [u64; Outcome::ALL.len()],
    /// How long all of them took.
    pub micros: u64,
}

/// A number that goes down again when this is dropped.
#[derive(Debug)]
pub struct Counted<'a>(&'a AtomicU64);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn up(number: &AtomicU64) -> Counted<'_> {
    number.fetch_add(1, Ordering::Relaxed);
    Counted(number)
}

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])* pub fn $name(&self) -> u64 { self.$name.load(Ordering::Relaxed) })*
    };
}

impl Metrics {
    pub(crate) fn new() -> Self {
        Self {
            commands: TABLE.iter().map(|_| OfCommand::default()).collect(),
            connections: Default::default(),
            connections_total: Default::default(),
            refused_connections: AtomicU64::new(0),
            rate_limited: AtomicU64::new(0),
            waits: AtomicU64::new(0),
            feeds: AtomicU64::new(0),
            subscribers: AtomicU64::new(0),
            subscribers_dropped: AtomicU64::new(0),
            events_read: AtomicU64::new(0),
            events_sent: AtomicU64::new(0),
            bytes_in: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
        }
    }

    numbers! {
        /// Connections that were turned away at the door.
        refused_connections
        /// Calls that were refused because their agent asks too often.
        rate_limited
        /// Calls that wait right now.
        waits
        /// Rooms that are streamed right now.
        feeds
        /// Streams right now.
        subscribers
        /// Streams that were ended because nobody read them.
        subscribers_dropped
        /// Events that were read from the log to be streamed.
        events_read
        /// Events that subscribers took.
        events_sent
        /// Bytes received.
        bytes_in
        /// Bytes sent.
        bytes_out
    }

    /// Every command that was called, in the order of the table.
    pub fn commands(&self) -> impl Iterator<Item = CommandCount> {
        TABLE.iter().zip(&self.commands).filter_map(|(command, counted)| {
            let outcomes = counted.outcomes.each_ref().map(|outcome| outcome.load(Ordering::Relaxed));
            let micros = counted.micros.load(Ordering::Relaxed);
            outcomes.iter().any(|count| *count > 0).then_some(CommandCount { command, outcomes, micros })
        })
    }

    /// Connections right now.
    pub fn connections(&self, transport: Transport) -> u64 {
        self.connections[transport as usize].load(Ordering::Relaxed)
    }

    /// Connections since the server began.
    pub fn connections_total(&self, transport: Transport) -> u64 {
        self.connections_total[transport as usize].load(Ordering::Relaxed)
    }

    /// Counts a connection, until what is returned is dropped.
    pub fn connected(&self, transport: Transport) -> Counted<'_> {
        self.connections_total[transport as usize].fetch_add(1, Ordering::Relaxed);
        up(&self.connections[transport as usize])
    }

    /// Counts a connection that was turned away.
    pub fn refused_connection(&self) {
        self.refused_connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bytes that arrived.
    pub fn received(&self, bytes: usize) {
        self.bytes_in.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts bytes that were sent.
    pub fn sent(&self, bytes: usize) {
        self.bytes_out.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn called(&self, command: &Command, outcome: Outcome, took: Duration) {
        // By name, since a command may have been copied out of the table.
        let Some(place) = TABLE.iter().position(|row| row.name == command.name) else { return };
        let counted = &self.commands[place];
        counted.outcomes[outcome as usize].fetch_add(1, Ordering::Relaxed);
        counted.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub(crate) fn limited(&self) {
        self.rate_limited.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn waiting(&self) -> Counted<'_> {
        up(&self.waits)
    }

    pub(crate) fn feeding(&self) -> Counted<'_> {
        up(&self.feeds)
    }

    pub(crate) fn subscribed(&self) {
        self.subscribers.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn unsubscribed(&self) {
        self.subscribers.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn dropped(&self) {
        self.subscribers_dropped.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn read(&self, events: usize) {
        self.events_read.fetch_add(events as u64, Ordering::Relaxed);
    }

    pub(crate) fn took(&self) {
        self.events_sent.fetch_add(1, Ordering::Relaxed);
    }
}
