//! Jobs, newest first.

use baton_core::{
    code::ErrorCode,
    ids::{AnchorId, RoomId, Seq},
    job::{Job, JobId, Status},
    limits,
    task::TaskId,
};
use baton_store::{engine::Tx, jobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JobView, Serving, notices};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence,
    table::{Effect, JOBS, Place, UseCase},
};

/// `jobs.list`
pub struct List;

/// Which jobs.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    pub room_id: RoomId,
    pub status: Option<Status>,
    pub task: Option<TaskId>,
    pub anchor: Option<AnchorId>,
    /// The cursor of the last page
    pub cursor: Option<u64>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
}

/// A page of jobs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListResult {
    pub room_id: RoomId,
    pub jobs: Vec<JobView>,
    pub has_more: bool,
    /// Where the next page starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<u64>,
}

impl UseCase for List {
    const NAME: &'static str = "jobs.list";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List jobs.";
    type Input = ListInput;
    type Output = ListResult;

    fn perform(app: &App, caller: &Caller, input: ListInput) -> Result<ListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::JOBS_DEFAULT, limits::JOBS_MAX)?;
        if input.task.is_some() && input.anchor.is_some() {
            let message = "Give either task or anchor, not both.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "anchor"));
        }
        app.see_to_jobs(&input.room_id);
        let (room, (found, notices, now, serving)) = presence::read(app, caller, &input.room_id, |tx, room, now| {
            let found = input.find(tx, &room.id, limit + 1)?;
            let notices = notices(tx, &room.id, &found)?;
            let serving = Serving::take(app, tx, &room.id, now, &found)?;
            Ok((found, notices, now, serving))
        })?;
        let mut page = Page::default();
        let view = |job: &Job| JobView::of(job, now, &notices).blocked(serving.blocked(now, job));
        let views = found.iter().take(limit as usize).map(view);
        let jobs: Vec<JobView> = views.take_while(|view| page.takes(view)).collect();
        let has_more = jobs.len() < found.len();
        let last = jobs.len().checked_sub(1).map(|last| &found[last]);
        let cursor = last.filter(|_| has_more).map(|job| input.place(job));
        Ok(ListResult { room_id: room.id, jobs, has_more, cursor })
    }
}

impl ListInput {
    /// The jobs that are meant. Those of a task or an anchor are looked through until enough have the status.
    fn find(&self, tx: &mut dyn Tx, room: &RoomId, limit: u32) -> Result<Vec<Job>, Failure> {
        let before = self.cursor.map(|cursor| JobId(u32::try_from(cursor).unwrap_or(u32::MAX)));
        if self.task.is_none() && self.anchor.is_none() {
            return Ok(match self.status {
                Some(status) => jobs::in_status(tx, room, status, self.cursor.map(Seq), limit)?,
                None => jobs::newest(tx, room, before, limit)?,
            });
        }
        let (mut found, mut before): (Vec<Job>, _) = (Vec::new(), before);
        loop {
            let page = match (&self.task, &self.anchor) {
                (Some(task), _) => jobs::of_task(tx, room, *task, before, limits::JOBS_MAX)?,
                (None, Some(anchor)) => jobs::of_anchor(tx, room, anchor, before, limits::JOBS_MAX)?,
                (None, None) => Vec::new(),
            };
            before = page.last().map(|job| job.id);
            let full = page.len() == limits::JOBS_MAX as usize;
            found.extend(page.into_iter().filter(|job| self.status.is_none_or(|status| job.status == status)));
            if !full || found.len() >= limit as usize {
                found.truncate(limit as usize);
                return Ok(found);
            }
        }
    }

    /// Where a job stands in this listing: by status they are in the order of what happened last, else of their numbers.
    fn place(&self, job: &Job) -> u64 {
        let by_status = self.status.is_some() && self.task.is_none() && self.anchor.is_none();
        if by_status { job.last.seq.0 } else { u64::from(job.id.0) }
    }
}
