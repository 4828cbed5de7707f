//! The rules of Baton, and nothing else.
//!
//! This crate does no I/O. It never reads a clock, an environment variable or a random number, and it
//! knows no SQL and no transport. Time, fresh ids and what was seen of a process arrive as arguments;
//! what comes back is an event to store or a refusal to show.
//!
//! Start at [`room::Room::decide`]: it answers a command, and [`room::Room::apply`] folds the event that
//! it produced. The rest of the crate is the vocabulary those two speak: [`ids`], [`time`], the [`lease`]
//! that everything leans on, the [`handoff`] that travels with the stick, and the bounds in [`limits`].
//! [`scope`], [`task`], [`inbox`], [`job`], [`runner`], [`library`], [`bus`], [`context`], [`envelope`], [`turn`] and [`spawn`] are further parts of a room with the same shape,
//! and [`event`] is the one log of them all. [`guard`] reads tool calls and is no part of a room.
//!
//! What must stay true: folding a room's events, in order, gives the room that is stored.
#![warn(missing_docs)]

pub mod agent;
pub mod bus;
pub mod claimant;
pub mod code;
pub mod context;
pub mod envelope;
pub mod event;
pub mod guard;
pub mod handoff;
pub mod ids;
pub mod inbox;
pub mod job;
pub mod lease;
pub mod library;
pub mod limits;
pub mod names;
mod number;
pub mod part;
pub mod patch;
pub mod policy;
pub mod process;
pub mod protocol;
pub mod redact;
pub mod reference;
pub mod room;
pub mod runner;
pub mod scope;
pub mod search;
pub mod spawn;
pub mod task;
pub mod text;
pub mod time;
pub mod tree;
pub mod turn;
mod words;
