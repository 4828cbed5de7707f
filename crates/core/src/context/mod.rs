//! Context: what a room is for, and the packs in which that reaches an agent.
//!
//! The [`Brief`] says what all work in a room is for and what limits it.

mod brief;
mod event;
mod id;
mod state;

pub use brief::{Brief, BriefChange, InvalidBrief, Mode};
pub use event::{BriefSet, Event};
pub use id::PackId;
pub use state::{Context, Stated};
