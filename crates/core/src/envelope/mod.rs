//! Envelopes: what one agent hands to another, along an edge.
//!
//! An [`Envelope`] is the contract's JSON. It is one event with one recipient, and lies in the recipient's inbox
//! until a turn consumes it. Whoever asked for a response that is required is owed one until it comes.

mod decide;
mod draft;
mod event;
mod moment;
mod refusal;
mod shape;
mod state;
#[cfg(test)]
mod tests;

pub use decide::{Known, Sending};
pub use draft::{Draft, Ends, Party, check_context_ref};
pub use event::{EdgeRemoved, EdgeSet, Event, Forwarded, Sent};
pub use moment::Moment;
pub use refusal::{Refusal, part_of};
pub use shape::{
    Attachment, Envelope, EnvelopeKind, EnvelopePriority, Expectation, Payload, PayloadId, Response, Verdict,
};
pub use state::{Edge, Posted};
