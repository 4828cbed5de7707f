//! Envelopes: handing things to other agents, along edges.

mod edge_add;
mod edge_list;
mod edge_remove;
mod party;
mod post;
mod request;
mod response;
mod send;

pub use edge_add::{EdgeAdd, EdgeAddInput};
pub use edge_list::{EdgeList, EdgeListInput, EdgeListResult, EdgeView};
pub use edge_remove::{EdgeRemove, EdgeRemoveInput};
pub(crate) use party::{called, known_as, reachable, sender};
pub(crate) use post::{Along, post};
pub use request::RequestView;
pub(crate) use request::{sent, why_over};
pub use response::ResponseInput;
pub use send::{AttachmentInput, Send, SendHandoffResult, SendInput, VerdictInput};
