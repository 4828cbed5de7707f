//! Feeds: one reader per streamed room, however many subscribe.
//!
//! A feed is a thread that listens at the room's door, reads what was written, renders each event once and puts it into
//! the feed's window; then it tells the head, and every subscriber helps itself. It ends when it finds that nobody
//! subscribes any more. It holds no lock while it reads, and none that a subscriber needs while it tells.
//!
//! Who does not take anything is not polled either, so it cannot be told that it is slow. The feed looks at how
//! far everybody has come, and rings for whoever took nothing while [`UNREAD_MAX`] events went by; its transport hears that
//! beside its connection.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use baton_app::{
    App, Caller, Cancel, Failure,
    watch::{Watch, Woken},
};
use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
    process::SessionKind,
    room::Actor,
};
use tokio::sync::{Semaphore, watch};

use crate::{Metrics, Rendered, blocking, window::Window};

/// Events that may be written while a subscriber takes none.
pub(crate) const UNREAD_MAX: u64 = 10_000;
/// How often a feed looks without having been rung for.
const SAFETY: Duration = Duration::from_secs(5);
/// Events that a feed reads at once.
const READ_EVENTS: u32 = 256;
/// How many events of the past a feed begins with, for those who come back.
const PAST_EVENTS: u64 = 32;
/// Most rooms that are streamed at a time: each has a thread.
pub(crate) const FEEDS_MAX: usize = 1_024;
/// Most subscribers at a time.
pub(crate) const SUBSCRIBERS_MAX: u64 = 16_384;
/// Pages that subscribers read from the store at a time, beside calls.
const PAGES_AT_ONCE: usize = 2;

/// All feeds of a server.
pub(crate) struct Feeds {
    pub(crate) app: Arc<App>,
    pub(crate) metrics: Arc<Metrics>,
    /// Who reads a page of the past.
    pub(crate) pages: Semaphore,
    feeds: Mutex<HashMap<RoomId, Arc<Feed>>>,
}

/// One streamed room.
pub(crate) struct Feed {
    pub(crate) room: RoomId,
    pub(crate) window: Window,
    /// The newest event that was told.
    pub(crate) head: watch::Sender<Seq>,
    /// Why it ended, if it could not go on.
    trouble: OnceLock<Failure>,
    subscribers: Mutex<Vec<Arc<Standing>>>,
    /// Ends it.
    cancel: Cancel,
}

/// How far a subscriber has come.
#[derive(Debug)]
pub(crate) struct Standing {
    /// Where the head was when it last took something.
    head: AtomicU64,
    /// Whether it is too far behind.
    pub(crate) overrun: watch::Sender<bool>,
}

impl Feeds {
    pub(crate) fn new(app: Arc<App>, metrics: Arc<Metrics>) -> Self {
        Self { app, metrics, pages: Semaphore::new(PAGES_AT_ONCE), feeds: Mutex::default() }
    }

    /// The feed of a room, with a new subscriber who has read up to `after`.
    pub(crate) fn join(self: &Arc<Self>, room: &RoomId, after: Seq) -> Result<(Arc<Feed>, Arc<Standing>), Failure> {
        // The ear first, then the look: what is written in between will be heard.
        let ear = match self.lock().contains_key(room) {
            true => None,
            false => Some(self.app.watch(&listener()?, room)?),
        };
        let newest = self.app.newest(room)?;
        if after > newest {
            let message = format!("after: the newest event of {room} is {newest}.");
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "after").with("newest", newest.0));
        }
        let mut feeds = self.lock();
        if self.metrics.subscribers() >= SUBSCRIBERS_MAX || (feeds.len() >= FEEDS_MAX && !feeds.contains_key(room)) {
            let message = format!("There are {SUBSCRIBERS_MAX} streams or {FEEDS_MAX} streamed rooms already.");
            return Err(Failure::new(ErrorCode::RateLimited, message)
                .with("retry_after_ms", 1_000)
                .advising("Close a stream that you do not read, or use `events.history`."));
        }
        let feed = match feeds.get(room) {
            Some(feed) => Arc::clone(feed),
            None => {
                let ear = ear.map_or_else(|| self.app.watch(&listener()?, room), Ok)?;
                let feed = Arc::new(Feed::new(room, Seq(newest.0.saturating_sub(PAST_EVENTS)))?);
                self.start(&feed, ear)?;
                feeds.insert(room.clone(), Arc::clone(&feed));
                feed
            }
        };
        let standing = Arc::new(Standing { head: AtomicU64::new(newest.0), overrun: watch::Sender::new(false) });
        feed.subscribers().push(Arc::clone(&standing));
        self.metrics.subscribed();
        Ok((feed, standing))
    }

    /// Ends all feeds.
    pub(crate) fn end(&self) {
        self.lock().values().for_each(|feed| feed.cancel.ring());
    }

    fn start(self: &Arc<Self>, feed: &Arc<Feed>, mut ear: Watch) -> Result<(), Failure> {
        let (feeds, feed) = (Arc::clone(self), Arc::clone(feed));
        let run = move || {
            let _counted = feeds.metrics.feeding();
            if let Err(failure) = blocking::inline(|| feeds.follow(&feed, &mut ear)) {
                feeds.lock().remove(&feed.room);
                feed.fail(failure);
            }
        };
        match thread::Builder::new().name("baton-feed".to_owned()).spawn(run) {
            Ok(_) => Ok(()),
            Err(error) => {
                Err(Failure::new(ErrorCode::Internal, format!("There is no thread for another stream: {error}.")))
            }
        }
    }

    /// Reads on whenever something was written, until nobody listens.
    fn follow(&self, feed: &Arc<Feed>, ear: &mut Watch) -> Result<(), Failure> {
        loop {
            match feed.read_on(&self.app, &self.metrics) {
                Ok(()) => {}
                // It comes back by itself, and the log is still there then.
                Err(failure) if passes(failure.code) => {}
                Err(failure) => return Err(failure),
            }
            if self.retire(feed) || ear.wait(SAFETY, &feed.cancel)? == Woken::Withdrawn {
                return Ok(());
            }
        }
    }

    /// Ends a feed that nobody subscribes to. Nobody can subscribe meanwhile.
    fn retire(&self, feed: &Feed) -> bool {
        let mut feeds = self.lock();
        let unheard = feed.subscribers().is_empty();
        if unheard {
            feeds.remove(&feed.room);
        }
        unheard
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RoomId, Arc<Feed>>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Standing {
    /// Counts it as never behind.
    pub(crate) fn never_mind(&self) {
        self.head.store(u64::MAX, Ordering::Relaxed);
    }
}

impl Feed {
    fn new(room: &RoomId, head: Seq) -> Result<Self, Failure> {
        let cancel = Cancel::new()
            .map_err(|error| Failure::new(ErrorCode::Internal, format!("A stream could not be prepared: {error}.")))?;
        Ok(Self {
            room: room.clone(),
            window: Window::default(),
            head: watch::Sender::new(head),
            trouble: OnceLock::new(),
            subscribers: Mutex::default(),
            cancel,
        })
    }

    /// Why it ended, if it could not go on.
    pub(crate) fn trouble(&self) -> Option<&Failure> {
        self.trouble.get()
    }

    /// Notes that a subscriber took something.
    pub(crate) fn took(&self, standing: &Standing) {
        standing.head.store(self.head.borrow().0, Ordering::Relaxed);
    }

    /// Forgets a subscriber.
    pub(crate) fn leave(&self, standing: &Arc<Standing>) {
        self.subscribers().retain(|other| !Arc::ptr_eq(other, standing));
    }

    /// Tells what was written since the head.
    fn read_on(&self, app: &App, metrics: &Metrics) -> Result<(), Failure> {
        loop {
            let head = *self.head.borrow();
            let found = app.records(&self.room, head, READ_EVENTS)?;
            let count = found.len();
            let Some(newest) = found.last().map(|record| record.seq) else { return Ok(()) };
            let rendered: Vec<_> = found.into_iter().map(Rendered::of).collect::<Result<_, _>>()?;
            metrics.read(count);
            self.window.extend(rendered.into_iter().map(Arc::new));
            self.head.send_replace(newest);
            self.look_for_the_slow(newest, metrics);
            if count < READ_EVENTS as usize {
                return Ok(());
            }
        }
    }

    fn look_for_the_slow(&self, head: Seq, metrics: &Metrics) {
        for standing in self.subscribers().iter() {
            let unread = head.0.saturating_sub(standing.head.load(Ordering::Relaxed));
            if unread > UNREAD_MAX && !standing.overrun.send_replace(true) {
                metrics.dropped();
            }
        }
    }

    fn fail(&self, failure: Failure) {
        let _ = self.trouble.set(failure);
        // Nothing new, but a reason to look.
        self.head.send_modify(|_| {});
    }

    fn subscribers(&self) -> MutexGuard<'_, Vec<Arc<Standing>>> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether trouble with the store is over when it is over.
fn passes(code: ErrorCode) -> bool {
    matches!(code, ErrorCode::StoreBusy | ErrorCode::StoreUnreachable | ErrorCode::StoreFull)
}

/// Who listens for a feed. It is no member of any room; a bell only asks whom it rings for.
pub(crate) fn listener() -> Result<Caller, Failure> {
    let agent_id = "baton:feed".parse().map_err(|error| Failure::new(ErrorCode::Internal, format!("{error}.")))?;
    let actor = Actor::found(agent_id, None, SessionKind::McpHarness);
    Ok(Caller::new(actor, PathBuf::new()))
}
