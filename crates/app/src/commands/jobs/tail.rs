//! Following a job: what happened since, in order, and perhaps waiting for it.

use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
    job::{Job, JobId},
    limits,
};
use baton_store::{log, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JobEvent, JobView, hearing::hear, notices};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    table::{Effect, JOBS, Place, UseCase},
    watch::Patience,
};

/// `jobs.tail`
pub struct Tail;

/// What to follow.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TailInput {
    pub room_id: RoomId,
    /// Default: the job you work on
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The cursor of the last answer; without it from the beginning
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Seq>,
    /// 1 to 200; default 50
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Wait for something new, up to 50000
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_wait_ms: Option<u64>,
}

/// What happened since, oldest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TailResult {
    pub room_id: RoomId,
    pub job: JobView,
    pub events: Vec<JobEvent>,
    /// Pass it as `after` next time.
    pub cursor: Seq,
    /// Whether more is there already.
    pub has_more: bool,
}

impl UseCase for Tail {
    const NAME: &'static str = "jobs.tail";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Follow;
    const ABOUT: &'static str = "Follow a job's events, oldest first; can wait for the next one.";
    type Input = TailInput;
    type Output = TailResult;

    fn perform(app: &App, caller: &Caller, input: TailInput) -> Result<TailResult, Failure> {
        let limit = bounds::limit(input.limit, limits::JOB_TAIL_DEFAULT, limits::EVENTS_MAX)?;
        let assigned = caller.assignment_in(&input.room_id).map(|assigned| assigned.job);
        let job = input
            .job
            .or(assigned)
            .ok_or_else(|| Failure::new(ErrorCode::InvalidInput, "missing field `job`").with("field", "job"))?;
        let patience = Patience::of(input.max_wait_ms)?;
        let waited = app.wait_for(caller, &input.room_id, patience, |left| {
            let seen = look(app, caller, &input, job, limit)?;
            Ok((!seen.events.is_empty() || left.is_zero()).then_some(seen))
        })?;
        let seen = waited.map_or_else(|| look(app, caller, &input, job, limit), Ok)?;
        hear(app, caller, &input.room_id, job, &seen.events);
        Ok(seen)
    }
}

fn look(app: &App, caller: &Caller, input: &TailInput, job: JobId, limit: u32) -> Result<TailResult, Failure> {
    let after = input.after.unwrap_or_default();
    app.see_to_jobs_now_and_then(&input.room_id);
    let (mut room, job, found, now) = app.store.read(|tx| {
        let room = app.room(tx, &input.room_id)?;
        let job = table::find::<Job>(tx, &room.id, &job)?.ok_or_else(|| Failure::unknown_id(job))?;
        let found = log::of_job_after(tx, &room.id, job.id, after, limit + 1)?;
        let now = tx.now()?;
        let job = JobView::of(&job, now, &notices(tx, &room.id, [&job])?);
        Ok::<_, Failure>((room, job, found, now))
    })?;
    presence::refresh(app, caller, &mut room, now, Effort::Try)?;
    let mut page = Page::default();
    let views = found.iter().take(limit as usize).filter_map(JobEvent::of);
    let events: Vec<JobEvent> = views.take_while(|event| page.takes(event)).collect();
    let has_more = events.len() < found.len();
    let cursor = events.last().map_or(after, |event| event.seq);
    Ok(TailResult { room_id: room.id, job, events, cursor, has_more })
}
