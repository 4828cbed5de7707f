//! The use cases of Baton: one transaction each, listed in one table.
//!
//! A use case loads a room, lets the core decide, stores what it decided, and rings the bell. What the rules
//! must not touch is here too: the clock, fresh ids, the environment, and what can be found out about paths
//! and processes. Everything is synchronous; adapters cross over in one helper each.
//!
//! Start at [`table::TABLE`]. An adapter makes a [`Caller`] with [`identity`], finds a [`table::Command`] and
//! runs it.

mod app;
pub mod artifacts;
mod attendance;
pub mod attention;
mod awaiting;
pub mod beads;
pub mod boundary;
mod bounds;
pub mod bus;
mod caller;
pub mod clock;
mod command_line;
pub mod commands;
mod confinement;
pub mod connection;
pub mod copy;
pub mod doctor;
mod employment;
mod envelope;
pub mod environment;
mod failure;
pub mod git;
pub mod hold;
pub mod hook;
pub mod identity;
pub mod liveness;
mod packs;
pub mod patches;
pub mod paths;
mod presence;
pub mod programs;
mod proof;
mod refs;
pub mod replay;
pub mod runner_starts;
pub mod scope_events;
mod scoping;
pub mod table;
mod telling;
mod testimony;
pub mod tree;
mod turns;
mod unit;
pub mod view;
pub mod watch;
mod whereabouts;
pub mod wording;

pub use app::App;
pub use baton_store::{Address, Location};
pub use caller::{Caller, Cancel, Connection, Rights};
pub use command_line::quoted;
pub use confinement::WriteBounds;
pub use envelope::Envelope;
pub use failure::Failure;
