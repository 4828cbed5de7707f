//! What a relay keeps in mind between its turns: what it sent and waits for, and what came of it.

use baton_app::commands::bus::RelayResult;
use baton_core::bus::{BusId, receiver::Order};

/// A relay between its turns.
#[derive(Debug, Default)]
pub(super) struct Relay {
    /// The conversation that it leads, once it has sent something.
    pub(super) context: Option<BusId>,
    /// What it sent last, as long as that has not ended.
    pub(super) awaited: Option<BusId>,
    /// What came of what it sent, for its next turn.
    pub(super) results: String,
    /// Whether it was interrupted: it goes on when somebody says something.
    pub(super) is_paused: bool,
    /// Who asked it something and hears in the end what came of it all.
    pub(super) asking: Vec<Order>,
}

impl Relay {
    /// Takes what became of what its model said.
    pub(super) fn heard(&mut self, result: &RelayResult) {
        if let Some(submitted) = &result.submitted {
            self.context = Some(submitted.context_id.clone());
            self.awaited = Some(submitted.group_id.clone());
        }
    }

    /// Forgets the conversation: the next thing it sends begins another.
    pub(super) fn renew(&mut self) {
        self.context = None;
        self.is_paused = false;
    }
}
