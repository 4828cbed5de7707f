//! What the tests stand on: a world of one's own, agents that are real processes, and transcripts of the command
//! line.

mod agent;
mod tidy;
mod transcript;
mod world;

pub(crate) use agent::{Agent, handoff};
pub(crate) use tidy::Tidy;
pub(crate) use transcript::Transcript;
pub(crate) use world::{Ran, World};
