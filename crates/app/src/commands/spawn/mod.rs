//! Asking for further agents, deciding on it, and who may ask.
//!
//! A request is not an instruction. It waits for an operator, or the room's policy decides; then it is a job, with its first
//! envelope and an edge to whoever asked. No agent gets one that may do more than itself, whichever way it asks.

mod approval_list;
mod approval_resolve;
mod authority;
mod grant;
mod node;
mod request;
mod view;

pub use approval_list::{ApprovalList, ApprovalListInput, ApprovalListResult};
pub use approval_resolve::{ApprovalResolve, ApprovalResolveInput, ApprovalResolveResult};
pub(crate) use authority::bounded;
pub use grant::{Grant, GrantInput, GrantResult};
pub(crate) use node::{decided, pending_digest, pending_spec, requested};
pub use request::{Request, SpawnInput, SpawnResult};
pub use view::ApprovalView;
