//! Whether somebody here can do the jobs that wait.

use baton_core::{
    ids::RoomId,
    job::{Job, Status},
    limits,
    runner::{Blocked, Crew, Runner, blocked},
    time::Timestamp,
};
use baton_store::{engine::Tx, runners};

use crate::{App, Failure};

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
