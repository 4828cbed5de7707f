//! Asking for further agents, deciding on it, and who may ask.
//!
//! A request is not an instruction. It waits for an operator, or the room's policy decides; then it is a job, with its first
//! envelope and an edge to whoever asked. No agent gets one that may do more than itself, whichever way it asks.

mod approvals;
mod grant;
mod node;
mod request;

pub use approvals::{
    ApprovalList, ApprovalListInput, ApprovalListResult, ApprovalResolve, ApprovalResolveInput, ApprovalResolveResult,
    ApprovalView,
};
pub use grant::{Grant, GrantInput, GrantResult};
pub(crate) use node::{decided, pending_digest, pending_spec, requested};
pub(crate) use request::bounded;
pub use request::{Request, SpawnInput, SpawnResult};
