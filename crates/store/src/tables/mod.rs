//! The tables of parts: their columns, and the questions that are asked of them.

pub mod bus;
pub mod context;
pub mod envelopes;
pub mod former;
pub mod inbox;
pub mod jobs;
pub mod library;
pub mod runners;
pub mod scopes;
pub mod spawns;
pub mod tasks;
pub mod turns;
