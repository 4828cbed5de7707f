//! The one thread of a process that hears notifications, and holds the seats of its listeners.
//!
//! All waits of a process share one connection for it. [`ear`] is a wait's own bell; [`watch`] is the thread. The
//! thread starts with the first wait and ends some time after the last, and its connection with it. When the
//! connection breaks it comes back by itself, takes the seats again, and rings for everybody, so that whatever
//! happened meanwhile is seen.

mod ear;
mod watch;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    os::fd::OwnedFd,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        mpsc::{RecvTimeoutError, Sender, channel as answers},
    },
    thread,
};

use super::{pool::Pool, silence::AWAY_DEADLINE};
use crate::{StoreError, engine::Seat};

pub(super) use ear::Ear;

/// What the rest of the process wants of the thread.
enum Wish {
    /// To hear a channel.
    Listen { channel: String, answer: Sender<Result<(), StoreError>> },
    /// To be the only one of a name.
    Sit { name: String, answer: Sender<Result<bool, StoreError>> },
    /// To be that no longer.
    Stand { name: String },
}

/// What the thread and its callers share.
struct Shared {
    pool: Arc<Pool>,
    /// Wakes the thread.
    nudge: OwnedFd,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: bool,
    closed: bool,
    wishes: VecDeque<Wish>,
    /// Who listens to which channel.
    ears: HashMap<String, Vec<Weak<Ear>>>,
    /// The channels that the server knows of, on the connection that stands.
    heard: HashSet<String>,
}

impl State {
    /// Forgets what belonged to the thread. Those who wait for an answer are told by that.
    fn end(&mut self) {
        self.running = false;
        self.heard.clear();
        self.wishes.clear();
    }

    fn has_ears(&self) -> bool {
        self.ears.values().flatten().any(|ear| ear.strong_count() > 0)
    }
}

/// The thread, from outside.
pub(super) struct Keeper {
    shared: Result<Arc<Shared>, String>,
}

impl Keeper {
    pub(super) fn new(pool: Arc<Pool>) -> Self {
        let shared = ear::bell().map(|nudge| Arc::new(Shared { pool, nudge, state: Mutex::default() }));
        Self { shared: shared.map_err(|error| error.to_string()) }
    }

    /// An ear on `channel`. What is committed from now on will be heard.
    pub(super) fn listen(&self, channel: String) -> Result<ear::Listener, StoreError> {
        let shared = self.shared()?;
        let ear = Arc::new(Ear::new().map_err(|error| shared.wrong(&error.to_string()))?);
        let known = {
            let mut state = shared.state();
            // Heard first and asked for then, so that nothing falls in between.
            let ears = state.ears.entry(channel.clone()).or_default();
            ears.retain(|ear| ear.strong_count() > 0);
            ears.push(Arc::downgrade(&ear));
            state.heard.contains(&channel)
        };
        if !known {
            shared.ask(|answer| Wish::Listen { channel, answer })?;
        }
        Ok(ear::Listener::new(ear))
    }

    /// The seat of this name, or nothing while somebody else sits there.
    pub(super) fn seat(&self, name: &str) -> Result<Option<TakenSeat>, StoreError> {
        let shared = self.shared()?;
        let taken = shared.ask(|answer| Wish::Sit { name: name.to_owned(), answer })?;
        Ok(taken.then(|| TakenSeat { name: name.to_owned(), shared: shared.clone() }))
    }

    fn shared(&self) -> Result<&Arc<Shared>, StoreError> {
        self.shared.as_ref().map_err(|detail| StoreError::Unavailable {
            place: "the process".to_owned(),
            detail: format!("it has no descriptors left: {detail}"),
        })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Ok(shared) = &self.shared {
            shared.state().closed = true;
            ear::ring(&shared.nudge);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a wish to the thread, which is started if need be, and waits for what it says.
    fn ask<T>(self: &Arc<Self>, wish: impl FnOnce(Sender<Result<T, StoreError>>) -> Wish) -> Result<T, StoreError> {
        let (answer, answered) = answers();
        self.wish(wish(answer));
        // The thread may be at somebody else's wish, and the server away for that: nobody waits longer than for their own.
        match answered.recv_timeout(AWAY_DEADLINE) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => Err(self.wrong("the thread that listens has ended")),
            Err(RecvTimeoutError::Timeout) => {
                let detail = "no answer came in time".to_owned();
                Err(StoreError::Unreachable { place: self.pool.place().to_owned(), detail })
            }
        }
    }

    fn wish(self: &Arc<Self>, wish: Wish) {
        let mut state = self.state();
        state.wishes.push_back(wish);
        if !state.running {
            let shared = self.clone();
            let started = thread::Builder::new()
                .name("baton-listener".to_owned())
                .stack_size(256 * 1024)
                .spawn(move || watch::run(&shared));
            match started {
                Ok(_) => state.running = true,
                // Dropping the wishes tells those who wait for an answer.
                Err(_) => state.wishes.clear(),
            }
        }
        drop(state);
        ear::ring(&self.nudge);
    }

    fn wrong(&self, detail: &str) -> StoreError {
        StoreError::Unavailable { place: self.pool.place().to_owned(), detail: detail.to_owned() }
    }
}

/// A seat that is taken until this is dropped.
pub(super) struct TakenSeat {
    name: String,
    shared: Arc<Shared>,
}

impl Seat for TakenSeat {}

impl Drop for TakenSeat {
    fn drop(&mut self) {
        self.shared.wish(Wish::Stand { name: std::mem::take(&mut self.name) });
    }
}
