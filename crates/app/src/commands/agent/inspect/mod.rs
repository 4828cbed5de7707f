//! One agent, all that went in and came out of it.

mod artifacts;
mod envelopes;
mod inbox;
mod read;
mod tools;
mod turns;
mod whose;

pub use inbox::InboxEntry;
pub use read::{Cursor, Inspect, InspectInput, InspectResult, Section};
pub use tools::ToolEntry;
pub use turns::TurnEntry;
