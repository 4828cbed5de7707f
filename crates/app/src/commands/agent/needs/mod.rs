//! What waits for a person, wherever it waits: questions, approvals, messages, jobs that went wrong, sticks that nobody
//! moves, collisions.
//!
//! All of it is state that the transitions keep, and found through indexes: however much happened in a room, a look at it
//! costs what it shows. Looking changes nothing; a message is not delivered by it.

mod jobs;
mod mail;
mod paths;
mod read;
mod scene;
mod sessions;
mod stick;
mod view;

pub use read::{Needs, NeedsInput, NeedsResult};
pub use view::{Evidence, Need, NeedKind, Whom};
