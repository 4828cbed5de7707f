//! Ends what is open under a credential when it stops counting: a token that is revoked, a browser that is logged out, a
//! login whose time is over, an agent for which another token was made.
//!
//! A request is checked when it comes in; a stream or a wait goes on for hours after that. One thread per server looks at the
//! credentials under which something is open, whenever their files change, and now and then for what no file tells: a login
//! that expires, or a change that could not be heard. It is there while something is open, and a while longer.

use std::{
    collections::HashMap,
    mem::MaybeUninit,
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use baton_bus::Credential;
use baton_core::ids::AgentId;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::inotify,
};
use tokio::sync::watch;

use super::{credentials::Credentials, principal::Principal};
use crate::{login::Standing, private, secret::Digest};

/// How often it is looked without a change that was heard: an expired login is told within this.
const TICK: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// Looks without anything open before the thread ends. Setting up another watch costs more than some looks.
const IDLE_TICKS: u32 = 10;

/// The credentials under which something is open.
#[derive(Default)]
pub(super) struct Revocations(Mutex<Open>);

#[derive(Default)]
struct Open {
    /// By the credential, and the agent that is spoken for.
    credentials: HashMap<(Digest, Option<AgentId>), Watched>,
    is_running: bool,
}

struct Watched {
    principal: Principal,
    /// Told the reason when it stops counting. Whoever has something open listens.
    ended: watch::Sender<Option<Arc<str>>>,
}

impl Credentials {
    /// The credential of a request that is answered at once.
    pub(crate) fn of(principal: &Principal) -> Credential {
        Credential::lasting(principal.credential_name())
    }

    /// The credential of a request under which something stays open, perhaps for an agent.
    pub(crate) fn watched(self: &Arc<Self>, principal: &Principal, agent: Option<&AgentId>) -> Credential {
        let mut open = self.revocations.lock();
        let watched = open
            .credentials
            .entry((principal.digest().clone(), agent.cloned()))
            .or_insert_with(|| Watched { principal: principal.clone(), ended: watch::Sender::new(None) });
        let (sender, revocation) = (watched.ended.clone(), watched.ended.subscribe());
        if !open.is_running {
            let credentials = Arc::clone(self);
            let run = move || watch_over(&credentials);
            // Without a thread to spare now, the next that is opened tries again.
            open.is_running = thread::Builder::new().name("baton-revocations".to_owned()).spawn(run).is_ok();
        }
        drop(open);
        // Once more, now that it is watched: the request was checked a moment ago.
        sender.send_if_modified(|ended| self.notice(principal, agent, ended));
        Credential::revocable(principal.credential_name(), revocation)
    }

    /// Puts down why a credential does not count any more, if that is new.
    fn notice(&self, principal: &Principal, agent: Option<&AgentId>, ended: &mut Option<Arc<str>>) -> bool {
        if ended.is_some() {
            return false;
        }
        *ended = self.why_ended(principal).or_else(|| self.why_not_for(principal, agent?));
        ended.is_some()
    }

    /// Why a credential does not count any more. One whose file cannot be read now is judged when it can.
    fn why_ended(&self, principal: &Principal) -> Option<Arc<str>> {
        match principal {
            Principal::Holder(token) => match self.tokens.with_digest(&token.sha256) {
                Ok(Some(known)) if known == *token => None,
                Ok(Some(_)) => Some(format!("the token {} was changed", token.name).into()),
                Ok(None) => Some(format!("the token {} was revoked", token.name).into()),
                Err(_) => None,
            },
            Principal::Browser(login) => match self.browsers.standing(&login.digest, self.clock.now()) {
                Standing::In(admitted) if admitted == login.admitted => None,
                Standing::In(_) | Standing::Out => Some("this browser was logged out".into()),
                Standing::Expired => Some("this browser's login has expired".into()),
            },
        }
    }

    /// The reason that a credential no longer counts for an agent: another was made for that.
    fn why_not_for(&self, principal: &Principal, agent: &AgentId) -> Option<Arc<str>> {
        let bound = self.tokens.bound_to(agent).ok()?;
        let other = bound.first().filter(|_| !bound.iter().any(|name| **name == *principal.name()))?;
        Some(format!("the token {other} was made for {agent}").into())
    }

    /// Looks at every credential under which something is open. Tells whether there is none.
    fn look_over(&self) -> bool {
        let mut open = self.revocations.lock();
        open.credentials.retain(|_, watched| watched.ended.receiver_count() > 0);
        for ((_, agent), watched) in &open.credentials {
            watched.ended.send_if_modified(|ended| self.notice(&watched.principal, agent.as_ref(), ended));
        }
        open.credentials.is_empty()
    }
}

impl Revocations {
    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the thread, unless something was opened meanwhile.
    fn stop(&self) -> bool {
        let mut open = self.lock();
        open.is_running = !open.credentials.is_empty();
        !open.is_running
    }
}

/// Looks whenever a file changes, and once per tick.
fn watch_over(credentials: &Credentials) {
    let changes = changes_of(credentials);
    let mut idle = 0;
    loop {
        idle = if credentials.look_over() { idle + 1 } else { 0 };
        if idle > IDLE_TICKS && credentials.revocations.stop() {
            return;
        }
        wait(changes.as_ref());
    }
}

/// Hears changes in the directories where tokens and logins are. Nothing where the system has no watch to spare: the tick
/// finds out, too.
fn changes_of(credentials: &Credentials) -> Option<OwnedFd> {
    let fd = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK).ok()?;
    // A change replaces or removes a file; writes of the store beside them are of no concern.
    let wanted = inotify::WatchFlags::MOVED_TO | inotify::WatchFlags::MOVED_FROM | inotify::WatchFlags::DELETE;
    let browsers = credentials.browsers.directory();
    private::directory(browsers).ok()?;
    let file = credentials.tokens.keyring().file();
    for directory in [file.parent()?, browsers] {
        inotify::add_watch(&fd, directory, wanted).ok()?;
    }
    Some(fd)
}

/// Waits for a change, for a tick at most, and forgets what changed: everything is looked at anyway.
fn wait(changes: Option<&OwnedFd>) {
    let mut fds: Vec<PollFd<'_>> = changes.into_iter().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
    // An interrupted wait is only a look too many.
    let _ = poll(&mut fds, Some(&TICK));
    if let Some(fd) = changes {
        let mut buffer = [MaybeUninit::uninit(); 1024];
        let mut events = inotify::Reader::new(fd, &mut buffer);
        while events.next().is_ok() {}
    }
}
