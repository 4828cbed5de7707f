//! Which job a runner gets: the most urgent, and of those the oldest, that it can do and that is for it.

use baton_core::{
    ids::AgentId,
    job::{Choice, Executor, Job, JobId, Priority, Refusal},
    limits,
    runner::{Candidate, Capabilities, Runner, can_do, route},
    time::Timestamp,
};
use baton_store::{jobs, runners};

use crate::{Failure, unit::Change};

/// Jobs that are looked at in one go, when the first one is not it.
const PAGE: u32 = 50;

/// A runner that looks for work.
pub(super) struct Seeker {
    runner: AgentId,
    /// What it can do now. Who never said may do anything.
    capabilities: Option<Capabilities>,
    /// Who is there, once that was asked.
    candidates: Option<Vec<Candidate>>,
}

/// Whether a job is for a runner.
pub(super) enum Fit {
    /// It is, with this program if that is known.
    Yes(Option<Executor>),
    /// It is not, and why.
    No(Refusal),
}

impl Seeker {
    pub(super) fn new(change: &mut Change<'_>, runner: &AgentId) -> Result<Self, Failure> {
        // One that signed off is what it was, should it come back.
        let known = change.store.find::<Runner>(runner)?.cloned();
        let capabilities = known.and_then(|known| known.capabilities).map(|can| can.usable(change.now));
        Ok(Self { runner: runner.clone(), capabilities, candidates: None })
    }

    /// The job that comes first, and with what it is to be done.
    pub(super) fn next(
        &mut self,
        change: &mut Change<'_>,
        allow_stale: bool,
    ) -> Result<Option<(Job, Option<Executor>)>, Failure> {
        let overdue = if allow_stale { self.overdue(change)? } else { None };
        let queued = self.queued(change)?;
        let place = |found: &(Job, Option<Executor>)| (std::cmp::Reverse(found.0.priority), found.0.id);
        Ok(overdue.into_iter().chain(queued).min_by_key(place))
    }

    fn queued(&mut self, change: &mut Change<'_>) -> Result<Option<(Job, Option<Executor>)>, Failure> {
        let choices = self.choices();
        let mut behind: Option<(Priority, JobId)> = None;
        let mut limit = 1;
        loop {
            let page = jobs::queued_for(change.store.tx()?, &change.room.id, &choices, behind, limit)?;
            // Beyond the end of the shortest full queue, jobs of other queues may be missing from the page.
            let sure = (0..choices.len()).filter_map(|choice| {
                let of = page.iter().filter(|job| job.routing.executor == choices[choice]);
                (of.clone().count() == limit as usize).then(|| of.map(place).max())?
            });
            let sure = sure.min();
            for job in page.iter().filter(|job| sure.is_none_or(|sure| place(job) <= sure)) {
                if let Fit::Yes(executor) = self.fit(change, job)? {
                    return Ok(Some((job.clone(), executor)));
                }
            }
            let Some((priority, job)) = sure else { return Ok(None) };
            behind = Some((priority.0, job));
            limit = PAGE;
        }
    }

    fn overdue(&mut self, change: &mut Change<'_>) -> Result<Option<(Job, Option<Executor>)>, Failure> {
        let mut behind: Option<(Timestamp, JobId)> = None;
        loop {
            let page = jobs::overdue(change.store.tx()?, &change.room.id, change.now, behind, PAGE)?;
            let mut best: Option<(Job, Option<Executor>)> = None;
            for job in &page {
                let ahead = best.as_ref().is_none_or(|(best, _)| place(job) < place(best));
                if ahead && let Fit::Yes(executor) = self.fit(change, job)? {
                    best = Some((job.clone(), executor));
                }
            }
            if best.is_some() || page.len() < PAGE as usize {
                return Ok(best);
            }
            behind = page.last().and_then(|job| Some((job.claim.as_ref()?.lease.expires_at, job.id)));
        }
    }

    /// The queues that it looks into.
    fn choices(&self) -> Vec<Choice> {
        match &self.capabilities {
            // Nothing is looked through for what cannot be done.
            Some(capabilities) if capabilities.executors.is_empty() => Vec::new(),
            Some(capabilities) => {
                let own = capabilities.executors.iter().map(|ability| ability.executor.into());
                own.chain([Choice::Auto]).collect()
            }
            None => Choice::ALL.to_vec(),
        }
    }

    /// Whether `job` is for it.
    pub(super) fn fit(&mut self, change: &mut Change<'_>, job: &Job) -> Result<Fit, Failure> {
        let pinned = job.routing.executor.executor();
        let Some(capabilities) = &self.capabilities else { return Ok(Fit::Yes(pinned)) };
        let able = can_do(capabilities, &job.routing);
        let Some(best) = able.first() else { return Ok(Fit::No(self.unable(job))) };
        if pinned.is_some() {
            return Ok(Fit::Yes(Some(*best)));
        }
        let runner = self.runner.clone();
        let chosen = route(&job.routing, self.candidates(change)?);
        Ok(match chosen {
            Some(chosen) if chosen.runner != runner => {
                let why = "it is auto, and another runner is the better choice".to_owned();
                Fit::No(Refusal::NotFor { job: job.id, runner_id: runner, why, chosen: Some(chosen.runner) })
            }
            Some(chosen) => Fit::Yes(Some(chosen.executor)),
            None => Fit::Yes(Some(*best)),
        })
    }

    fn unable(&self, job: &Job) -> Refusal {
        let wants = format!("{} with profile {}", job.routing.executor, job.routing.profile());
        let why = if job.routing.expected_artifacts.is_empty() {
            format!("it wants {wants}, which that runner did not say it has")
        } else {
            format!("it wants {wants} and artifacts, which that runner did not say it has")
        };
        Refusal::NotFor { job: job.id, runner_id: self.runner.clone(), why, chosen: None }
    }

    /// Every runner that is there, this one too.
    fn candidates(&mut self, change: &mut Change<'_>) -> Result<&[Candidate], Failure> {
        if self.candidates.is_none() {
            let present = runners::present(change.store.tx()?, &change.room.id, change.now, limits::RUNNERS_WEIGHED)?;
            let others = present.into_iter().filter(|other| other.id != self.runner && !other.retired);
            let others = others.filter_map(|other| Some((other.id, other.capabilities?.usable(change.now))));
            let own = self.capabilities.clone().map(|capabilities| (self.runner.clone(), capabilities));
            let weighed: Vec<(AgentId, Capabilities)> = others.chain(own).collect();
            // Where there is nobody to choose between, it does not matter how much each has to do.
            let loads = if weighed.len() > 1 { jobs::loads(change.store.tx()?, &change.room.id)? } else { Vec::new() };
            let load = |id: &AgentId| loads.iter().find(|(runner, _)| runner == id).map_or(0, |(_, load)| *load);
            let weighed = weighed.into_iter().map(|(runner, capabilities)| {
                let load = load(&runner);
                Candidate { runner, capabilities, load }
            });
            self.candidates = Some(weighed.collect());
        }
        Ok(self.candidates.get_or_insert_default())
    }
}

/// Where a job stands in line.
fn place(job: &Job) -> (std::cmp::Reverse<Priority>, JobId) {
    (std::cmp::Reverse(job.priority), job.id)
}
