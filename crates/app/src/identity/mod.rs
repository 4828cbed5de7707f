//! Who is calling: one resolver for MCP and for the shell, so that an agent is one agent on both.
//!
//! [`Surroundings`] gathers what the operating system tells about this process, or one that is connected to it, once. [`resolve()`] turns that, and
//! what a call says about its client, into an [`Actor`](baton_core::room::Actor); it is pure, and cheap enough to
//! run on every call. In order: an override by hand; the job of the minder above it, or of `BATON_JOB`; the harness, and its own
//! conversation id where it gives one; else the harness's process; for people, their terminal and the shell that leads it;
//! else the program behind the shells. [`Surroundings::rights`] grants an operator's rights to a person at a terminal with
//! no harness, minder or job anywhere above, and to nobody else.
//!
//! What must stay true: a harness's MCP child and its shell commands come out as the same agent with the same
//! process, and a short-lived command's own pid is never the holder.

mod agent_id;
mod ancestry;
mod assignment;
mod claude_record;
mod harness;
mod own_id;
mod peer;
mod resolve;
mod screens;
mod settle;
mod shells;
mod signature;
mod surroundings;
mod terminal;
#[cfg(test)]
mod tests;

pub(crate) use own_id::{advised, require_own_id};

pub use ancestry::{Ancestor, Ancestry};
pub use assignment::{Assignment, BATON_JOB, Employment, InvalidAssignment};
pub use claude_record::RecordStamp;
pub use resolve::{AgentAbove, Conversation, Resolved, Signals, Surface, Told, guardian, resolve, resolve_remote};
pub use screens::screens;
pub use signature::{CALLER_ARGUMENT, HookKey};
pub use surroundings::Surroundings;
