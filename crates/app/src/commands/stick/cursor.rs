//! What a waiter shows again, so that it is told only of what is new.

use std::fmt;

use baton_core::{
    code::ErrorCode,
    ids::Seq,
    lease::Fence,
    room::{Room, TakeoverReason},
    time::Timestamp,
};

use crate::Failure;

/// What a waiter was told last: how far the log was, and the takeover that was open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) seq: Seq,
    pub(super) takeover: Option<KnownTakeover>,
}

/// A takeover that a waiter knows of. The owner may come back and fall silent again, which is another one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownTakeover {
    turn: Fence,
    basis: TakeoverReason,
    since: Option<Timestamp>,
}

impl KnownTakeover {
    pub(super) fn of(room: &Room, basis: TakeoverReason) -> Self {
        let since = match basis {
            TakeoverReason::OwnerTimeout | TakeoverReason::ClaimTimeout => room.next_deadline(),
            TakeoverReason::OwnerGone | TakeoverReason::RecipientGone => None,
        };
        Self { turn: room.turn, basis, since }
    }
}

/// `17`, or with a takeover that is known `17.4.owner_timeout.1763434800000`. Callers give it back as it is.
impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.seq)?;
        match &self.takeover {
            Some(KnownTakeover { turn, basis, since }) => {
                write!(f, ".{turn}.{}.{}", basis.as_str(), since.map_or(0, Timestamp::as_millis))
            }
            None => Ok(()),
        }
    }
}

impl Cursor {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let read = || {
            let (seq, told) = text.split_once('.').map_or((text, None), |(seq, told)| (seq, Some(told)));
            let takeover = match told {
                Some(told) => {
                    let [turn, basis, since]: [&str; 3] = told.split('.').collect::<Vec<_>>().try_into().ok()?;
                    let since = Some(since.parse().ok()?).filter(|millis| *millis != 0).map(Timestamp::from_millis);
                    Some(KnownTakeover { turn: Fence(turn.parse().ok()?), basis: TakeoverReason::named(basis)?, since })
                }
                None => None,
            };
            Some(Self { seq: Seq(seq.parse().ok()?), takeover })
        };
        read().ok_or_else(|| {
            let message = "cursor must be one that wait_for_turn answered.";
            Failure::new(ErrorCode::InvalidInput, message).with("field", "cursor")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_anything_else_is_refused() {
        for text in ["0", "17", "17.4.owner_timeout.1763434800000", "17.4.owner_gone.0"] {
            assert_eq!(Cursor::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "-1", "x", "17.", "17.4", "17.4.sleepy.0", "17.4.owner_gone.0.0", "17.4.owner_gone.soon"] {
            assert_eq!(Cursor::parse(text).map(|_| ()).unwrap_err().code, ErrorCode::InvalidInput, "{text}");
        }
    }
}
