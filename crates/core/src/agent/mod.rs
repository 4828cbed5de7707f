//! An agent: whether it is there, which names are taken, and whether a session may resume somebody's identity.
//!
//! An agent is a member of a room ([`crate::room`]): its id is the session's, its name is the persona's. The contract
//! keeps room for that split: `session_agent_id` is the id, `logical_agent_id` the name. Only adoption lets a name go on
//! in another session.

mod adoption;
mod connection;
mod former;
mod person;
mod presence;

pub(crate) use adoption::Prior;
pub use adoption::{Adopting, Evidence, Rejection, ResumeReason, Target};
pub use connection::{ConnectionFacts, ConnectionState, ConnectionStatus, RuntimeStream, Worker};
pub use former::Former;
pub use person::user_of;
pub use presence::{Presence, StaleAfter};
