//! What a stream is made from: the hub's subscription to a room, or an agent's runtime.

use std::sync::Arc;

use baton_app::Failure;
use baton_bus::{Next, Overrun, Push, Pushed, Rendered, Runtime, Subscription};
use bytes::Bytes;

/// Where what is written comes from.
pub(super) enum Source {
    Events(Subscription),
    Actions(Box<Runtime>),
}

/// What is to be written.
pub(super) enum Item {
    Event(Arc<Rendered>),
    Action(Arc<Pushed>),
    Dropped(Failure),
    Closing,
}

impl Source {
    /// What the stream is called on the socket, and in the envelope of a "no".
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Events(_) => super::open::EVENTS,
            Self::Actions(_) => super::open::ACTIONS,
        }
    }

    /// A bell for when its reader does not read. What a runtime does not read waits in its agent's inbox.
    pub(super) fn overrun(&self) -> Option<Overrun> {
        match self {
            Self::Events(subscription) => Some(subscription.overrun()),
            Self::Actions(_) => None,
        }
    }

    /// Waits for what comes next. May be dropped at any time and called again.
    pub(super) async fn next(&mut self) -> Item {
        match self {
            Self::Events(subscription) => match subscription.next().await {
                Next::Record(event) => Item::Event(event),
                Next::Dropped(failure) => Item::Dropped(failure),
                Next::Closing => Item::Closing,
            },
            Self::Actions(runtime) => match runtime.next().await {
                Push::Delivery(pushed) => Item::Action(pushed),
                Push::Dropped(failure) => Item::Dropped(failure),
                Push::Closing => Item::Closing,
            },
        }
    }
}

/// An event or an action as it is written.
pub(super) fn frame(seq: impl std::fmt::Display, kind: &str, json: &str) -> Bytes {
    Bytes::from(format!("id: {seq}\nevent: {kind}\ndata: {json}\n\n"))
}
