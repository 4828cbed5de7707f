//! `baton radar`

use std::{process::ExitCode, time::Duration};

use baton_app::{
    Failure,
    commands::jobs::{Format, JobView, Radar, RadarInput, RadarResult},
    watch::Woken,
};
use baton_core::{
    code::ErrorCode,
    ids::{AnchorId, RoomId},
    job::{JobId, Status},
    task::TaskId,
    time::Timestamp,
};

use crate::{
    audience::Audience,
    context::Context,
    exit::Exit,
    parse, render,
    select::{self, RoomArgs},
    ui::{Screen, Ui, clean},
};

/// How often a watched radar looks without having been rung for: runners come and go without a ring.
const SAFETY: Duration = Duration::from_secs(5);

/// As soon after a look nobody needs another one.
const AT_ONCE: Duration = Duration::from_millis(100);

/// See what runs, what waits and what needs you, and answer it
///
/// A line for each job, the most pressing first: ! met an error or lacks proof, ? asks something, ~ lost its runner.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct RadarArgs {
    /// Only those that are so far [default: RUNNING and QUEUED]
    #[arg(long, value_name = "STATUS", value_parser = parse::one_of(Status::ALL, Status::as_str), ignore_case = true)]
    status: Option<Status>,
    /// Only those for this task
    #[arg(long, value_name = "TASK", value_parser = select::task)]
    task: Option<TaskId>,
    /// Only those about this part of the map
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<AnchorId>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// Answer a job first
    #[arg(long, short, num_args = 2, value_names = ["JOB", "MESSAGE"])]
    reply: Option<Vec<String>>,
    /// Repeat a reply safely: the same key answers once
    #[arg(long = "idempotency-key", value_name = "KEY", requires = "reply")]
    key: Option<String>,
    /// Stay, and show what changes: at a terminal in place, else each new state once. With --json each state is an object
    /// in a line of its own
    #[arg(long, short, conflicts_with = "reply")]
    watch: bool,
    #[command(flatten)]
    room: RoomArgs,
}

impl RadarArgs {
    pub(in crate::commands) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        if self.watch {
            return self.watch(context, ui, &room_id);
        }
        let (reply_job, reply_message) = match self.reply.as_deref() {
            Some([job, message]) => (Some(replied_to(job)?), Some(message.clone())),
            Some(_) | None => (None, None),
        };
        let idempotency_key = self.key.clone();
        let asked = self.asking(&room_id, Format::Json);
        let seen = context.run::<Radar>(RadarInput { reply_job, reply_message, idempotency_key, ..asked })?;
        let page = if ui.is_for_programs() { String::new() } else { self.page(context, &room_id, &seen)? };
        let told = seen.replied.as_ref().map_or_else(String::new, |told| format!("Told as {told}.\n"));
        Ok(ui.answer(&seen, || told + &page))
    }

    /// Looks whenever the room's bell rings or a claim runs out, until nobody reads any more.
    fn watch(&self, context: &Context, ui: Ui, room_id: &RoomId) -> Result<ExitCode, Failure> {
        let audience = Audience::new()?;
        let mut watch = context.app.watch(&context.caller, room_id)?;
        let mut screen = Screen::new(ui);
        loop {
            let seen = context.run::<Radar>(self.asking(room_id, Format::Json))?;
            let page = if ui.is_for_programs() { String::new() } else { self.page(context, room_id, &seen)? };
            if screen.show(&seen, &page).is_err() {
                return Ok(Exit::Done.into());
            }
            audience.linger(AT_ONCE);
            let most = until_next(&seen, context.app.now()?);
            if watch.wait(most, audience.cancel())? == Woken::Withdrawn {
                return Ok(Exit::Done.into());
            }
        }
    }

    /// The contract's lines, and what to type next.
    fn page(&self, context: &Context, room_id: &RoomId, seen: &RadarResult) -> Result<String, Failure> {
        let lines = context.run::<Radar>(self.asking(room_id, Format::Lines))?.lines.unwrap_or_default();
        let next = next_step(seen).map_or_else(String::new, |next| format!("next: {next}\n"));
        Ok(format!("{}\n{next}", clean(&lines)))
    }

    /// What is asked for. Only the first look may answer a job, too.
    fn asking(&self, room_id: &RoomId, fmt: Format) -> RadarInput {
        RadarInput {
            status: self.status,
            task: self.task,
            anchor: self.anchor.clone(),
            limit: self.limit,
            ..RadarInput::of(room_id.clone(), fmt)
        }
    }
}

fn replied_to(job: &str) -> Result<JobId, Failure> {
    parse::job(job)
        .map_err(|why| Failure::new(ErrorCode::InvalidInput, format!("--reply: {why}.")).with("field", "reply_job"))
}

/// What the most pressing job wants, as a command.
fn next_step(seen: &RadarResult) -> Option<String> {
    let fields = seen.fields.as_ref()?;
    let Some(first) = fields.jobs.first() else { return Some("baton job create TITLE --prompt …".to_owned()) };
    first.marker.and(render::job_next(&first.job))
}

/// When there is something to see at the latest.
fn until_next(seen: &RadarResult, now: Timestamp) -> Duration {
    let jobs = seen.fields.iter().flat_map(|fields| &fields.jobs);
    let ends = jobs.filter_map(|row| claim_end(&row.job)).filter(|end| *end > now);
    ends.min().map_or(SAFETY, |end| SAFETY.min(Duration::from_millis(end.since(now).as_millis())))
}

fn claim_end(job: &JobView) -> Option<Timestamp> {
    job.claim_expires_at_ms.map(Timestamp::from_millis)
}
