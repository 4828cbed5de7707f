//! Envelopes: what one agent hands to another, along an edge.
//!
//! An [`Envelope`] is the contract's JSON. It is one event with one recipient, and lies in the recipient's inbox
//! until a turn consumes it. Whoever asked for a response that is required is owed one until it comes.

mod event;
mod shape;
mod state;

pub use event::{EdgeRemoved, EdgeSet, Event, Forwarded, Sent};
pub use shape::{Attachment, Envelope, EnvelopeKind, Expectation, Payload, PayloadId, Response, Verdict};
pub use state::{Edge, Envelopes, Posted};
