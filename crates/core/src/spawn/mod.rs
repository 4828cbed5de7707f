//! Spawning: an agent asks for another one, and somebody decides.
//!
//! A request is not an instruction. It waits as an approval, under a number that the room gives, until an operator or the
//! room's policy decides; then it is a job, with its first envelope and an edge to whoever asked. The new agent never may do
//! more than the one that asked for it.

mod bounds;
mod decide;
mod digest;
mod event;
mod refusal;
mod state;
#[cfg(test)]
mod tests;

pub use bounds::{Bounds, Wishes};
pub use decide::{Changes, Decision};
pub use digest::SpecDigest;
pub use event::{Approved, Denied, Event, Granted, NodeSpec, Requested};
pub use refusal::Refusal;
pub use state::{Approval, ApprovalId, ApprovalStatus, Grant, Grants};
