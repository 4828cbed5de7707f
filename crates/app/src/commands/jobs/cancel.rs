//! Withdrawing a job.

use baton_core::{
    ids::RoomId,
    job::{JobId, agent_of},
    turn,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Happened;
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, JOBS, Place, UseCase},
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
            let event = job.cancel(&input.reason)?;
            if event.is_some() {
                let why = format!("{} was withdrawn: {}", job.id, input.reason);
                change.end_turn_of(&agent_of(&change.room.id, job.id), turn::Outcome::Lost, &why)?;
            }
            let seq = event.map(|event| change.record(event)).transpose()?.map(|recorded| recorded.seq);
            if seq.is_some() {
                change.end_agent_of(&job)?;
            }
            Happened::now(change, input.job, seq)
        })
    }
}
