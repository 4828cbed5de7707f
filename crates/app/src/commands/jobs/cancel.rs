//! Delegated work: withdrawing a job, having it done again, and giving it back to the queue.

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    job::{Event, JobId, agent_of},
    lease::Fence,
    turn,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Happened, report::shown, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, JOBS, Place, UseCase},
    unit::Change,
};

/// `jobs.cancel`
pub struct Cancel;

/// What is not wanted any more, and why.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelInput {
    pub room_id: RoomId,
    pub job: JobId,
    pub reason: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Cancel {
    const NAME: &'static str = "jobs.cancel";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_jobs("jobs it created");
    const ABOUT: &'static str = "Withdraw a job; its runner stops.";
    type Input = CancelInput;
    type Output = Happened;

    fn perform(app: &App, caller: &Caller, input: CancelInput) -> Result<Happened, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let job = change.managed_job(caller, input.job, "its manager withdraws it")?;
            let why = format!("{} was withdrawn: {}", job.id, input.reason);
            let seq = record_losing_turn(change, job.id, job.cancel(&input.reason)?, &why)?;
            if seq.is_some() {
                change.end_agent_of(&job)?;
            }
            Happened::now(change, input.job, seq)
        })
    }
}

/// `jobs.requeue`
pub struct Requeue;

/// What is to be done again, and why.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RequeueInput {
    pub room_id: RoomId,
    pub job: JobId,
    pub reason: String,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Requeue {
    const NAME: &'static str = "jobs.requeue";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_jobs("jobs it created");
    const ABOUT: &'static str = "Have a job done again, or by another runner.";
    type Input = RequeueInput;
    type Output = Happened;

    fn perform(app: &App, caller: &Caller, input: RequeueInput) -> Result<Happened, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let requeued = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let job = change.managed_job(caller, input.job, "its manager has it done again")?;
            let why = format!("{} was put back into the queue: {}", input.job, input.reason);
            let seq = record_losing_turn(change, job.id, job.requeue(&input.reason)?, &why)?;
            Happened::now(change, input.job, seq)
        })?;
        app.job_was_queued(&requeued.room_id);
        Ok(requeued)
    }
}

/// What a runner stops working on, and under which claim.
#[derive(Debug, Serialize)]
pub struct GivingBack {
    pub room_id: RoomId,
    pub job: JobId,
    pub runner_id: AgentId,
    pub claim_revision: Fence,
    pub reason: String,
}

impl App {
    /// Gives a job back to the queue, if the claim that is shown is in force.
    pub fn give_back(&self, caller: &Caller, giving: &GivingBack) -> Result<Happened, Failure> {
        let GivingBack { room_id, job, runner_id, claim_revision, reason } = giving;
        let (job, shown) = shown(caller, room_id, Some(*job), Some(runner_id), Some(*claim_revision))?;
        let request = Request { command: "jobs.give_back", input: giving, key: None };
        let given = self.change(caller, &request, room_id, |change| {
            let event = required(change, job)?.give_back(&shown, reason)?;
            let why = format!("its runner gave {job} back: {reason}");
            let seq = record_losing_turn(change, job, event, &why)?;
            Happened::now(change, job, seq)
        })?;
        self.job_was_queued(&given.room_id);
        Ok(given)
    }
}

/// Records that a job is taken from its agent, if it is. The agent's open turn is lost by that.
fn record_losing_turn(
    change: &mut Change<'_>,
    job: JobId,
    event: Option<Event>,
    why: &str,
) -> Result<Option<Seq>, Failure> {
    let Some(event) = event else { return Ok(None) };
    change.end_turn_of(&agent_of(&change.room.id, job), turn::Outcome::Lost, why)?;
    Ok(Some(change.record(event)?.seq))
}
