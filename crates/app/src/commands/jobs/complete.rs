//! Ending a job.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Completion, JobId, Outcome, agent_of, salvage},
    lease::Fence,
    turn,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Happened, review::pending, shown::shown, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    proof, refs,
    table::{Access, Effect, JOBS, Permission, Place, UseCase},
};

/// `jobs.complete`
pub struct Complete;

/// How it ended.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteInput {
    pub room_id: RoomId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_id: Option<AgentId>,
    /// The job.revision of your claim
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_revision: Option<Fence>,
    pub status: Outcome,
    /// What changed, what was tested, where the evidence is
    pub summary: String,
    /// Where the results are: CARD-1, TASK-001, notes@9, CMD: …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Noted beside the job
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Complete {
    const NAME: &'static str = "jobs.complete";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access =
        Access { job_agent: Permission::Limited("not its own job"), ..Access::limited_for_all("its claim") };
    const ABOUT: &'static str = "End the job you claimed.";
    type Input = CompleteInput;
    type Output = Happened;

    fn perform(app: &App, caller: &Caller, input: CompleteInput) -> Result<Happened, Failure> {
        let (id, shown) = shown(caller, &input.room_id, input.job, input.runner_id.as_ref(), input.claim_revision)?;
        let given = refs::parse(&input.refs)?;
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let job = required(change, id)?;
            if input.status == Outcome::Done {
                job.require_claim(&shown)?;
                job.require_reviewed(pending(change.store.tx()?, &change.room.id, &job)?.as_ref())?;
            }
            let references = if given.is_empty() && input.status == Outcome::Done {
                refs::resolving(change.store.tx()?, &change.room.id, salvage(&input.summary))?
            } else {
                refs::require(change.store.tx()?, &change.room.id, &given)?;
                given.clone()
            };
            let (summary, meta) = (input.summary.clone(), input.meta.clone());
            let proof = match input.status {
                Outcome::Done => Some(proof::weigh(change.store.tx()?, &change.room.id, &job, &references)?),
                Outcome::Failed => None,
            };
            let completion = Completion { outcome: input.status, summary, refs: references, proof, meta };
            let event = job.complete(&shown, &completion)?;
            // A turn that goes on ends as its job does.
            let (outcome, why) = match completion.outcome {
                Outcome::Done => (turn::Outcome::Completed, String::new()),
                Outcome::Failed => (turn::Outcome::Failed, format!("{id} failed: {}", completion.summary)),
            };
            change.end_turn_of(&agent_of(&change.room.id, id), outcome, &why)?;
            let recorded = change.record(event)?;
            change.end_agent_of(&job)?;
            let mut happened = Happened::now(change, id, Some(recorded.seq))?;
            happened.job.proof = completion.proof.unwrap_or_default();
            Ok(happened)
        })
    }
}
