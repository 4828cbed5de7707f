//! One job, and what happened to it last.

use baton_core::{
    ids::{RoomId, Seq},
    job::{Job, JobId},
    limits,
};
use baton_store::{log, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AtWork, JobEvent, JobView, Serving, events::prompt, hearing::hear, notices};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    proof,
    table::{Effect, JOBS, Place, UseCase},
};

/// `jobs.open`
pub struct Open;

/// Which job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenInput {
    pub room_id: RoomId,
    pub job: JobId,
    /// Only events before this place
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Seq>,
    /// Events, 1 to 200; default 10
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Leave out mere progress
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_progress: bool,
    /// Also what it asks in full
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub include_prompt: bool,
}

/// A job with its newest events first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenResult {
    pub room_id: RoomId,
    pub job: JobView,
    /// How its agent is at it.
    pub agent: AtWork,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    pub events: Vec<JobEvent>,
    pub has_more: bool,
    /// Where older events are: ask again with it as `before`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        let (mut room, job, agent, found, asked, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let job = table::find::<Job>(tx, &room.id, &input.job)?.ok_or_else(|| Failure::unknown_id(input.job))?;
            let events = if input.without_progress { log::words_of_job_before } else { log::of_job_before };
            let found = events(tx, &room.id, job.id, input.before, limit + 1)?;
            let asked = input.include_prompt.then(|| prompt(tx, &room.id, job.created_seq)).transpose()?;
            let now = tx.now()?;
            let agent = AtWork::read(app, tx, &room, &job, now)?;
            let proof = proof::recorded(tx, &room.id, &job)?.unwrap_or_default();
            let blocked = Serving::take(app, tx, &room.id, now, [&job])?.blocked(now, &job);
            let view = JobView::of(&job, now, &notices(tx, &room.id, [&job])?).blocked(blocked);
            let job = JobView { proof, ..view };
            Ok::<_, Failure>((room, job, agent, found, asked, now))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let mut page = Page::default();
        let views = found.iter().take(limit as usize).filter_map(JobEvent::of);
        let events: Vec<JobEvent> = views.take_while(|event| page.takes(event)).collect();
        let has_more = events.len() < found.len();
        let before = events.last().filter(|_| has_more).map(|event| event.seq);
        hear(app, caller, &room.id, job.job, &events);
        Ok(OpenResult { room_id: room.id, job, agent, prompt: asked, events, has_more, before })
    }
}
