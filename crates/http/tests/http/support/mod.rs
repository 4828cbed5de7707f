//! A server of one's own, and somebody to talk to it.

mod ask;
mod browser;
mod peer;
mod world;

pub(crate) use ask::Ask;
pub(crate) use browser::{Browser, Shown, words};
pub(crate) use peer::{Answer, Event, Peer};
pub(crate) use world::World;

use std::time::Duration;

/// Longer than anything here takes; a hang becomes a failure.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
