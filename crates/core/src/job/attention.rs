//! Who has to look at a job, and why: one character on the radar.

use super::{Job, Status};
use crate::{ids::Seq, reference::Reference, time::Timestamp, words::words};

words! {
    /// What a job wants of whoever looks. The most pressing comes first.
    Marker {
        /// `!` something went wrong.
        Error "error",
        /// `?` somebody has to decide.
        Question "question",
        /// `!` it was said to be done, and nothing shows it.
        Proof "proof",
        /// `~` its claim has run out.
        Stale "stale",
    }
}

impl Marker {
    /// The character.
    pub const fn sign(self) -> char {
        match self {
            Self::Error | Self::Proof => '!',
            Self::Question => '?',
            Self::Stale => '~',
        }
    }

    /// What is stored of it, so that the store finds it: staleness is not, since it comes with the time.
    pub const fn rank(self) -> u8 {
        match self {
            Self::Error => 1,
            Self::Question => 2,
            Self::Proof => 3,
            Self::Stale => 4,
        }
    }
}

impl Job {
    /// Whether the agent asked something after the manager last spoke.
    pub fn needs_manager(&self) -> bool {
        self.status.is_active() && self.last_question > self.last_manager
    }

    /// Whether it was said to be done, and nothing shows it yet.
    pub fn needs_proof(&self) -> bool {
        self.status.is_active() && self.open_gate.is_some()
    }

    /// Whether it met an error that nobody has answered to.
    pub fn has_error(&self) -> bool {
        self.status.is_active() && self.open_error.is_some()
    }

    /// Whether it wants that of somebody at `now`. A job can want several things; its marker is the most pressing of them.
    pub fn wants(&self, marker: Marker, now: Timestamp) -> bool {
        match marker {
            Marker::Error => self.has_error(),
            Marker::Question => self.needs_manager(),
            Marker::Proof => self.needs_proof(),
            Marker::Stale => self.is_stale(now),
        }
    }

    /// What it wants, apart from what only time brings.
    pub fn kept_marker(&self) -> Option<Marker> {
        match () {
            () if self.has_error() => Some(Marker::Error),
            () if self.needs_manager() => Some(Marker::Question),
            () if self.needs_proof() => Some(Marker::Proof),
            () => None,
        }
    }

    /// The event that asks for somebody, as long as nothing has settled it.
    pub fn attention(&self) -> Option<Seq> {
        match self.kept_marker()? {
            Marker::Error => self.open_error,
            Marker::Question => Some(self.last_question),
            Marker::Proof => self.open_gate,
            Marker::Stale => None,
        }
    }

    /// The open question that another marker stands before.
    pub fn hidden_question(&self) -> Option<Seq> {
        let is_hidden = self.needs_manager() && self.kept_marker() != Some(Marker::Question);
        is_hidden.then_some(self.last_question)
    }

    /// The event that a manager should look at: the one that asks for attention, else the last one.
    pub fn shown_ref(&self) -> Reference {
        Reference::JobEvent(self.id, self.attention().unwrap_or(self.last.seq))
    }

    /// What it wants at `now`.
    pub fn marker(&self, now: Timestamp) -> Option<Marker> {
        self.kept_marker().or_else(|| self.is_stale(now).then_some(Marker::Stale))
    }

    /// Where it stands on the radar: what is most pressing first, then what runs, then the newest.
    pub fn radar_order(&self, now: Timestamp) -> (u8, bool, std::cmp::Reverse<u64>, super::JobId) {
        let rank = self.marker(now).map_or(u8::MAX, Marker::rank);
        (rank, self.status != Status::Running, std::cmp::Reverse(self.last.seq.0), self.id)
    }
}
