//! Telling how a job goes. Each report renews the claim.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{self, Job, JobId, Progress, ReportKind, clamp},
    lease::Fence,
    limits,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Happened, shown::shown, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    proof, refs,
    table::{Access, Effect, JOBS, Place, UseCase},
};

/// `jobs.report`
pub struct Report;

/// What is reported.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportInput {
    pub room_id: RoomId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_id: Option<AgentId>,
    /// The job.revision of your claim
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_revision: Option<Fence>,
    pub kind: ReportKind,
    /// At most 400 characters; of a heartbeat: the last tool or line of output
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// Which slice of the claim it is at
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<u32>,
    /// Taken so far, in and out
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// CARD-1, TASK-001, notes@9, CMD: …, LINK: …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Noted beside the job
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// How long the claim lasts from now
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_ttl_ms: Option<u64>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
