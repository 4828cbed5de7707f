//! One job with what happened to it last, and following it.

use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
    job::{Job, JobId},
    limits,
};
use baton_store::{log, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AtWork, JobEvent, JobView, Serving,
    events::{hear, prompt},
    notices,
};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence, proof,
    table::{Effect, JOBS, Place, UseCase},
    watch::Patience,
};

/// `jobs.open`
pub struct Open;

/// Which job.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenInput {
    pub room_id: RoomId,
    pub job: JobId,
    /// Only events before this place
    pub before: Option<Seq>,
    /// Events, 1 to 200; default 10
    pub limit: Option<u32>,
    /// Leave out mere progress
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_progress: bool,
    /// Also what it asks in full
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_prompt: bool,
}

/// A job with its newest events first.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenResult {
    pub room_id: RoomId,
    pub job: JobView,
    /// How its agent is at it.
    pub agent: AtWork,
    pub prompt: Option<String>,
    pub events: Vec<JobEvent>,
    pub has_more: bool,
    /// Where older events are: ask again with it as `before`.
    pub before: Option<Seq>,
}

impl UseCase for Open {
    const NAME: &'static str = "jobs.open";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Show a job and what happened to it, newest first.";
    type Input = OpenInput;
    type Output = OpenResult;

    fn perform(app: &App, caller: &Caller, input: OpenInput) -> Result<OpenResult, Failure> {
        let limit = bounds::limit(input.limit, limits::JOB_EVENTS_DEFAULT, limits::EVENTS_MAX)?;
        app.see_to_jobs_now_and_then(&input.room_id);
        let (room, (job, agent, found, asked)) = presence::read(app, caller, &input.room_id, |tx, room, now| {
            let job = table::find::<Job>(tx, &room.id, &input.job)?.ok_or_else(|| Failure::unknown_id(input.job))?;
            let events = if input.without_progress { log::words_of_job_before } else { log::of_job_before };
            let found = events(tx, &room.id, job.id, input.before, limit + 1)?;
            let asked = input.include_prompt.then(|| prompt(tx, &room.id, job.created_seq)).transpose()?;
            let agent = AtWork::read(app, tx, room, &job, now)?;
            let proof = proof::recorded(tx, &room.id, &job)?.unwrap_or_default();
            let blocked = Serving::take(app, tx, &room.id, now, [&job])?.blocked(now, &job);
            let view = JobView::of(&job, now, &notices(tx, &room.id, [&job])?).blocked(blocked);
            let job = JobView { proof, ..view };
            Ok((job, agent, found, asked))
        })?;
        let mut page = Page::default();
        let views = found.iter().take(limit as usize).filter_map(JobEvent::of);
        let events: Vec<JobEvent> = views.take_while(|event| page.takes(event)).collect();
        let has_more = events.len() < found.len();
        let before = events.last().filter(|_| has_more).map(|event| event.seq);
        hear(app, caller, &room.id, job.job, &events);
        Ok(OpenResult { room_id: room.id, job, agent, prompt: asked, events, has_more, before })
    }
}

/// `jobs.tail`
pub struct Tail;

/// What to follow.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TailInput {
    pub room_id: RoomId,
    /// Default: the job you work on
    pub job: Option<JobId>,
    /// The cursor of the last answer; without it from the beginning
    pub after: Option<Seq>,
    /// 1 to 200; default 50
    pub limit: Option<u32>,
    /// Wait for something new, up to 50000
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
    let (room, (job, found)) = presence::read(app, caller, &input.room_id, |tx, room, now| {
        let job = table::find::<Job>(tx, &room.id, &job)?.ok_or_else(|| Failure::unknown_id(job))?;
        let found = log::of_job_after(tx, &room.id, job.id, after, limit + 1)?;
        let job = JobView::of(&job, now, &notices(tx, &room.id, [&job])?);
        Ok((job, found))
    })?;
    let mut page = Page::default();
    let views = found.iter().take(limit as usize).filter_map(JobEvent::of);
    let events: Vec<JobEvent> = views.take_while(|event| page.takes(event)).collect();
    let has_more = events.len() < found.len();
    let cursor = events.last().map_or(after, |event| event.seq);
    Ok(TailResult { room_id: room.id, job, events, cursor, has_more })
}
