//! Asking for an agent.

use baton_core::{
    code::ErrorCode,
    envelope::{Attachment, Payload},
    ids::{AgentId, AnchorId, RoomId},
    job::{Choice, Isolation, JobId, Priority, Profile, Routing, agent_of},
    policy::Spawning,
    spawn::{self, ApprovalId, ApprovalStatus, Grants, NodeSpec, Requested, Wishes},
    task::TaskId,
};
use baton_store::spawns;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    authority::bounds_of,
    node::{self, Names},
};
use crate::{
    App, Caller, Failure, Rights, app,
    commands::envelope::{AttachmentInput, sender},
    table::{Access, Effect, Place, Tier, UseCase},
};

/// `spawn.request`
pub struct Request;

/// The agent that is asked for.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpawnInput {
    pub room_id: RoomId,
    pub title: String,
    /// What it is to do, in full
    pub prompt: String,
    /// What it is handed first, in a few words
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<AttachmentInput>,
    /// contextpack://pack/…
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_ref: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Sort of work; default task
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Default auto
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<Choice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor_profile: Option<Profile>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor_model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// low, normal or high
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<AnchorId>,
    /// Whether it may ask for further agents; only if you may
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawn_nodes: Option<bool>,
    /// Whether it may only look; it must if you must
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// What became of the request.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SpawnResult {
    pub room_id: RoomId,
    pub approval: ApprovalId,
    /// `pending`: an operator decides, and you are told in your inbox.
    pub status: ApprovalStatus,
    /// The job that it is, once it is approved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// The new agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
