//! How long a call waits for a server that says nothing.
//!
//! A call has many waits: for a free connection, for a new one, for each answer, and for all of them again after a break. Each
//! has its own bound, and together they would come to several times the one that is told to people. So the time that
//! counts goes on through all of them, from the last sign of the server.
//!
//! What must stay true: after the server was heard last, a call ends within [`AWAY_DEADLINE`], whatever it still tries.
#![expect(clippy::disallowed_methods, reason = "this module measures a wait")]

use std::time::{Duration, Instant};

/// How long a call waits for a server that went away, or for a free connection.
pub(super) const AWAY_DEADLINE: Duration = Duration::from_secs(10);

/// How long the server has for an answer. It gives up by itself before that, so this is a server that is away; and some time is
/// left to find out what became of what it was asked.
const REPLY_DEADLINE: Duration = Duration::from_secs(8);

/// The same while the schema is brought up to date, which the server may take longer for.
const SCHEMA_DEADLINE: Duration = Duration::from_secs(15);

/// How long nothing was heard of the server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    /// Since when something is waited for, if something is.
    since: Option<Instant>,
    /// Whether a connection broke meanwhile. From then on the time of the call is running out, whatever is heard.
    is_broken: bool,
    reply: Duration,
    most: Duration,
}

impl Default for Silence {
    fn default() -> Self {
        Self { since: None, is_broken: false, reply: REPLY_DEADLINE, most: AWAY_DEADLINE }
    }
}

impl Silence {
    /// The wait of a call that begins now.
    pub(super) fn begun() -> Self {
        Self { since: Some(Instant::now()), ..Self::default() }
    }

    /// A wait of at most `most` in all.
    pub(super) fn within(most: Duration) -> Self {
        Self { most, ..Self::begun() }
    }

    /// The wait for a schema that is brought up to date.
    pub(super) fn patient() -> Self {
        Self { reply: SCHEMA_DEADLINE, most: SCHEMA_DEADLINE, ..Self::default() }
    }

    /// Until when all that is still tried must have ended.
    pub(super) fn end(&mut self) -> Instant {
        *self.since.get_or_insert_with(Instant::now) + self.most
    }

    /// Until when an answer is waited for that is asked for now.
    pub(super) fn reply(&mut self) -> Instant {
        self.end().min(Instant::now() + self.reply)
    }

    /// Notes a sign of the server.
    pub(super) fn heard(&mut self) {
        if !self.is_broken {
            self.since = None;
        }
    }

    /// Notes that a connection broke.
    pub(super) fn breaks(&mut self) {
        self.is_broken = true;
        self.since.get_or_insert_with(Instant::now);
    }

    /// Whether there is no time left to try again.
    pub(super) fn is_over(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= self.most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_call_goes_on_through_all_its_waits_once_something_broke() {
        let mut silence = Silence::begun();
        let end = silence.end();
        assert!(silence.reply() <= end && !silence.is_over());
        silence.heard();
        assert!(silence.end() >= end, "an answer begins it anew");
        silence.breaks();
        let end = silence.end();
        silence.heard();
        assert_eq!(silence.end(), end, "but not after a break");
        let mut late = Silence::within(Duration::ZERO);
        assert!(late.is_over() && late.reply() <= Instant::now());
    }
}
