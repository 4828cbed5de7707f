//! Exit statuses. They are part of the interface: scripts and agents branch on them.

use std::process::ExitCode;

use baton_core::code::{ErrorCode, Kind};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It was done.
    Done,
    /// Baton or its store failed.
    Failed,
    /// The request itself was wrong.
    Usage,
    /// The room's state said no.
    Refused,
    /// What it names does not exist.
    NotFound,
    /// `wait`: it is not your turn, and the time is up. `job claim`: there is nothing to claim. On the bus: nothing came, or
    /// something has not ended, and the time is up. `await`: not all are done.
    NotYet,
    /// `wait`: the stick may be taken over.
    TakeoverAvailable,
    /// `wait`, `bus take`: the room is closed.
    Closed,
    /// `wait --park`: the stick is kept for you.
    KeptForYou,
    /// `wait`: somebody sent you something.
    Message,
    /// `bus submit --wait`, `bus wait`: an action was rejected, or ended in an error. `await`: somebody is gone.
    NotCompleted,
}

impl Exit {
    /// The status of a "no".
    pub(crate) fn of(code: ErrorCode) -> Self {
        match code.kind() {
            Kind::Invalid => Self::Usage,
            Kind::NotFound => Self::NotFound,
            Kind::Refused => Self::Refused,
            Kind::Failed => Self::Failed,
        }
    }

    /// Whether it goes with an answer. What `wait` says is one, whichever it is; the status tells them apart.
    pub(crate) const fn is_answer(self) -> bool {
        match self {
            Self::Done
            | Self::NotYet
            | Self::TakeoverAvailable
            | Self::Closed
            | Self::KeptForYou
            | Self::Message
            | Self::NotCompleted => true,
            Self::Failed | Self::Usage | Self::Refused | Self::NotFound => false,
        }
    }

    /// The number a shell sees.
    pub(crate) const fn status(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::NotFound => 4,
            Self::NotYet => 10,
            Self::TakeoverAvailable => 11,
            Self::Closed => 12,
            Self::KeptForYou => 13,
            Self::Message => 14,
            Self::NotCompleted => 15,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.status())
    }
}
