//! Reports of a job's own agent: how it goes, and how it ended. Each report renews the claim.

use baton_core::{
    claimant::Claimant,
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{self, Completion, Job, JobId, Outcome, Progress, ReportKind, Shown, agent_of, clamp, salvage},
    lease::Fence,
    limits, turn,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Happened, review::pending, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    proof, refs,
    table::{Access, Effect, JOBS, Permission, Place, UseCase},
};

/// `jobs.report`
pub struct Report;

/// What is reported.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportInput {
    pub room_id: RoomId,
    pub job: Option<JobId>,
    pub runner_id: Option<AgentId>,
    /// The job.revision of your claim
    pub claim_revision: Option<Fence>,
    pub kind: ReportKind,
    /// At most 400 characters; of a heartbeat: the last tool or line of output
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    pub percent: Option<u8>,
    /// Which slice of the claim it is at
    pub slice: Option<u32>,
    /// Taken so far, in and out
    pub tokens: Option<u64>,
    /// CARD-1, TASK-001, notes@9, CMD: …, LINK: …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Noted beside the job
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// How long the claim lasts from now
    pub lease_ttl_ms: Option<u64>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl UseCase for Report {
    const NAME: &'static str = "jobs.report";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_all("its claim");
    const ABOUT: &'static str = "Report on the job you work on.";
    type Input = ReportInput;
    type Output = Happened;

    fn perform(app: &App, caller: &Caller, input: ReportInput) -> Result<Happened, Failure> {
        let (id, shown) = shown(caller, &input.room_id, input.job, input.runner_id.as_ref(), input.claim_revision)?;
        let references = refs::parse(&input.refs)?;
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let job = required(change, id)?;
            refs::require(change.store.tx()?, &change.room.id, &references)?;
            let proof = match input.kind {
                ReportKind::Checkpoint => proof::weigh(change.store.tx()?, &change.room.id, &job, &references)?,
                _ => Vec::new(),
            };
            let report = job::Report {
                kind: input.kind,
                message: input.message.clone(),
                percent: input.percent,
                refs: references.clone(),
                proof,
                meta: input.meta.clone(),
            };
            let line = (input.kind == ReportKind::Heartbeat).then(|| report.message.clone());
            let (percent, slice, tokens) = (input.percent, input.slice, input.tokens);
            let seq = match job.report(&shown, &report)? {
                Some(event) => Some(change.record(event)?.seq),
                None => None,
            };
            let now = change.now;
            change.store.shift::<Job>(&id, |job| job.hear(now, Progress { slice, percent, line, tokens }))?;
            // The claim is the runner's to keep: what its agent says does not prolong it, unless it asks for that.
            if !shown.is_own_agent() || input.lease_ttl_ms.is_some() {
                let ttl = clamp(input.lease_ttl_ms, limits::CLAIM_TTL);
                change.store.shift::<Job>(&id, |job| job.renew(now, ttl))?;
            }
            Happened::now(change, id, seq)
        })
    }
}

/// `jobs.complete`
pub struct Complete;

/// How it ended.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteInput {
    pub room_id: RoomId,
    pub job: Option<JobId>,
    pub runner_id: Option<AgentId>,
    /// The job.revision of your claim
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

/// Which claim on which job is shown. A job's own agent need not say, its runner did.
pub(crate) fn shown(
    caller: &Caller,
    room: &RoomId,
    job: Option<JobId>,
    runner: Option<&AgentId>,
    revision: Option<Fence>,
) -> Result<(JobId, Shown), Failure> {
    let by = Claimant::of(&caller.actor());
    let assigned = caller.assignment_in(room).filter(|assigned| job.is_none_or(|job| job == assigned.job));
    let job = job.or(assigned.map(|assigned| assigned.job)).ok_or_else(|| missing("job"))?;
    let revision = revision.or(assigned.map(|assigned| assigned.revision)).ok_or_else(|| missing("claim_revision"))?;
    let runner = runner.or(assigned.map(|assigned| &assigned.runner)).unwrap_or(&by.agent).clone();
    let own = assigned.filter(|assigned| assigned.runner == runner && assigned.revision == revision);
    let capability = own.map(|assigned| assigned.capability.clone());
    Ok((job, Shown { runner, revision, by, capability }))
}

fn missing(field: &str) -> Failure {
    let next = "Show the claim: job, runner_id and the job.revision that `jobs claim` answered.";
    Failure::new(ErrorCode::InvalidInput, format!("missing field `{field}`")).with("field", field).advising(next)
}
