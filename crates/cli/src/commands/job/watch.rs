//! `baton job watch`

use std::{process::ExitCode, time::Duration};

use baton_app::{
    Failure,
    commands::jobs::{Format, JobView, Open, OpenInput, Radar, RadarInput},
    watch::Woken,
};
use baton_core::{ids::RoomId, job::JobId};
use serde::Serialize;

use crate::{
    audience::Audience,
    context::Context,
    exit::Exit,
    parse,
    render::{self, Ages},
    select::RoomArgs,
    ui::{Screen, Ui},
};

/// Heartbeats ring no bell, so progress is looked at once in a while.
const EVERY: Duration = Duration::from_secs(1);

/// Watch jobs at work: how far each is, what it does, what it asks
///
/// At a terminal each job has a progress bar and is drawn in its place; elsewhere each new state is printed once, and with
/// --json each is an object in a line of its own. Named jobs are watched until all of them are over.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct WatchArgs {
    /// JOB-001, or just 1 [default: all that run or wait]
    #[arg(value_name = "JOB", value_parser = parse::job)]
    jobs: Vec<JobId>,
    #[command(flatten)]
    room: RoomArgs,
}

/// The jobs that are watched, at one moment.
#[derive(Serialize)]
struct Watched {
    room_id: RoomId,
    jobs: Vec<JobView>,
}

impl WatchArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let audience = Audience::new()?;
        let mut watch = context.app.watch(&context.caller, &room_id)?;
        let mut screen = Screen::new(ui);
        loop {
            let jobs = self.look(context, &room_id)?;
            let page = render::watched_jobs(&jobs, Ages::Shown, screen.columns());
            // An age that grew is no new state.
            let state = render::watched_jobs(&jobs, Ages::Hidden, None);
            let is_over = !self.jobs.is_empty() && jobs.iter().all(|job| !job.status.is_active());
            let watched = Watched { room_id: room_id.clone(), jobs };
            if screen.show_state(&watched, &page, &state).is_err() || is_over {
                return Ok(Exit::Done.into());
            }
            if watch.wait(EVERY, audience.cancel())? == Woken::Withdrawn {
                return Ok(Exit::Done.into());
            }
        }
    }

    fn look(&self, context: &Context, room_id: &RoomId) -> Result<Vec<JobView>, Failure> {
        if self.jobs.is_empty() {
            let seen = context.run::<Radar>(RadarInput::of(room_id.clone(), Format::Json))?;
            return Ok(seen
                .fields
                .map_or_else(Vec::new, |fields| fields.jobs.into_iter().map(|row| row.job).collect()));
        }
        let open = |job: &JobId| {
            let input = OpenInput {
                room_id: room_id.clone(),
                job: *job,
                before: None,
                limit: Some(1),
                without_progress: false,
                include_prompt: false,
            };
            context.run::<Open>(input).map(|opened| opened.job)
        };
        self.jobs.iter().map(open).collect()
    }
}
