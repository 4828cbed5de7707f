//! Who an agent is: how present it is, which names are taken, and whether a session may resume somebody's identity.
//!
//! An agent is a member of a room ([`crate::room`]): its id is the session's, its name is the persona's. The contract
//! keeps room for that split: `session_agent_id` is the id, `logical_agent_id` the name. Only adoption lets a name go on
//! in another session.

mod adoption;
mod former;
mod presence;

pub(crate) use adoption::Prior;
pub use adoption::{Adopting, Evidence, Rejection, ResumeReason, Target};
pub use former::{Former, Given};
pub use presence::{Presence, StaleAfter};
