//! A turn: a slice that is played on a thread of its own, so that the job's agent can be spoken to meanwhile.

use std::{
    sync::mpsc::{Receiver, TryRecvError, channel},
    thread::Scope,
};

use baton_app::Cancel;
use baton_core::{
    bus::{Control, What, receiver::Order},
    turn::TurnId,
};

use crate::{
    place::Place,
    slice::{self, Kept, Part},
    work::{Halted, Work},
};

/// What becomes of what the program says in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// It is sent to whoever asked.
    Answer,
    /// It is relayed.
    Lead,
    /// It is all that is remembered, by a conversation that begins anew.
    Compact,
    /// It is what is left of the program's own conversation, which goes on.
    CompactInPlace,
}

impl Purpose {
    /// What a turn about `orders` is for, in a relay or not. A program that can shorten a conversation of its own does.
    pub(super) fn of(orders: &[Order], is_relay: bool, can_compact: bool) -> Self {
        match orders.first().map(|order| &order.what) {
            Some(What::Control { command: Control::Compact, .. }) if can_compact => Self::CompactInPlace,
            Some(What::Control { command: Control::Compact, .. }) => Self::Compact,
            Some(What::Control { .. }) => Self::Answer,
            Some(What::Message { .. }) | None if is_relay => Self::Lead,
            Some(What::Message { .. }) | None => Self::Answer,
        }
    }
}

/// A turn that is played.
pub(super) struct Turn {
    pub(super) purpose: Purpose,
    pub(super) orders: Vec<Order>,
    pub(super) number: u32,
    pub(super) id: TurnId,
    result: Receiver<Result<Kept, Halted>>,
}

/// How far a turn is.
pub(super) enum Progress {
    /// It goes on.
    Running(Turn),
    /// It is over.
    Over(Turn, Box<Result<Kept, Halted>>),
    /// Its thread is gone without a word.
    Lost(Turn),
}

impl Turn {
    /// Begins one. `bell` rings when it is over.
    pub(super) fn start<'scope, 'env>(
        scope: &'scope Scope<'scope, 'env>,
        work: &'env Work<'env>,
        place: &'env Place,
        (purpose, orders): (Purpose, Vec<Order>),
        part: Part,
        bell: Cancel,
    ) -> Self {
        let ((send, result), number, id) = (channel(), part.number, part.turn);
        scope.spawn(move || {
            // Declared first, so it rings last, and however this ends.
            let _ring = Ring(bell);
            let send = send;
            let _ = send.send(slice::play(work, place, &work.claimed.job, part));
        });
        Self { purpose, orders, number, id, result }
    }

    /// Looks how far it is.
    pub(super) fn look(self) -> Progress {
        match self.result.try_recv() {
            Ok(result) => Progress::Over(self, Box::new(result)),
            Err(TryRecvError::Empty) => Progress::Running(self),
            Err(TryRecvError::Disconnected) => Progress::Lost(self),
        }
    }

    /// Waits for its end, and tells what it came to, if it came to anything.
    pub(super) fn wait(self) -> Option<Kept> {
        self.result.recv().ok()?.ok()
    }
}

/// Rings when it is dropped.
struct Ring(Cancel);

impl Drop for Ring {
    fn drop(&mut self) {
        self.0.ring();
    }
}
