//! The runner's loop: it says that it is there, claims what comes next, and starts a worker for each job.
//!
//! One thread decides; each job has a worker and a keeper of its claim. Nothing polls: the loop sleeps until the room's bell
//! rings, a worker is done, its own lease wants renewing, somebody else's claim runs out, or the process behind one ends.
#![expect(clippy::disallowed_methods, reason = "this is a wait: it measures how long it was idle")]

use std::{
    os::fd::{AsFd, BorrowedFd},
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use baton_app::{App, Caller, Cancel, Failure, liveness, watch::Watch};
use baton_core::{
    code::ErrorCode,
    job::JobId,
    process::SessionKind,
    room::Actor,
    runner::{Capabilities, can_do},
};

use crate::{
    desk::{Claimed, Desk, may_pass},
    lifeline::{Cut, Lifeline},
    process, scratch,
    settings::{Settings, Until},
    slice::routing,
    told::Told,
    work::Work,
    workspace::Worktree,
};

/// How long to wait before something that failed is tried again.
const RETRY: Duration = Duration::from_secs(2);

/// How a runner's life went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Jobs that were claimed.
    pub jobs: u64,
}

/// A runner at work.
struct Dispatcher {
    desk: Desk,
    settings: Arc<Settings>,
    told: Told,
    can: Capabilities,
    active: Vec<Active>,
    over: (Sender<JobId>, Receiver<JobId>),
    jobs: u64,
}

/// A job that is worked on.
struct Active {
    job: JobId,
    lifeline: Arc<Lifeline>,
    worker: JoinHandle<()>,
}

/// Runs until it is told to end, or there is nothing more to do.
pub fn run(app: Arc<App>, settings: Settings, told: Told) -> Result<Summary, Failure> {
    let desk = desk(app, &settings);
    tidy(&settings, &told);
    let can = settings.capabilities();
    let mut dispatcher =
        Dispatcher { desk, settings: Arc::new(settings), told, can, active: Vec::new(), over: channel(), jobs: 0 };
    // The first word is the one that may be refused for good: then there is nothing to run for, and to sign off from.
    dispatcher.desk.beat(&[], dispatcher.settings.runner_ttl, &dispatcher.can)?;
    let ended = dispatcher.live();
    dispatcher.leave();
    ended.map(|()| Summary { jobs: dispatcher.jobs })
}

/// Whether jobs are queued that such a runner could do. One that has signed off asks this: until then, whoever queued a
/// job counted on it, also when it had looked for the last time.
pub fn is_waited_for(app: &Arc<App>, settings: &Settings) -> bool {
    let can = settings.capabilities();
    let queued = desk(Arc::clone(app), settings).queued().unwrap_or_default();
    queued.iter().filter_map(routing).any(|routing| !can_do(&can, &routing).is_empty())
}

fn desk(app: Arc<App>, settings: &Settings) -> Desk {
    let own = liveness::identify(std::process::id());
    let actor = Actor::found(settings.runner.clone(), own, SessionKind::McpHarness);
    let cwd = settings.workspace.clone().unwrap_or_default();
    Desk {
        app,
        caller: Caller::new(actor, cwd),
        room: settings.room.clone(),
        runner: settings.runner.clone(),
        claim_ttl: settings.claim_ttl,
    }
}

/// Ends and removes what dead runners left behind.
fn tidy(settings: &Settings, told: &Told) {
    let orphans = process::sweep_orphans();
    if orphans > 0 {
        told.line(&format!("ended {orphans} processes of runners that are gone"));
    }
    scratch::sweep(&settings.scratch);
    process::program_lock::remove_old(&settings.locks);
    for leftover in Worktree::leftovers(&settings.worktrees).unwrap_or_default() {
        if let Err(error) = leftover.remove() {
            told.line(&format!("a worktree of a runner that is gone could not be removed: {error}"));
        }
    }
}

impl Dispatcher {
    fn live(&mut self) -> Result<(), Failure> {
        self.told.line(&format!("{} waits for jobs in {}", self.settings.runner, self.settings.room));
        let mut watch: Option<Watch> = None;
        let mut others = Vec::new();
        let (mut beaten, mut idle_since) = (Instant::now(), Instant::now());
        let third = Duration::from_millis(self.settings.runner_ttl.as_millis() / 3);
        loop {
            if watch.is_none() {
                watch = self.desk.watch().ok();
            }
            let buried = self.bury();
            let changed = buried + self.fill().or_else(|failure| self.see_out(failure))?;
            if changed > 0 || beaten.elapsed() >= third {
                beaten = Instant::now();
                self.say_there()?;
            }
            if !self.active.is_empty() {
                idle_since = Instant::now();
            }
            if self.is_done(idle_since) {
                return Ok(());
            }
            if !self.is_full() {
                // Without it they are waited for until their time runs out.
                let _ = self.desk.follow(&mut others);
            }
            let wait = self.until_next(third.saturating_sub(beaten.elapsed()), idle_since);
            let poke = self.settings.leave.poke();
            let is_deaf = match &mut watch {
                // Whatever happens in the room, there are no hands for it.
                Some(_) if self.is_full() => {
                    poke.wait(wait);
                    false
                }
                Some(ear) => {
                    let ends: Vec<BorrowedFd<'_>> = others.iter().map(|(_, end)| end.as_fd()).collect();
                    ear.wait_also(wait, poke, &ends).is_err()
                }
                None => {
                    poke.wait(wait.min(RETRY));
                    false
                }
            };
            poke.clear();
            if is_deaf {
                watch = None;
            }
            if self.settings.leave.is_asked() {
                self.told.line("is ending");
                return Ok(());
            }
        }
    }

    /// How long nothing can happen that the bell does not tell of.
    fn until_next(&self, until_beat: Duration, idle_since: Instant) -> Duration {
        let mut wait = until_beat;
        if !self.is_full()
            && let Ok(Some(expiry)) = self.desk.until_next_expiry()
        {
            wait = wait.min(expiry);
        }
        if let Until::IdleFor(limit) = self.settings.until {
            wait = wait.min(limit.saturating_sub(idle_since.elapsed()));
        }
        wait.max(Duration::from_millis(1))
    }

    fn is_full(&self) -> bool {
        self.active.len() >= self.settings.max_parallel as usize
    }

    fn is_done(&self, idle_since: Instant) -> bool {
        match self.settings.until {
            Until::Told => false,
            Until::OneJob => self.active.is_empty(),
            Until::IdleFor(limit) => self.active.is_empty() && idle_since.elapsed() >= limit,
        }
    }

    /// Says that the runner is there. A store that cannot be reached is tried again.
    fn say_there(&self) -> Result<(), Failure> {
        let active: Vec<JobId> = self.active.iter().map(|active| active.job).collect();
        match self.desk.beat(&active, self.settings.runner_ttl, &self.can) {
            Err(failure) if may_pass(&failure) => {
                self.told.line(&format!("cannot say that it is there: {failure}"));
                Ok(())
            }
            Err(failure) => self.see_out(failure).map(|_| ()),
            Ok(()) => Ok(()),
        }
    }

    /// Lets those who still work in a room that was closed end their work there: they hear of it themselves. Nothing more
    /// is claimed, and with the last of them the runner ends.
    fn see_out(&self, failure: Failure) -> Result<usize, Failure> {
        match failure.code {
            ErrorCode::RoomClosed if !self.active.is_empty() => Ok(0),
            _ => Err(failure),
        }
    }

    /// Claims jobs as long as there is room, and tells how many.
    fn fill(&mut self) -> Result<usize, Failure> {
        let mut claimed = 0;
        while !self.is_full() {
            if self.settings.until == Until::OneJob && self.jobs > 0 {
                break;
            }
            match self.desk.claim() {
                Ok(Some(job)) => {
                    self.start(job)?;
                    claimed += 1;
                }
                Ok(None) => break,
                Err(failure) if may_pass(&failure) => {
                    self.told.line(&format!("cannot claim: {failure}"));
                    break;
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(claimed)
    }

    fn start(&mut self, claimed: Claimed) -> Result<(), Failure> {
        let job = claimed.id();
        self.jobs += 1;
        self.told.say(job, &format!("claimed: {}", claimed.job.title));
        let lifeline = Arc::new(Lifeline::new().map_err(|error| internal(&error))?);
        let (desk, settings, told) = (self.desk.clone(), Arc::clone(&self.settings), self.told.clone());
        let (line, over, poke) = (Arc::clone(&lifeline), self.over.0.clone(), self.settings.leave.poke().clone());
        let worker = thread::Builder::new().name(format!("worker {job}")).spawn(move || {
            // Told however it ends: a worker that panics must not keep its place.
            let _over = Over { job, over, poke };
            Work { desk: &desk, settings: &settings, claimed: &claimed, lifeline: &line, told: &told }.run();
        });
        let worker = worker.map_err(|error| internal(&error))?;
        self.active.push(Active { job, lifeline, worker });
        Ok(())
    }

    /// Lays to rest the workers that are done, and tells how many.
    fn bury(&mut self) -> usize {
        let mut buried = 0;
        while let Ok(job) = self.over.1.try_recv() {
            if let Some(place) = self.active.iter().position(|active| active.job == job) {
                let done = self.active.remove(place);
                if done.worker.join().is_err() {
                    self.told.say(job, "was left by its worker; its claim runs out");
                }
                buried += 1;
            }
        }
        buried
    }

    /// Stops all workers, which give their jobs back, and signs off.
    fn leave(&mut self) {
        for active in &self.active {
            active.lifeline.sever(Cut::Leaving);
        }
        for active in self.active.drain(..) {
            let _ = active.worker.join();
        }
        if let Err(failure) = self.desk.retire() {
            self.told.line(&format!("could not sign off: {failure}"));
        }
    }
}

/// Tells the loop that a worker is done, when it is dropped.
struct Over {
    job: JobId,
    over: Sender<JobId>,
    poke: Cancel,
}

impl Drop for Over {
    fn drop(&mut self) {
        // A loop that is gone need not know.
        let _ = self.over.send(self.job);
        self.poke.ring();
    }
}

fn internal(error: &std::io::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("A worker could not be started: {error}."))
}
