//! Asking for an agent, and what whoever asks may do itself.

use baton_core::{
    code::ErrorCode,
    envelope::{Attachment, Payload},
    ids::{AgentId, AnchorId, RoomId},
    job::{Choice, Draft, Isolation, Job, JobId, Lineage, Priority, Profile, Routing, agent_of, job_of},
    policy::Spawning,
    spawn::{self, ApprovalId, ApprovalStatus, Bounds, Grant, Grants, NodeSpec, Requested, Wishes},
    task::TaskId,
};
use baton_store::{engine::Tx, spawns, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::node::{self, Names};
use crate::{
    App, Caller, Failure, Rights, app,
    commands::envelope::{AttachmentInput, sender},
    identity::Employment,
    table::{Access, Effect, Place, Tier, UseCase},
    unit::Change,
};

/// `spawn.request`
pub struct Request;

/// The agent that is asked for.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpawnInput {
    pub room_id: RoomId,
    pub title: String,
    /// What it is to do, in full
    pub prompt: String,
    /// What it is handed first, in a few words
    pub message: String,
    pub structured: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<AttachmentInput>,
    /// contextpack://pack/…
    pub context_ref: Option<String>,
    pub role: Option<String>,
    /// Sort of work; default task
    pub kind: Option<String>,
    /// Default auto
    pub executor: Option<Choice>,
    pub executor_profile: Option<Profile>,
    pub executor_model: Option<String>,
    pub isolation: Option<Isolation>,
    /// low, normal or high
    pub priority: Option<String>,
    pub task: Option<TaskId>,
    pub anchor: Option<AnchorId>,
    /// Whether it may ask for further agents; only if you may
    pub spawn_nodes: Option<bool>,
    /// Whether it may only look; it must if you must
    pub read_only: Option<bool>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// What became of the request.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SpawnResult {
    pub room_id: RoomId,
    pub approval: ApprovalId,
    /// `pending`: an operator decides, and you are told in your inbox.
    pub status: ApprovalStatus,
    /// The job that it is, once it is approved.
    pub job: Option<JobId>,
    /// The new agent.
    pub agent_id: Option<AgentId>,
    /// What it may do.
    pub grants: Grants,
}

impl UseCase for Request {
    const NAME: &'static str = "spawn.request";
    const PLACE: Place = Place::Tool("spawn_node", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited("if granted");
    const ABOUT: &'static str = "Ask for another agent, as a job with its first handoff from you and an edge between you. Needs the capability, and mostly an operator's approval. It never may do more than you.";
    type Input = SpawnInput;
    type Output = SpawnResult;

    fn perform(app: &App, caller: &Caller, input: SpawnInput) -> Result<SpawnResult, Failure> {
        let (spec, names) = (input.spec()?, Names::fresh()?);
        let wishes = Wishes { spawn_nodes: input.spawn_nodes, read_only: input.read_only, isolation: input.isolation };
        let request = app::Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let asked = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let parent = sender(change, caller)?;
            let (bounds, policy) = (bounds_of(change, caller)?, change.room.policy.spawn);
            bounds.require_spawning(policy, &parent.agent_id)?;
            let (routing, grants) = bounds.fit(wishes, &spec.routing)?;
            let spec = NodeSpec { routing, grants, ..spec.clone() };
            node::require(change, &spec, &parent)?;
            let approval = spawns::next(change.store.tx()?, &change.room.id)?;
            let by_operator = caller.rights() >= Rights::Operator;
            change.record(spawn::Event::Requested(Requested {
                approval,
                spec: Box::new(spec.clone()),
                by_operator,
            }))?;
            let room_id = change.room.id.clone();
            if policy != Spawning::Auto {
                let status = ApprovalStatus::Pending;
                return Ok(SpawnResult { room_id, approval, status, job: None, agent_id: None, grants });
            }
            let job = node::make(change, approval, &spec, &parent, &names)?;
            change.record(approval.approved_by_policy(&parent.agent_id, job, &spec))?;
            let (status, agent_id) = (ApprovalStatus::Approved, Some(agent_of(&room_id, job)));
            Ok(SpawnResult { room_id, approval, status, job: Some(job), agent_id, grants })
        })?;
        if asked.job.is_some() {
            app.job_was_queued(&asked.room_id);
        }
        Ok(asked)
    }
}

impl SpawnInput {
    fn spec(&self) -> Result<NodeSpec, Failure> {
        let priority = self.priority.as_deref().unwrap_or("normal");
        let attachment =
            |given: &AttachmentInput| Attachment { kind: given.kind.clone(), reference: given.reference.clone() };
        let payload = Payload {
            message: self.message.clone(),
            structured: self.structured.clone().map(Value::Object),
            artifacts: self.artifacts.iter().map(attachment).collect(),
            status: None,
            response: None,
        };
        Ok(NodeSpec {
            title: self.title.clone(),
            prompt: self.prompt.clone(),
            kind: self.kind.clone().unwrap_or_else(|| "task".to_owned()),
            role: self.role.clone(),
            priority: Priority::read(priority).ok_or_else(|| {
                let message = "priority: must be low, normal (or medium) or high.";
                Failure::new(ErrorCode::InvalidInput, message).with("field", "priority")
            })?,
            task: self.task,
            anchor: self.anchor.clone(),
            routing: Routing {
                executor: self.executor.unwrap_or(Choice::Auto),
                executor_profile: self.executor_profile,
                executor_model: self.executor_model.clone(),
                policy: None,
                expected_artifacts: Vec::new(),
                isolation: self.isolation.unwrap_or(Isolation::Workspace),
            },
            grants: Grants::default(),
            payload,
            context_ref: self.context_ref.clone(),
        }
        .redacted()?)
    }
}

/// The caller's authority. A process that was started for a job is bound by that job, whatever it calls itself and in
/// whichever room it acts; one whose job cannot be told has no grants at all.
fn bounds_of(change: &mut Change<'_>, caller: &Caller) -> Result<Bounds, Failure> {
    let agent = caller.actor().agent_id;
    match caller.employment() {
        Employment::Job(own) if own.room == change.room.id => {
            let job = change.store.find::<Job>(&own.job)?.cloned().ok_or_else(|| Failure::unknown_id(own.job))?;
            Ok(Bounds::of_job(&job))
        }
        Employment::Job(own) => {
            let job = table::find::<Job>(change.store.tx()?, &own.room, &own.job)?
                .ok_or_else(|| Failure::unknown_id(own.job))?;
            let (here, own) = (member(change, &agent)?, Bounds::of_job(&job));
            Ok(Bounds { grants: own.grants.within(here.grants), ..own })
        }
        Employment::Hidden => Ok(Bounds::of_member(Grants::default())),
        Employment::None if caller.rights() >= Rights::Operator => Ok(Bounds::of_operator()),
        Employment::None => member(change, &agent),
    }
}

fn member(change: &mut Change<'_>, agent: &AgentId) -> Result<Bounds, Failure> {
    Ok(Bounds::of_member(change.store.find::<Grant>(agent)?.map(|grant| grant.grants).unwrap_or_default()))
}

/// The authority, as of now, of an agent that asked before.
pub(super) fn bounds_of_agent(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    is_operator: bool,
) -> Result<Bounds, Failure> {
    let job = job_of(agent).filter(|job| agent_of(room, *job) == *agent);
    if let Some(id) = job {
        let job = table::find::<Job>(tx, room, &id)?.ok_or_else(|| Failure::unknown_id(id))?;
        return Ok(Bounds::of_job(&job));
    }
    if is_operator {
        return Ok(Bounds::of_operator());
    }
    let grants = table::find::<Grant>(tx, room, agent)?.map(|grant| grant.grants);
    Ok(Bounds::of_member(grants.unwrap_or_default()))
}

/// A job that the caller wants, as far as it may have it.
pub(crate) fn bounded(
    change: &mut Change<'_>,
    caller: &Caller,
    draft: &Draft,
    wishes: Wishes,
) -> Result<Draft, Failure> {
    let bounds = bounds_of(change, caller)?;
    if *caller.employment() != Employment::None {
        // Creating a job is how a job's agent would get further agents without asking for them.
        bounds.require_spawning(change.room.policy.spawn, &caller.actor().agent_id)?;
    }
    let (routing, grants) = bounds.fit(wishes, &draft.routing)?;
    let parent = caller.assignment_in(&change.room.id).map(|own| own.agent_id());
    Ok(Draft { routing, lineage: Lineage { parent, grants }, ..draft.clone() })
}
