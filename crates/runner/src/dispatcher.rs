//! The runner's loop: it says that it is there, claims what comes next, and starts a worker for each job and for each session
//! that it resumes.
//!
//! One thread decides; each job has a worker and a keeper of its claim. Nothing polls: the loop sleeps until the room's bell
//! rings, a worker is done, its own lease wants renewing, somebody else's claim runs out, or the process behind one, or behind a
//! session that may be resumed, ends.
#![expect(clippy::disallowed_methods, reason = "this is a wait: it measures how long it was idle")]

mod resuming;

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
    limits,
    process::SessionKind,
    room::Actor,
    runner::{Ability, Capabilities, Trouble, TroubleKind, can_do},
    time::Timestamp,
};

use crate::{
    breaker::Breaker,
    circuit::Attempt,
    desk::{Claimed, Desk, may_pass},
    executor::{Executor, ExecutorKind, NotFound},
    lifeline::{Cut, Lifeline},
    process, scratch,
    settings::{Settings, Until},
    slice::routing,
    slots::{Slots, WorkerId},
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
    /// Sessions that were resumed.
    pub sessions: u64,
}

/// A runner at work.
struct Dispatcher {
    desk: Desk,
    settings: Arc<Settings>,
    told: Told,
    slots: Arc<Slots>,
    breaker: Arc<Breaker>,
    /// The version of the breaker that everybody was told of.
    told_version: u64,
    /// The programs that everybody was told are not used.
    unused: Vec<ExecutorKind>,
    /// When the runner began: since then programs that are not there are missed.
    began: Timestamp,
    active: Vec<Active>,
    over: (Sender<WorkerId>, Receiver<WorkerId>),
    summary: Summary,
}

/// A job that is worked on, or that waits for a person with all that it has; or a session that was resumed.
struct Active {
    id: WorkerId,
    attempt: Attempt,
    lifeline: Arc<Lifeline>,
    worker: JoinHandle<()>,
}

/// Runs until it is told to end, or there is nothing more to do.
pub fn run(app: Arc<App>, settings: Settings, told: Told) -> Result<Summary, Failure> {
    let desk = desk(app, &settings);
    tidy(&settings, &told);
    let began = desk.app.now()?;
    let breaker = Arc::new(Breaker::new(settings.backoff, settings.leave.poke().clone()));
    let slots = Arc::new(Slots::new(settings.max_parallel, settings.leave.poke().clone()));
    let settings = Arc::new(settings);
    let mut dispatcher = Dispatcher {
        desk,
        settings,
        told,
        slots,
        breaker,
        told_version: 0,
        unused: Vec::new(),
        began,
        active: Vec::new(),
        over: channel(),
        summary: Summary::default(),
    };
    // The first word is the one that may be refused for good: then there is nothing to run for, and to sign off from.
    dispatcher.desk.beat(&[], dispatcher.settings.runner_ttl, &dispatcher.capabilities())?;
    let ended = dispatcher.live();
    dispatcher.leave();
    ended.map(|()| dispatcher.summary)
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
        caller: Caller::new(actor, cwd).assigned(settings.employment.clone()),
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
        for program in self.settings.missing.iter().filter(|one| matches!(one.why, NotFound::Wrong { .. })) {
            self.told.line(&format!("takes no jobs for {}: {}", program.executor, program.why));
        }
        let mut watch: Option<Watch> = None;
        let mut others = Vec::new();
        let (mut beaten, mut idle_since) = (Instant::now(), Instant::now());
        let third = Duration::from_millis(self.settings.runner_ttl.as_millis() / 3);
        loop {
            if watch.is_none() {
                watch = self.desk.watch().ok();
            }
            let buried = self.bury();
            self.hear_resets();
            if beaten.elapsed() >= third {
                self.look_for_missing();
            }
            let resumed = self.resume_due().or_else(|failure| self.see_out(failure))?;
            let changed = buried + resumed + self.fill().or_else(|failure| self.see_out(failure))?;
            if changed > 0 || beaten.elapsed() >= third || self.told_version != self.breaker.version() {
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
                let _ = self.desk.follow(&mut others, &self.resumable_processes());
            }
            let wait = self.until_next(third.saturating_sub(beaten.elapsed()), idle_since);
            let poke = self.settings.leave.poke();
            let is_deaf = match &mut watch {
                // Whatever happens in the room, there are no hands for it; but for a person who says that a program is mended.
                Some(_) if self.is_full() && !self.is_in_trouble() => {
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
        // A probe that is due waits for a job, and jobs ring.
        if let (Some(next), Ok(now)) = (self.breaker.next_probe(), self.desk.app.now())
            && next > now
        {
            wait = wait.min(Duration::from_millis(next.since(now).as_millis()));
        }
        if let Until::IdleFor(limit) = self.settings.until {
            wait = wait.min(limit.saturating_sub(idle_since.elapsed()));
        }
        wait.max(Duration::from_millis(1))
    }

    /// What it can do, with what it cannot use for now and why.
    fn capabilities(&self) -> Capabilities {
        let mut can = self.settings.capabilities();
        for ability in &mut can.executors {
            ability.trouble = self.breaker.trouble(ability.executor);
        }
        let missing = self.settings.missing.iter().map(|program| Ability {
            executor: program.executor,
            profiles: program.profiles.clone(),
            trouble: Some(Trouble {
                kind: TroubleKind::Missing,
                message: program.why.to_string().chars().take(limits::TROUBLE_CHARS).collect(),
                since: self.began,
                next_probe_at: None,
                reset_at: None,
            }),
        });
        can.executors.extend(missing);
        can
    }

    fn is_in_trouble(&self) -> bool {
        self.settings.executors.iter().any(|executor| self.breaker.trouble(executor.kind()).is_some())
    }

    /// Closes the circuits of programs that a person says are mended.
    fn hear_resets(&self) {
        if !self.is_in_trouble() {
            return;
        }
        // A store that cannot be reached is asked again with the next bell.
        for (executor, since) in self.desk.resets().unwrap_or_default() {
            if self.breaker.trouble(executor).is_some_and(|trouble| trouble.since == since) {
                self.told.line(&format!("{executor} is tried again: somebody says that it is mended"));
                self.breaker.close(executor);
            }
        }
    }

    /// Takes up programs that were installed since.
    fn look_for_missing(&mut self) {
        if self.settings.missing.is_empty() {
            return;
        }
        let Some(found) = self.settings.look_again.look() else { return };
        let is_missing = |kind| self.settings.missing.iter().any(|program| program.executor == kind);
        let new: Vec<Executor> = found.executors.into_iter().filter(|one| is_missing(one.kind())).collect();
        if new.is_empty() {
            return;
        }
        let mut settings = Settings::clone(&self.settings);
        for executor in new {
            self.told.line(&format!("{} is there now", executor.kind()));
            settings.missing.retain(|program| program.executor != executor.kind());
            settings.executors.push(executor);
        }
        self.settings = Arc::new(settings);
    }

    fn is_full(&self) -> bool {
        self.slots.is_full()
    }

    fn is_done(&self, idle_since: Instant) -> bool {
        match self.settings.until {
            Until::Told => false,
            Until::OneJob => self.active.is_empty(),
            Until::IdleFor(limit) => self.active.is_empty() && idle_since.elapsed() >= limit,
        }
    }

    /// Says that the runner is there. A store that cannot be reached is tried again.
    fn say_there(&mut self) -> Result<(), Failure> {
        // Those at work first: the first one is the one that the radar names.
        let (working, waiting): (Vec<&Active>, Vec<&Active>) =
            self.active.iter().partition(|active| self.slots.has_place(active.id));
        let active: Vec<JobId> = working.iter().chain(&waiting).filter_map(|active| active.job()).collect();
        self.told_version = self.breaker.version();
        let can = self.capabilities();
        match self.desk.beat(&active, self.settings.runner_ttl, &can) {
            Err(failure) if may_pass(&failure) => {
                self.told.line(&format!("cannot say that it is there: {failure}"));
                Ok(())
            }
            Err(failure) => self.see_out(failure).map(|_| ()),
            Ok(()) => {
                self.tell_troubles(&can);
                Ok(())
            }
        }
    }

    /// Tells the person who started the runner what everybody was told: which programs are not used, and which are again.
    fn tell_troubles(&mut self, can: &Capabilities) {
        // Programs that were never there are no news.
        let troubles = || can.troubles().filter(|(_, trouble)| trouble.kind != TroubleKind::Missing);
        let now: Vec<ExecutorKind> = troubles().map(|(executor, _)| executor).collect();
        for (executor, trouble) in troubles().filter(|(executor, _)| !self.unused.contains(executor)) {
            self.told.line(&format!("takes no jobs for {executor}: {}", trouble.words(executor)));
        }
        for executor in self.unused.iter().filter(|executor| !now.contains(executor)) {
            self.told.line(&format!("takes jobs for {executor} again"));
        }
        self.unused = now;
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
            if self.has_done_its_one() {
                break;
            }
            // First what cannot be done for now, so that nothing of it is claimed.
            if self.told_version != self.breaker.version() {
                self.say_there()?;
            }
            match self.desk.claim() {
                Ok(Some(job)) => {
                    if let Some(executor) = job.job.claim_executor {
                        self.breaker.begin(executor, Attempt::Job(job.id()));
                    }
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
        self.summary.jobs += 1;
        let id = self.next_worker();
        self.told.say(job, &format!("claimed: {}", claimed.job.title));
        let lifeline = Arc::new(Lifeline::new().map_err(|error| internal(&error))?);
        let (desk, settings, told) = (self.desk.clone(), Arc::clone(&self.settings), self.told.clone());
        let bell = Cancel::new().map_err(|error| internal(&error))?;
        lifeline.also_ring(bell.clone());
        let (line, over, poke) = (Arc::clone(&lifeline), self.over.0.clone(), self.settings.leave.poke().clone());
        let (slots, breaker) = (Arc::clone(&self.slots), Arc::clone(&self.breaker));
        slots.occupy(id);
        let worker = thread::Builder::new().name(format!("worker {job}")).spawn(move || {
            // Told however it ends: a worker that panics must not keep its place.
            let _over = Over { id, over, poke };
            let (desk, settings, claimed, lifeline) = (&desk, &settings, &claimed, &line);
            let (told, slots, breaker, bell) = (&told, &slots, &breaker, &bell);
            Work { id, desk, settings, claimed, lifeline, told, slots, breaker, bell }.run();
        });
        let worker = worker.map_err(|error| internal(&error))?;
        self.active.push(Active { id, attempt: Attempt::Job(job), lifeline, worker });
        Ok(())
    }

    /// The id of the worker that was counted last.
    fn next_worker(&self) -> WorkerId {
        WorkerId(self.summary.jobs + self.summary.sessions)
    }

    /// Whether a runner for one job has had it.
    fn has_done_its_one(&self) -> bool {
        self.settings.until == Until::OneJob && self.summary != Summary::default()
    }

    /// Lays to rest the workers that are done, and tells how many.
    fn bury(&mut self) -> usize {
        let mut buried = 0;
        while let Ok(id) = self.over.1.try_recv() {
            if let Some(place) = self.active.iter().position(|active| active.id == id) {
                let done = self.active.remove(place);
                self.slots.release(id);
                self.breaker.leave(done.attempt);
                if done.worker.join().is_err() {
                    match done.attempt {
                        Attempt::Job(job) => self.told.say(job, "was left by its worker; its claim runs out"),
                        Attempt::Session(_) => self.told.line("a resumed session was left by its worker"),
                    }
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

impl Active {
    fn job(&self) -> Option<JobId> {
        match self.attempt {
            Attempt::Job(job) => Some(job),
            Attempt::Session(_) => None,
        }
    }
}

/// Tells the loop that a worker is done, when it is dropped.
struct Over {
    id: WorkerId,
    over: Sender<WorkerId>,
    poke: Cancel,
}

impl Drop for Over {
    fn drop(&mut self) {
        // A loop that is gone need not know.
        let _ = self.over.send(self.id);
        self.poke.ring();
    }
}

fn internal(error: &std::io::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("A worker could not be started: {error}."))
}
