//! What the tests stand on: a world of one's own, agents that are real processes, transcripts of the command line,
//! and machines that are namespaces.

mod agent;
mod crew;
mod crowd;
mod dice;
mod live;
mod lock;
mod machine;
mod network;
mod repository;
mod runner;
mod terminal;
mod tidy;
mod transcript;
pub(crate) mod web;
mod world;

pub(crate) use agent::{Agent, handoff};
pub(crate) use crew::Crew;
pub(crate) use crowd::{all_at_once, assert_turns_of, takes_turns};
pub(crate) use dice::Dice;
pub(crate) use live::{Live, ready};
pub(crate) use lock::RoomLock;
pub(crate) use machine::Machine;
pub(crate) use network::Network;
pub(crate) use runner::{Pipe, Runner, is_gone};
pub(crate) use terminal::Terminal;
pub(crate) use tidy::Tidy;
pub(crate) use transcript::Transcript;
pub(crate) use web::{Events, Web};
pub(crate) use world::{BATON, PATIENCE, Ran, World};
