//! Envelopes: handing things to other agents, along edges.

mod edges;
mod party;
mod post;
mod request;
mod send;

pub use edges::{
    EdgeAdd, EdgeAddInput, EdgeList, EdgeListInput, EdgeListResult, EdgeRemove, EdgeRemoveInput, EdgeView,
};
pub(crate) use party::{called, known_as, reachable, sender};
pub(crate) use post::{Along, post};
pub use request::{RequestView, ResponseInput};
pub(crate) use request::{sent, why_over};
pub use send::{AttachmentInput, Send, SendHandoffResult, SendInput, VerdictInput};
