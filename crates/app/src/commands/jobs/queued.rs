//! A room from the view of a runner, or of somebody who wants one started: processes that are gone, and jobs that wait.

use baton_core::{
    event::Concern,
    ids::{AgentId, RoomId},
    job::{JobId, WorkedSince},
    limits,
    process::{ProcessIdentity, Witness},
    reference::Reference,
    room::Stick,
    runner::{Capabilities, Runner},
    time::Ttl,
};
use baton_store::{jobs, log, rooms, runners, table};

use crate::{
    App, Failure,
    app::Sweep,
    presence::{self, Effort},
    refs,
};

/// Claims of a job that are read in one go.
const CLAIMS_READ: u32 = 100;

/// Called when jobs wait in a room that has no runner.
pub type WhenQueued = dyn Fn(&RoomId) + Send + Sync;

/// Most processes behind claims, or behind runners, that are looked at in one go. What runs at a time is never much.
const PROCESSES_MAX: u32 = 256;

impl App {
    /// Has `hook` called when jobs wait where there is no runner. The first one counts.
    pub fn when_queued(&self, hook: Box<WhenQueued>) {
        let _ = self.when_queued.set(hook);
    }

    /// How long until the first of the claims in force in `room` runs out.
    pub fn until_claim_expires(&self, room: &RoomId) -> Result<Option<Ttl>, Failure> {
        self.store.read(|tx| {
            let now = tx.now()?;
            Ok(jobs::next_expiry(tx, room, now)?.map(|expiry| expiry.since(now)))
        })
    }

    /// What a runner of `room` said that it can do.
    pub fn runner_capabilities(&self, room: &RoomId, runner: &AgentId) -> Result<Option<Capabilities>, Failure> {
        self.store.read(|tx| Ok(table::find::<Runner>(tx, room, runner)?.and_then(|runner| runner.capabilities)))
    }

    /// How long a job of `room` has been worked on: since its first claim, whoever had it since, unless a manager had it
    /// done again.
    pub fn worked_before(&self, room: &RoomId, job: JobId) -> Result<Ttl, Failure> {
        self.store.read(|tx| {
            let (mut since, mut before) = (WorkedSince::default(), None);
            loop {
                let page = log::claims_of_job_before(tx, room, job, before, CLAIMS_READ)?;
                page.iter().for_each(|recorded| since.look_back(recorded));
                before = page.last().map(|recorded| recorded.seq);
                if since.is_found() || page.len() < CLAIMS_READ as usize {
                    break;
                }
            }
            let now = tx.now()?;
            Ok(since.first_claim().map_or(Ttl::from_millis(0), |first| now.since(first)))
        })
    }

    /// Those of `refs` that lead somewhere in `room`.
    pub fn resolving(&self, room: &RoomId, refs: Vec<Reference>) -> Result<Vec<Reference>, Failure> {
        self.store.read(|tx| refs::resolving(tx, room, refs.clone()))
    }

    /// The processes behind the claims and runners of `room` that are in force.
    pub fn processes_at_work(&self, room: &RoomId) -> Result<Vec<ProcessIdentity>, Failure> {
        self.store.read(|tx| {
            let now = tx.now()?;
            let mut found = jobs::processes(tx, room, now, PROCESSES_MAX)?;
            let runners = runners::processes(tx, room, now, PROCESSES_MAX)?;
            found.extend(runners.into_iter().filter(|process| !found.contains(process)).collect::<Vec<_>>());
            Ok(found)
        })
    }

    /// Ends the claims and leases of processes that are proven gone, so that nobody waits for their time to run out. Like
    /// every end of a lease this is no event; the takeover that follows has the proof. Tells whether there were any.
    pub(crate) fn end_claims_of_gone(&self, room: &RoomId, effort: Effort) -> Result<bool, Failure> {
        let mut gone = self.processes_at_work(room)?;
        gone.retain(|process| self.probe.liveness(process).is_gone());
        if gone.is_empty() {
            return Ok(false);
        }
        presence::write(&self.store, effort, |tx| {
            // Locked, so that no claim is decided by what is being ended.
            let room = self.room(tx, room)?;
            let now = tx.now()?;
            for process in &gone {
                jobs::end_claims(tx, &room.id, process, now)?;
                runners::end_leases(tx, &room.id, process, now)?;
            }
            tx.ring(&room.id, Concern::Everyone);
            Ok(true)
        })
    }

    /// Ends the claims of who is gone, and has a runner started where jobs wait and none is there. No read fails over
    /// that: a store that somebody else writes to is looked at again next time.
    pub fn see_to_jobs(&self, room: &RoomId) {
        let _ = self.end_claims_of_gone(room, Effort::Try);
        self.want_runner(room);
    }

    /// Sees to the jobs of the rooms that changed last, at most so many.
    pub fn see_to_jobs_everywhere(&self, limit: u32) -> Result<(), Failure> {
        let open = self.store.read(|tx| rooms::standing(tx, rooms::Standing::Open, limit))?;
        open.iter().for_each(|room| self.see_to_jobs_now_and_then(&room.id));
        Ok(())
    }

    /// The same for commands that are about other things, at most once a second.
    pub(crate) fn see_to_jobs_now_and_then(&self, room: &RoomId) {
        if self.now().is_ok_and(|now| self.is_due(room, now, Sweep::Jobs)) {
            self.see_to_jobs(room);
        }
    }

    /// Tells that a job was queued in `room`. It is committed by now, so nothing here makes the request fail.
    pub(crate) fn job_was_queued(&self, room: &RoomId) {
        self.see_to_jobs(room);
    }

    /// Has a runner started, if jobs wait for one and none is there.
    pub fn want_runner(&self, room: &RoomId) {
        let Some(hook) = self.when_queued.get() else { return };
        let is_wanted = self.store.read::<_, Failure>(|tx| {
            let now = tx.now()?;
            let waits = jobs::any_queued(tx, room)? || jobs::any_overdue(tx, room, now)?;
            let is_wanted = waits && runners::present(tx, room, now, limits::RUNNERS_SHOWN)?.is_empty();
            Ok(is_wanted && self.room(tx, room)?.stick != Stick::Closed)
        });
        if is_wanted.unwrap_or(false) {
            hook(room);
        }
    }
}
