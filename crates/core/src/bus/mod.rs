//! The bus: ordered actions and their results, conversations and who owns them, and who is connected.
//!
//! A session of the bus is a room. An action is an event of the room's log, which is the order in which its target gets
//! it; it lies in the target's inbox like any other message. What a target makes of it comes back as results, of which
//! the last is terminal. Start at [`Submission::decide`] and [`Action::report`].
//!
//! `relay` reads what the model of a conversation's owner says, `receiver` has the rules of a target's own runtime.
//!
//! What must stay true: an action ends once; only its target reports on it, unless the target is gone; only its owner
//! leads a conversation and says how far its tasks are, and no reply is replied to, so that two agents cannot keep each
//! other talking.

mod action;
mod decide;
mod draft;
mod event;
pub mod receiver;
mod refusal;
pub mod relay;
mod state;
mod task;
#[cfg(test)]
mod tests;

pub use action::{BusId, Context, Control, Data, Kind, Plan, Status, What};
pub use decide::{Known, Parent, Report, Submission, Word, place_of};
pub use draft::{ActionDraft, ContextDraft, Draft, WhatDraft};
pub use event::{Connected, Disconnected, Event, Messaged, Resulted, Returned, Submitted, TaskReported, TaskStatus};
pub use refusal::Refusal;
pub use state::{Action, Connection, Conversation, Ended, StreamEnd, Task, begun_by};
pub use task::{Standing, TaskLead, TaskReport};
