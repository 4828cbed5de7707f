//! A subscriber: a cursor over a room's log, which catches up by pages and then lives off the feed's window. And an ear,
//! which only wants to know that something happened.
//!
//! What must stay true: the cursor moves only with an event that is handed out, and only to the next place, so that there
//! is no gap and no repeat, even when [`Subscription::next`] is dropped half-way.

use std::{collections::VecDeque, future, sync::Arc};

use baton_app::Failure;
use baton_core::{code::ErrorCode, ids::Seq};
use tokio::sync::watch;

use crate::{
    Credential, Permit, Rendered, blocking,
    credential::revoked,
    feed::{Feed, Feeds, Standing, UNREAD_MAX},
};

/// Events that a subscriber takes from the window at once.
const BATCH_EVENTS: usize = 64;
/// Events of one page of the past.
const PAGE_EVENTS: u32 = 128;
/// Bytes of one page of the past, beyond its first event: what a subscriber that reads nothing holds at most.
const PAGE_BYTES: usize = 256 * 1024;

/// What a subscriber hears next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The next event.
    Record(Arc<Rendered>),
    /// That it was dropped: it did not read, its credential stopped counting, or the log cannot be read.
    Dropped(Failure),
    /// That the server is about to end.
    Closing,
}

/// A stream of a room's events. It ends when it is dropped.
pub struct Subscription {
    feeds: Arc<Feeds>,
    feed: Arc<Feed>,
    standing: Arc<Standing>,
    head: watch::Receiver<Seq>,
    closing: watch::Receiver<bool>,
    credential: Credential,
    _permit: Permit,
    /// The last event that was handed out.
    cursor: Seq,
    /// What comes next, read already.
    ready: VecDeque<Arc<Rendered>>,
}

/// Tells that a subscriber was dropped, even while nobody polls it.
#[derive(Clone, Debug)]
pub struct Overrun(watch::Receiver<bool>);

impl Overrun {
    /// Waits until the subscriber is dropped for not reading. Never returns when it ends otherwise.
    pub async fn happens(&mut self) {
        if self.0.wait_for(|overrun| *overrun).await.is_err() {
            future::pending().await
        }
    }
}

impl Subscription {
    pub(crate) fn new(
        feeds: Arc<Feeds>,
        (feed, standing): (Arc<Feed>, Arc<Standing>),
        after: Seq,
        closing: watch::Receiver<bool>,
        (credential, permit): (Credential, Permit),
    ) -> Self {
        let head = feed.head.subscribe();
        let ready = VecDeque::new();
        Self { feeds, feed, standing, head, closing, credential, _permit: permit, cursor: after, ready }
    }

    /// The last event that was handed out: where to go on after a break.
    pub fn cursor(&self) -> Seq {
        self.cursor
    }

    /// A bell for a transport that cannot poll this while its peer does not read.
    pub fn overrun(&self) -> Overrun {
        Overrun(self.standing.overrun.subscribe())
    }

    /// Waits for the next event. May be dropped at any time and called again.
    pub async fn next(&mut self) -> Next {
        loop {
            if *self.closing.borrow() {
                return Next::Closing;
            }
            if let Some(reason) = self.credential.end() {
                return Next::Dropped(revoked(&reason).with("after", self.cursor.0));
            }
            if *self.standing.overrun.borrow() {
                return Next::Dropped(self.too_slow(self.cursor));
            }
            if let Some(event) = self.ready.pop_front() {
                self.cursor = event.seq;
                self.feed.took(&self.standing);
                self.feeds.metrics.took();
                return Next::Record(event);
            }
            match self.feed.window.after(self.cursor, BATCH_EVENTS) {
                Some(events) if !events.is_empty() => self.ready = events,
                Some(_) | None if self.is_caught_up() => match self.feed.trouble() {
                    Some(trouble) => return Next::Dropped(trouble.clone()),
                    None => self.something_happens().await,
                },
                Some(_) | None => match self.page().await {
                    Ok(events) => self.ready = events,
                    Err(failure) => return Next::Dropped(failure),
                },
            }
        }
    }

    fn is_caught_up(&mut self) -> bool {
        // What is seen here counts as seen: only what comes after it wakes.
        self.cursor >= *self.head.borrow_and_update()
    }

    async fn something_happens(&mut self) {
        // Either error means that the server or the feed is gone, which the next look finds out.
        tokio::select! {
            _ = self.head.changed() => {}
            _ = self.closing.changed() => {}
            _ = self.credential.ended() => {}
        }
    }

    /// Reads on in the store.
    async fn page(&self) -> Result<VecDeque<Arc<Rendered>>, Failure> {
        let permit = self.feeds.pages.acquire().await;
        let (feeds, room, after) = (Arc::clone(&self.feeds), self.feed.room.clone(), self.cursor);
        let read = blocking::cross(move || {
            let mut bytes = 0;
            let mut page = VecDeque::new();
            for record in feeds.app.records(&room, after, PAGE_EVENTS)? {
                let event = Rendered::of(record)?;
                bytes += event.json.len();
                page.push_back(Arc::new(event));
                if bytes > PAGE_BYTES {
                    break;
                }
            }
            feeds.metrics.read(page.len());
            Ok(page)
        });
        let page = read.await?;
        drop(permit);
        if page.is_empty() {
            let message = format!("The events after {after} of {} are gone.", self.feed.room);
            return Err(Failure::new(ErrorCode::StoreCorrupt, message));
        }
        Ok(page)
    }

    /// Why it is dropped, if its reader does not read. `sent` is the last that was sent to that, where to go on.
    pub fn too_slow(&self, sent: Seq) -> Failure {
        let room = &self.feed.room;
        let message = format!("More than {UNREAD_MAX} events of {room} were written while none was read.");
        Failure::new(ErrorCode::SlowConsumer, message).with("after", sent.0)
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.feed.leave(&self.standing);
        self.feeds.metrics.unsubscribed();
    }
}

/// Hears that something happened in a room. It has nothing to catch up with, so nobody drops it, however slow it is.
pub(crate) struct Ear {
    feeds: Arc<Feeds>,
    feed: Arc<Feed>,
    standing: Arc<Standing>,
    head: watch::Receiver<Seq>,
    closing: watch::Receiver<bool>,
    /// Up to where it has heard.
    heard: Seq,
}

impl Ear {
    /// Listens to what comes after `after`.
    pub(crate) fn new(
        feeds: Arc<Feeds>,
        (feed, standing): (Arc<Feed>, Arc<Standing>),
        after: Seq,
        closing: watch::Receiver<bool>,
    ) -> Self {
        standing.never_mind();
        let head = feed.head.subscribe();
        Self { feeds, feed, standing, head, closing, heard: after }
    }

    /// Waits for an event that matters, or one that may have. May be dropped at any time and called again.
    pub(crate) async fn hears(&mut self, matters: impl Fn(&Rendered) -> bool) -> Result<Heard, Failure> {
        loop {
            if *self.closing.borrow() {
                return Ok(Heard::Closing);
            }
            let head = *self.head.borrow_and_update();
            if head > self.heard {
                // What is not in the window any more may have mattered.
                let since = self.feed.window.after(self.heard, usize::MAX);
                self.heard = head;
                if since.is_none_or(|events| events.iter().any(|event| matters(event))) {
                    return Ok(Heard::Something);
                }
            }
            if let Some(trouble) = self.feed.trouble() {
                return Err(trouble.clone());
            }
            tokio::select! {
                _ = self.head.changed() => {}
                _ = self.closing.changed() => {}
            }
        }
    }
}

/// What an ear hears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Something happened.
    Something,
    /// The server is about to end.
    Closing,
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.feed.leave(&self.standing);
        self.feeds.metrics.unsubscribed();
    }
}
