//! The thread itself.
#![expect(clippy::disallowed_methods, reason = "this module is a wait: it sets deadlines")]

use std::{
    collections::BTreeSet,
    os::fd::AsFd,
    sync::{Arc, mpsc::Sender},
    thread,
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio_postgres::error::SqlState;

use super::{
    Shared, Wish,
    ear::{self, EVERYONE},
};
use crate::{
    StoreError,
    postgres::{
        failure::{Remedy, Trouble},
        link::Link,
        outcome::{self, Writer},
        pipeline::{self, Failed, Step},
        silence::Silence,
        statement::{Sql, Value},
    },
};

/// How long the thread stays without anything to do.
const IDLE: Duration = Duration::from_secs(30);

/// The first pause before a lost connection is made again, and the longest.
const PAUSE: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Channels that stay known to the server though nobody listens: the next wait is likely about the same room.
const CHANNELS_MAX: usize = 64;

/// What the thread has.
struct Watch<'a> {
    shared: &'a Arc<Shared>,
    link: Option<Link>,
    seats: BTreeSet<String>,
    /// The connection that broke, if one did: something may have been missed, and the server may not know yet.
    lost: Option<Writer>,
    pause: Duration,
}

/// Serves wishes and passes on notifications until nobody wants anything any more.
pub(super) fn run(shared: &Arc<Shared>) {
    let _running = Running(shared);
    let mut watch = Watch { shared, link: None, seats: BTreeSet::new(), lost: None, pause: PAUSE };
    let mut idle_since = Instant::now();
    loop {
        ear::quiet(&shared.nudge);
        let wishes = std::mem::take(&mut shared.state().wishes);
        let mut away = None;
        for wish in wishes {
            // One attempt to reach a server that is away is enough for all who wait for it.
            match &away {
                None => away = watch.grant(wish),
                Some(error) => refuse(wish, error),
            }
        }
        watch.pass_on();
        if watch.is_wanted() {
            idle_since = Instant::now();
        }
        let mut state = shared.state();
        // Looked at once more under the lock: somebody may just have begun to listen to what is still heard.
        let idle = idle_since.elapsed() >= IDLE && state.wishes.is_empty() && !state.has_ears();
        if state.closed || idle {
            state.end();
            return;
        }
        drop(state);
        watch.sleep();
    }
}

/// Lets the next wish start the thread again, however this one ends.
struct Running<'a>(&'a Shared);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.state().end();
        }
    }
}

fn refuse(wish: Wish, error: &StoreError) {
    match wish {
        Wish::Listen { answer, .. } => drop(answer.send(Err(error.clone()))),
        Wish::Sit { answer, .. } => drop(answer.send(Err(error.clone()))),
        // Without a connection there is no seat to leave.
        Wish::Stand { .. } => {}
    }
}

/// Tries for a seat.
const TRY_SEAT: &str = "SELECT CASE WHEN pg_try_advisory_lock(hashtextextended(?1, 2)) THEN 1 ELSE 0 END::bigint";

/// Waits for it a moment: the server may not have noticed yet that the last one to sit there is dead.
const PATIENTLY: &str = "SET lock_timeout = '300ms'";
const WAIT_FOR_SEAT: &str = "SELECT 1 FROM pg_advisory_lock(hashtextextended(?1, 2))";
const IMPATIENTLY: &str = "SET lock_timeout = '5s'";

const LEAVE_SEAT: &str = "SELECT CASE WHEN pg_advisory_unlock(hashtextextended(?1, 2)) THEN 1 ELSE 0 END::bigint";

impl Watch<'_> {
    /// Does what is wished, and gives the reason where the server is away.
    fn grant(&mut self, wish: Wish) -> Option<StoreError> {
        let failed = match wish {
            Wish::Listen { channel, answer } => tell(&answer, self.listen(&channel)).0,
            Wish::Sit { name, answer } => {
                let taken = self.sit(name.clone());
                let is_taken = matches!(taken, Ok(true));
                let (failed, is_heard) = tell(&answer, taken);
                if is_taken && !is_heard {
                    self.stand(&name);
                }
                failed
            }
            Wish::Stand { name } => {
                self.stand(&name);
                None
            }
        };
        failed.filter(|error| matches!(error, StoreError::Unreachable { .. }))
    }

    fn stand(&mut self, name: &str) {
        self.seats.remove(name);
        if let Some(link) = &mut self.link {
            link.silence = Silence::begun();
            // A connection that does not answer lost the seat with all others.
            if pipeline::run(link, &[about(LEAVE_SEAT, name)]).is_err() && !link.driver.stands() {
                self.lose();
            }
        }
    }

    fn listen(&mut self, channel: &str) -> Result<(), StoreError> {
        let text = format!("LISTEN {channel}");
        self.with_link(|link| {
            let Link { client, driver, silence, .. } = link;
            driver.run(silence.reply(), client.batch_execute(&text))
        })?;
        self.shared.state().heard.insert(channel.to_owned());
        self.forget_channels();
        Ok(())
    }

    fn sit(&mut self, name: String) -> Result<bool, StoreError> {
        // The server would let the same connection sit there twice.
        if self.seats.contains(&name) {
            return Ok(false);
        }
        let taken = self.with_link(|link| take_seat(link, &name))?;
        if taken {
            self.seats.insert(name);
        }
        Ok(taken)
    }

    /// Uses the connection, which is made if there is none, and made again once if it turns out to be broken.
    fn with_link<T>(&mut self, mut use_it: impl FnMut(&mut Link) -> Result<T, Trouble>) -> Result<T, StoreError> {
        let mut silence = Silence::begun();
        for last in [false, true] {
            if self.link.is_none() {
                self.connect(&mut silence)?;
            }
            let Some(link) = &mut self.link else { continue };
            link.silence = silence;
            let used = use_it(link);
            silence = link.silence;
            match used {
                Ok(done) => return Ok(done),
                Err(trouble) if trouble.remedy() != Remedy::Reconnect || last => {
                    return Err(trouble.at(self.shared.pool.place()));
                }
                Err(_) => {
                    silence.breaks();
                    self.lose();
                }
            }
        }
        Err(self.shared.wrong("the connection that listens broke twice"))
    }

    /// Connects, and makes the server know again what it knew.
    fn connect(&mut self, silence: &mut Silence) -> Result<(), StoreError> {
        let mut link = self.shared.pool.apart(silence)?;
        let place = self.shared.pool.place();
        outcome::sign(&mut link).map_err(|trouble| trouble.at(place))?;
        if let Some(lost) = &self.lost {
            // Until the server notices by itself, that session would sit on our own seats.
            outcome::end(&mut link, lost).map_err(|trouble| trouble.at(place))?;
        }
        let channels: Vec<String> = self.shared.state().ears.keys().cloned().collect();
        let text: String = channels.iter().map(|channel| format!("LISTEN {channel};")).collect();
        let Link { client, driver, silence: waited, .. } = &mut link;
        driver.run(waited.reply(), client.batch_execute(&text)).map_err(|trouble| trouble.at(place))?;
        // A seat that somebody else took meanwhile stays theirs; our wait ends when its time is up.
        self.seats.retain(|name| take_seat(&mut link, name).unwrap_or(false));
        *silence = link.silence;
        self.link = Some(link);
        self.pause = PAUSE;
        let mut state = self.shared.state();
        state.heard.extend(channels);
        if self.lost.take().is_none() {
            return Ok(());
        }
        // Whatever was said while nobody listened is found by looking.
        for ear in state.ears.values().flatten().filter_map(std::sync::Weak::upgrade) {
            ear.hear(EVERYONE);
        }
        Ok(())
    }

    fn lose(&mut self) {
        if let Some(link) = self.link.take() {
            self.lost = Some(link.writer.clone());
        }
        self.shared.state().heard.clear();
    }

    /// Hands notifications to the ears on their channels, and makes a lost connection again.
    fn pass_on(&mut self) {
        if let Some(link) = &mut self.link {
            let stands = link.driver.look();
            let notifications = link.driver.heard();
            let state = self.shared.state();
            for notification in notifications {
                for ear in state.ears.get(notification.channel()).into_iter().flatten() {
                    if let Some(ear) = ear.upgrade() {
                        ear.hear(notification.payload());
                    }
                }
            }
            drop(state);
            if !stands {
                self.lose();
            }
        }
        if self.link.is_none() && self.is_wanted() && self.connect(&mut Silence::begun()).is_err() {
            self.pause = (self.pause * 2).min(PAUSE_MAX);
        }
    }

    /// Forgets channels that nobody listens to, when there are many.
    fn forget_channels(&mut self) {
        let mut state = self.shared.state();
        if state.heard.len() <= CHANNELS_MAX {
            return;
        }
        state.ears.retain(|_, ears| ears.iter().any(|ear| ear.strong_count() > 0));
        let unheard: Vec<String> =
            state.heard.iter().filter(|channel| !state.ears.contains_key(*channel)).cloned().collect();
        for channel in &unheard {
            state.heard.remove(channel);
        }
        drop(state);
        let text: String = unheard.iter().map(|channel| format!("UNLISTEN {channel};")).collect();
        if let Some(Link { client, driver, .. }) = &mut self.link {
            driver.post(client.batch_execute(&text));
        }
    }

    fn is_wanted(&self) -> bool {
        !self.seats.is_empty() || self.shared.state().has_ears()
    }

    /// Waits for a wish, a notification, or the next attempt to connect.
    fn sleep(&self) {
        let timeout = match &self.link {
            Some(_) if self.is_wanted() => None,
            Some(_) => Some(IDLE),
            None if self.is_wanted() => Some(self.pause),
            None => Some(IDLE),
        };
        let timeout = timeout
            .map(|timeout| Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: i64::from(timeout.subsec_nanos()) });
        let nudge = self.shared.nudge.as_fd();
        let mut watched = vec![PollFd::new(&nudge, PollFlags::IN)];
        if let Some(link) = &self.link {
            watched.push(PollFd::from_borrowed_fd(link.driver.as_fd(), PollFlags::IN));
        }
        // An interrupted or failed wait is only a look too many.
        let _ = poll(&mut watched, timeout.as_ref());
    }
}

/// Answers a wish, and gives the reason if it was not fulfilled, and whether somebody still waited for the answer.
fn tell<T>(answer: &Sender<Result<T, StoreError>>, outcome: Result<T, StoreError>) -> (Option<StoreError>, bool) {
    let failed = outcome.as_ref().err().cloned();
    (failed, answer.send(outcome).is_ok())
}

fn about(sql: &'static str, name: &str) -> Step {
    Step::Run { sql: Sql::plain(sql), values: vec![Value::Text(name.to_owned())] }
}

fn take_seat(link: &mut Link, name: &str) -> Result<bool, Trouble> {
    let rows = pipeline::run(link, &[about(TRY_SEAT, name)]).map_err(|failed| failed.trouble)?;
    let free = rows.iter().flatten().any(|row| row.try_get::<_, i64>(0).is_ok_and(|got| got == 1));
    if free {
        return Ok(true);
    }
    pipeline::run(link, &[Step::Text(PATIENTLY)]).map_err(|failed| failed.trouble)?;
    let waited = pipeline::run(link, &[about(WAIT_FOR_SEAT, name)]);
    pipeline::run(link, &[Step::Text(IMPATIENTLY)]).map_err(|failed| failed.trouble)?;
    match waited {
        Ok(_) => Ok(true),
        Err(Failed { trouble, .. }) if trouble.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => Ok(false),
        Err(Failed { trouble, .. }) => Err(trouble),
    }
}
