//! `baton job tail`

use std::process::ExitCode;

use baton_app::{
    Caller, Failure,
    commands::jobs::{Tail, TailInput, TailResult},
    table::UseCase,
};
use baton_core::{
    ids::{RoomId, Seq},
    job::JobId,
    limits,
};

use crate::{audience::Audience, context::Context, exit::Exit, parse, render, select::RoomArgs, ui::Ui};

/// Read a job's thread, oldest first; with --follow as it grows, until the job is over
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct TailArgs {
    /// JOB-001, or just 1 [default: the job of BATON_JOB]
    #[arg(value_name = "JOB", value_parser = parse::job)]
    job: Option<JobId>,
    /// Only events after this one
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    /// How many at once, 1 to 200 [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Go on until the job is over; costs nothing while nothing happens. With --json each part is an object in a line of its own
    #[arg(long, short)]
    follow: bool,
    #[command(flatten)]
    room: RoomArgs,
}

impl TailArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        if self.follow {
            return self.follow(context, ui, &room_id);
        }
        let seen = context.run::<Tail>(self.input(&room_id, self.after.map(Seq), None))?;
        Ok(ui.answer(&seen, || {
            let more = match seen.has_more {
                true => format!("more: baton job tail {} --after {}\n", seen.job.job, seen.cursor),
                false => String::new(),
            };
            text(&seen) + &more
        }))
    }

    /// Shows each part of the thread once there is one.
    fn follow(&self, context: &Context, ui: Ui, room_id: &RoomId) -> Result<ExitCode, Failure> {
        let audience = Audience::new()?;
        let caller: Caller = context.caller.clone().on(context.caller.connection.clone(), audience.cancel().clone());
        let mut after = self.after.map(Seq);
        loop {
            let input = self.input(room_id, after, Some(limits::WAIT_MAX.as_millis()));
            let Some(seen) = audience.unless_left(Tail::run(&context.app, &caller, input))? else {
                return Ok(Exit::Done.into());
            };
            let shown = seen.events.is_empty() || ui.part(&seen, || text(&seen)).is_ok();
            if !shown || audience.has_left() || (!seen.job.status.is_active() && !seen.has_more) {
                return Ok(Exit::Done.into());
            }
            after = Some(seen.cursor);
        }
    }

    fn input(&self, room_id: &RoomId, after: Option<Seq>, max_wait_ms: Option<u64>) -> TailInput {
        TailInput { room_id: room_id.clone(), job: self.job, after, limit: self.limit, max_wait_ms }
    }
}

fn text(seen: &TailResult) -> String {
    seen.events.iter().map(render::job_event).collect()
}
