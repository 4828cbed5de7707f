//! Turns: one run of an agent over what lies in its inbox.
//!
//! A turn takes what is queued for its agent, and says so; what the agent was told, which tools it used, and how it ended are
//! events of their own. What a turn consumed is accepted with its good end. If it fails, or whoever ran it is lost, it
//! goes back to the queue, in order, once.
//!
//! Start at [`Beginning::decide`], [`Turn::end`] and [`Turn::lost`].
//!
//! What must stay true: an agent has at most one open turn, and an item is in at most one turn that did not fail.

mod decide;
mod event;
mod refusal;
mod state;
#[cfg(test)]
mod tests;

pub use decide::{Beginning, Ending, Telling, Under, Voice, takes};
pub use event::{Begun, Ended, Event, Outcome, PromptMode, Prompted, ToolState, ToolUse, ToolsUsed, Usage};
pub use refusal::Refusal;
pub use state::{Stream, StreamStatus, Turn, TurnId};
