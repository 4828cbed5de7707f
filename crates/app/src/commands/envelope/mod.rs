//! Envelopes: handing things to other agents, along edges.

mod party;
mod post;
mod request;
mod send;

pub(crate) use party::{Found, called, party, sender};
pub(crate) use post::{Along, PostedNow, post};
pub use request::RequestView;
pub(crate) use request::{sent, why_over};
pub use send::{Send, SendHandoffResult, SendInput};
