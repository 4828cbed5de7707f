//! A few connections, and coming back after the server was away.
#![expect(clippy::disallowed_methods, reason = "this module is a wait: it measures and sleeps")]

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use super::{
    connect::Connector,
    link::Link,
    migrate,
    silence::{AWAY_DEADLINE, Silence},
};
use crate::StoreError;

/// Connections that a process has at most. A server has a hundred for everybody, unless it is told otherwise.
const OPEN_MAX: usize = 8;

/// Connections that it keeps for the next caller.
const IDLE_MAX: usize = 2;

/// The first pause before trying again, and the longest.
const PAUSE: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_millis(500);

/// The connections of one process to one store.
pub(super) struct Pool {
    connector: Connector,
    state: Mutex<State>,
    freed: Condvar,
    /// Whether the schema is known to be up to date.
    ready: Mutex<bool>,
    /// Whether the server was ever there. Before that, an address that does not answer is simply wrong.
    reached: AtomicBool,
}

#[derive(Default)]
struct State {
    idle: Vec<Link>,
    open: usize,
}

impl Pool {
    pub(super) fn new(connector: Connector) -> Self {
        Self {
            connector,
            state: Mutex::default(),
            freed: Condvar::new(),
            ready: Mutex::new(false),
            reached: AtomicBool::new(false),
        }
    }

    pub(super) fn place(&self) -> &str {
        self.connector.place()
    }

    /// A connection that stands, as far as can be seen from here, until it is let go. What is waited for it counts for what is
    /// asked on it.
    pub(super) fn take(&self, silence: &mut Silence) -> Result<Taken<'_>, StoreError> {
        let idle = self.reserve(silence.end())?;
        let made = match idle {
            Some(link) => Ok(link),
            None => self.connect_ready(silence),
        };
        if made.is_err() {
            self.release(None);
        }
        let link = Link { silence: *silence, ..made? };
        Ok(Taken { pool: self, link: Some(link) })
    }

    /// A connection of its own for somebody who keeps it. It does not count.
    pub(super) fn apart(&self, silence: &mut Silence) -> Result<Link, StoreError> {
        self.connect(silence)
    }

    /// Gives up connections that nobody uses: where one said nothing any more, the others hardly do.
    pub(super) fn distrust_idle(&self) {
        let mut state = self.lock();
        state.open -= state.idle.len();
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        drop(idle);
        self.freed.notify_all();
    }

    /// A place among the open connections, and one that idles, if any does.
    fn reserve(&self, deadline: Instant) -> Result<Option<Link>, StoreError> {
        let mut state = self.lock();
        loop {
            while let Some(mut link) = state.idle.pop() {
                if link.driver.look() {
                    return Ok(Some(link));
                }
                state.open -= 1;
            }
            if state.open < OPEN_MAX {
                state.open += 1;
                return Ok(None);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let holder = "the other calls of this process, which use all its connections".to_owned();
                return Err(StoreError::Busy { holder, waited_ms: AWAY_DEADLINE.as_millis() as u64 });
            }
            state = self.freed.wait_timeout(state, left).map_or_else(|error| error.into_inner().0, |(state, _)| state);
        }
    }

    fn release(&self, link: Option<Link>) {
        let mut state = self.lock();
        match link {
            Some(link) if state.idle.len() < IDLE_MAX => state.idle.push(link),
            Some(_) | None => state.open -= 1,
        }
        drop(state);
        self.freed.notify_one();
    }

    /// Connects to a schema that is up to date. A connection that breaks over it is made again.
    fn connect_ready(&self, silence: &mut Silence) -> Result<Link, StoreError> {
        loop {
            let mut link = self.connect(silence)?;
            let made = self.make_ready(&mut link);
            *silence = link.silence;
            match made {
                Ok(()) => return Ok(link),
                Err(StoreError::Unreachable { .. }) if !silence.is_over() => silence.breaks(),
                Err(error) => return Err(error),
            }
        }
    }

    /// Connects, and while the server is only away for a moment tries again, less and less often.
    fn connect(&self, silence: &mut Silence) -> Result<Link, StoreError> {
        let mut pause = PAUSE;
        loop {
            let refused = match self.connector.connect(silence) {
                Ok(link) => {
                    self.reached.store(true, Ordering::Relaxed);
                    return Ok(link);
                }
                Err(refused) => refused,
            };
            let known = self.reached.load(Ordering::Relaxed);
            let worth_it = refused.is_starting() || (known && refused.may_pass());
            if !worth_it || Instant::now() + pause > silence.end() {
                return Err(refused.at(self.place()));
            }
            thread::sleep(pause);
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }

    /// Brings the schema up to date on the first connection of this process.
    fn make_ready(&self, link: &mut Link) -> Result<(), StoreError> {
        let mut ready = self.ready_lock(&mut link.silence)?;
        if !*ready {
            migrate::run(link, self.place())?;
            *ready = true;
        }
        Ok(())
    }

    /// Waits for whoever brings the schema up to date, and no longer than for the server itself.
    fn ready_lock(&self, silence: &mut Silence) -> Result<MutexGuard<'_, bool>, StoreError> {
        loop {
            match self.ready.try_lock() {
                Ok(ready) => return Ok(ready),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if Instant::now() >= silence.end() => {
                    let holder = "another call of this process, which brings the schema up to date".to_owned();
                    return Err(StoreError::Busy { holder, waited_ms: AWAY_DEADLINE.as_millis() as u64 });
                }
                Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection in use. It goes back when it is dropped, unless it does not stand any more or was left in the middle
/// of something.
pub(super) struct Taken<'a> {
    pool: &'a Pool,
    /// There until it is dropped.
    link: Option<Link>,
}

impl Deref for Taken<'_> {
    type Target = Link;

    fn deref(&self) -> &Link {
        self.link.as_ref().expect("a connection in use is there until it is let go")
    }
}

impl DerefMut for Taken<'_> {
    fn deref_mut(&mut self) -> &mut Link {
        self.link.as_mut().expect("a connection in use is there until it is let go")
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let kept = self.link.take().filter(|link| link.driver.stands() && !thread::panicking());
        self.pool.release(kept);
    }
}

/// The pause before the `attempt`th try of a transaction that met another one.
pub(super) fn back_off(attempt: u32) {
    let mut jitter = [0; 1];
    // Without random numbers the two would only meet once more.
    let _ = getrandom::fill(&mut jitter);
    let pause = Duration::from_micros(500 << attempt.min(6));
    thread::sleep(pause / 2 + pause * u32::from(jitter[0]) / 512);
}
