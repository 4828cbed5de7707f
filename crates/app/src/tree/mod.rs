//! The files of a room's workspace: recorded with each handoff, compared at each claim.
//!
//! `look.rs` asks git, `files.rs` reads what is dirty, `artifacts.rs` looks for what a handoff points to. `handover.rs` is
//! the look before a handoff, `claim.rs` the one after a claim, `edits.rs` puts edits without a turn on record. Everything
//! here looks before or after a transaction, never within one; a workspace that is no git working tree, or is not on this
//! machine, is not looked at, and nothing is told of it.

mod artifacts;
mod claim;
mod edits;
mod files;
mod handover;
mod look;
mod view;

pub(crate) use claim::Received;
pub(crate) use look::RoomPaths;
pub use view::{ChangedPaths, DriftAuthor, DriftReason, DriftReport};
