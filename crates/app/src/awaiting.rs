//! What waits for an agent's next turn, for whoever runs it: asked whenever something happens in the room, so it is cheap.

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    inbox::Category,
};
use baton_store::inbox;

use crate::{App, Failure};

/// How much of an inbox is looked at for something that is no message of the bus.
const LOOKED_AT: u32 = 200;

impl App {
    /// The newest message for which what `agent` does is to be stopped, if there is one that it was not told.
    pub fn interrupted(&self, room: &RoomId, agent: &AgentId) -> Result<Option<Seq>, Failure> {
        self.store.read(|tx| Ok(inbox::interrupts(tx, room, agent)?.last().map(|item| item.message)))
    }

    /// The words of managers that `agent` was not told.
    pub fn managers_words(&self, room: &RoomId, agent: &AgentId) -> Result<Vec<Seq>, Failure> {
        self.store.read(|tx| {
            let waiting = inbox::untaken(tx, room, agent, LOOKED_AT)?.into_iter();
            Ok(waiting.filter(|item| item.category == Category::Manager).map(|item| item.message).collect())
        })
    }

    /// Whether something waits for a turn of `agent` that did not come over the bus. What did is taken there.
    pub fn is_awaited(&self, room: &RoomId, agent: &AgentId) -> Result<bool, Failure> {
        self.store.read(|tx| {
            let waiting = inbox::untaken(tx, room, agent, LOOKED_AT)?;
            Ok(waiting.iter().any(|item| item.category != Category::Message))
        })
    }
}
