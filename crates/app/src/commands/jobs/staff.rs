//! The runners of a room, whether they can do the jobs that wait, and what does not fit.

use baton_core::{
    ids::RoomId,
    job::{Job, JobId, Status},
    limits,
    runner::{Blocked, Crew, Diagnosis, Runner, Tally, blocked, diagnose},
    time::Timestamp,
};
use baton_store::{engine::Tx, jobs, runners};

use crate::{App, Failure};

/// What one look at the store showed of runners.
pub(super) struct Staff {
    pub(super) tally: Tally,
    /// Those that are there.
    pub(super) present: Vec<Runner>,
    /// Those that were not long ago.
    pub(super) offline: Vec<Runner>,
    /// The jobs that they are or were at.
    named: Vec<Job>,
    /// Whether jobs wait, and nobody is there.
    is_wanted: bool,
}

impl Staff {
    /// Looks. Of the jobs in `shown` too it is said where their runners are gone.
    pub(super) fn take(tx: &mut dyn Tx, room: &RoomId, now: Timestamp, shown: &[Job]) -> Result<Self, Failure> {
        let since = now.minus(limits::RUNNER_OFFLINE_SHOWN);
        let present = runners::present(tx, room, now, limits::RUNNERS_SHOWN)?;
        let offline = runners::offline(tx, room, now, since, limits::RUNNERS_GONE_SHOWN)?;
        let mut named: Vec<JobId> =
            present.iter().chain(&offline).flat_map(|runner| runner.active.iter().copied()).collect();
        named.sort_unstable();
        named.dedup();
        let named = jobs::find_all(tx, room, &named)?;
        let tally = runners::tally(tx, room, now, since)?;
        // Claims of runners that are gone count too, whatever those said last.
        let claimed = shown.iter().filter(|job| job.claim.is_some() && named.iter().all(|known| known.id != job.id));
        let claimed: Vec<Job> = claimed.cloned().collect();
        let named = [named, claimed].concat();
        let is_wanted = present.is_empty() && jobs::any_queued(tx, room)?;
        Ok(Self { tally, present, offline, named, is_wanted })
    }

    /// How to start a runner, where jobs wait and none is there.
    pub(super) fn bootstrap(&self, app: &App, room: &RoomId) -> Option<String> {
        self.is_wanted.then(|| app.command_line("run", room))
    }

    /// What does not fit together.
    pub(super) fn diagnoses(&self, now: Timestamp) -> Vec<Diagnosis> {
        let known: Vec<Runner> = self.present.iter().chain(&self.offline).cloned().collect();
        diagnose(now, &known, &self.named)
    }
}

/// The runners that are there, as far as jobs that wait are to be told why.
pub(crate) struct Serving<'a> {
    app: &'a App,
    room: RoomId,
    /// Nothing where no job waits.
    present: Option<Vec<Runner>>,
    failed_start: Option<String>,
}

impl<'a> Serving<'a> {
    /// Looks who is there, if any of `jobs` waits.
    pub(crate) fn take<'j>(
        app: &'a App,
        tx: &mut dyn Tx,
        room: &RoomId,
        now: Timestamp,
        jobs: impl IntoIterator<Item = &'j Job>,
    ) -> Result<Self, Failure> {
        let waits = jobs.into_iter().any(|job| job.status == Status::Queued);
        let present = if waits { Some(runners::present(tx, room, now, limits::RUNNERS_WEIGHED)?) } else { None };
        let is_alone = present.as_ref().is_some_and(Vec::is_empty);
        let failed_start = if is_alone { app.runner_start_failure(room) } else { None };
        let failed_start = failed_start.map(|failure| failure.words());
        Ok(Self { app, room: room.clone(), present, failed_start })
    }

    /// Why nobody here can do a job, if so.
    pub(crate) fn blocked(&self, now: Timestamp, job: &Job) -> Option<Blocked> {
        let crew = Crew { present: self.present.as_deref()?, failed_start: self.failed_start.as_deref() };
        blocked(now, job, crew, &|words| self.app.command_line(words, &self.room))
    }
}
