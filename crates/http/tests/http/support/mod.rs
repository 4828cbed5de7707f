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

/// Text that would be a script, if anybody took it for HTML.
pub(crate) const EVIL: &str = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&";
