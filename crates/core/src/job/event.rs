//! What happens to jobs. Each is a row of the room's log, and `JOB-001@17` points to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    CapabilityDigest, JobId, Lineage, Proven, agent_of,
    spec::{Executor, Priority, Routing},
};
use crate::{
    claimant::Backing,
    event::{Concern, Recorded, events},
    ids::{AgentId, AnchorId},
    inbox::{Category, Item, Letter},
    lease::Fence,
    process::{Proof, SessionKind},
    reference::Reference,
    task::TaskId,
    time::Timestamp,
    words::words,
};

events! {
    /// It was asked for.
    "job.created" => Created,
    /// A runner began.
    "job.claimed" => Claimed,
    /// A runner began in place of one that was lost.
    "job.reclaimed" => Reclaimed,
    /// It goes on.
    "job.progress" => Progress,
    /// Something was reached.
    "job.checkpoint" => Checkpoint,
    /// Somebody has to decide.
    "job.question" => Question,
    /// It was said to be done, and nothing shows it.
    "job.proof_gate" => ProofGate,
    /// Something went wrong.
    "job.error" => Error,
    /// A manager said something.
    "job.manager" => Manager,
    /// It was done.
    "job.completed" => Completed,
    /// It could not be done.
    "job.failed" => Failed,
    /// It is not wanted any more.
    "job.canceled" => Canceled,
    /// It is to be done again.
    "job.requeued" => Requeued,
    /// Its patch was applied to the workspace.
    "job.applied" => Applied,
    /// A branch was made of its patch.
    "job.branched" => Branched,
}

type Progress = Reported;
type Checkpoint = Reported;
type Question = Reported;
type ProofGate = Reported;
type Error = Reported;
type Completed = Ended;
type Failed = Ended;

words! {
    /// What sort of thing happened to a job.
    Kind {
        /// It was asked for.
        Created "created",
        /// A runner began.
        Claimed "claimed",
        /// A runner began in place of one that was lost.
        Reclaimed "reclaimed",
        /// It goes on.
        Progress "progress",
        /// Something was reached.
        Checkpoint "checkpoint",
        /// Somebody has to decide.
        Question "question",
        /// A manager said something.
        Manager "manager",
        /// Nothing shows that it was done.
        ProofGate "proof_gate",
        /// Something went wrong.
        Error "error",
        /// It was done.
        Completed "completed",
        /// It could not be done.
        Failed "failed",
        /// It is not wanted any more.
        Canceled "canceled",
        /// It is to be done again.
        Requeued "requeued",
        /// Its patch was applied to the workspace.
        Applied "applied",
        /// A branch was made of its patch.
        Branched "branched",
    }
}

/// It was asked for.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Created {
    /// Its number.
    pub job: JobId,
    /// What, in a line.
    pub title: String,
    /// What, in full.
    pub prompt: String,
    /// What sort of work.
    pub kind: String,
    /// How urgent.
    pub priority: Priority,
    /// The task it is for.
    pub task: Option<TaskId>,
    /// The part of the map it is about.
    pub anchor: Option<AnchorId>,
    /// Who may do it.
    #[serde(flatten)]
    pub routing: Routing,
    /// What else its creator noted.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Whom it comes from, and what it may do.
    #[serde(flatten)]
    pub lineage: Lineage,
}

/// A runner began.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claimed {
    /// Which job.
    pub job: JobId,
    /// In whose name.
    pub runner_id: AgentId,
    /// Which claim of this job.
    pub revision: Fence,
    /// Until when, unless it reports before.
    pub expires_at: Timestamp,
    /// With which program, where that is known.
    pub executor: Option<Executor>,
    /// The process or credential that made the claim.
    #[serde(flatten)]
    pub backing: Backing,
    /// The digest of the secret that was made with the claim. Events of earlier versions have none.
    pub capability_sha256: Option<CapabilityDigest>,
}

words! {
    /// Why a job was taken from a runner.
    ReclaimReason {
        /// Its claim had run out.
        TtlExpired "ttl_expired",
        /// The process that had claimed it is proven gone.
        RunnerGone "runner_gone",
        /// Somebody decided so.
        Manual "manual",
        /// What runners said about themselves contradicted its claim, and somebody decided so.
        ConflictResolved "conflict_resolved",
    }
}

/// A runner began in place of one that was lost.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reclaimed {
    /// Which job.
    pub job: JobId,
    /// In whose name.
    pub runner_id: AgentId,
    /// Which claim of this job.
    pub revision: Fence,
    /// Until when, unless it reports before.
    pub expires_at: Timestamp,
    /// With which program, where that is known.
    pub executor: Option<Executor>,
    /// The process or credential that made the claim.
    #[serde(flatten)]
    pub backing: Backing,
    /// The digest of the secret that was made with the claim. Events of earlier versions have none.
    pub capability_sha256: Option<CapabilityDigest>,
    /// From whom, and why.
    pub meta: ReclaimMeta,
}

/// From whom a job was taken, and why.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReclaimMeta {
    /// Whose claim it was.
    pub previous_runner_id: Option<AgentId>,
    /// Why.
    pub reason: ReclaimReason,
    /// Why the process that had claimed it is certainly gone, where that was the reason.
    pub proof: Option<Proof>,
}

impl ReclaimReason {
    /// Whether the runner was lost. A runner that somebody took the job from may have been fine.
    pub const fn is_loss(self) -> bool {
        match self {
            Self::TtlExpired | Self::RunnerGone => true,
            Self::Manual | Self::ConflictResolved => false,
        }
    }
}

/// Whoever is at it reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reported {
    /// Which job.
    pub job: JobId,
    /// Under which claim.
    pub revision: Fence,
    /// What was said.
    pub message: String,
    /// How much of it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Reference>,
    /// Whether one of them shows that the work was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proves: bool,
    /// What is noted beside the job from now on.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

/// A manager said something.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manager {
    /// Which job.
    pub job: JobId,
    /// The kind of session behind its sender, while it sent. It is missing where that is not known, so nobody is taken for
    /// a person by their id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_kind: Option<SessionKind>,
    /// What was said.
    pub message: String,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Reference>,
    /// Whether one of them shows that the work was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub proves: bool,
    /// Whether the job goes on because of it: a slice that was not told of it does not end the job.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sends_back: bool,
}

/// It is over, by a runner's word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// Which job.
    pub job: JobId,
    /// Under which claim.
    pub revision: Fence,
    /// What came of it.
    pub summary: String,
    /// Where that is kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Reference>,
    /// How they stand as proof. Events of earlier versions, and of jobs that failed, do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<Vec<Proven>>,
    /// What is noted beside the job from now on.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

/// It is not wanted any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Canceled {
    /// Which job.
    pub job: JobId,
    /// Why.
    pub reason: String,
    /// Who was at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_id: Option<AgentId>,
}

/// It is to be done again.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Requeued {
    /// Which job.
    pub job: JobId,
    /// Why.
    pub reason: String,
    /// Who was at it.
    pub runner_id: Option<AgentId>,
    /// Whether its runner gave it back, so that nobody decided that it is to begin anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub given_back: bool,
    /// Whether it goes on from its own result, which stays in view.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sent_back: bool,
    /// The patch that it goes on from.
    pub patch: Option<Reference>,
}

/// Its patch was applied to the workspace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Applied {
    /// Which job.
    pub job: JobId,
    /// The patch.
    pub patch: Reference,
    /// The commit that the patch was made against.
    pub base: String,
    /// The commit that the workspace was at.
    pub head: String,
    /// How many files were changed by it.
    pub files: u32,
    /// What happened, in a sentence.
    pub message: String,
}

/// A branch was made of its patch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Branched {
    /// Which job.
    pub job: JobId,
    /// The patch.
    pub patch: Reference,
    /// The commit that the patch was made against.
    pub base: String,
    /// The branch.
    pub branch: String,
    /// Its commit.
    pub commit: String,
    /// What happened, in a sentence.
    pub message: String,
}

impl Manager {
    /// What it puts into the inbox of the job's agent, once it is recorded.
    pub(crate) fn item(&self, recorded: &Recorded) -> Item {
        let category = Category::Manager;
        let letter = Letter { category, requires_ack: false, wakes: true, interrupts: false };
        Item::queued(recorded, &agent_of(&recorded.room_id, self.job), letter)
    }
}

impl Event {
    /// Which job it is about.
    pub fn job(&self) -> JobId {
        match self {
            Self::Created(created) => created.job,
            Self::Claimed(claimed) => claimed.job,
            Self::Reclaimed(reclaimed) => reclaimed.job,
            Self::Progress(reported)
            | Self::Checkpoint(reported)
            | Self::Question(reported)
            | Self::ProofGate(reported)
            | Self::Error(reported) => reported.job,
            Self::Manager(manager) => manager.job,
            Self::Completed(ended) | Self::Failed(ended) => ended.job,
            Self::Canceled(canceled) => canceled.job,
            Self::Requeued(requeued) => requeued.job,
            Self::Applied(applied) => applied.job,
            Self::Branched(branched) => branched.job,
        }
    }

    /// What sort of thing it is.
    pub fn sort(&self) -> Kind {
        match self {
            Self::Created(_) => Kind::Created,
            Self::Claimed(_) => Kind::Claimed,
            Self::Reclaimed(_) => Kind::Reclaimed,
            Self::Progress(_) => Kind::Progress,
            Self::Checkpoint(_) => Kind::Checkpoint,
            Self::Question(_) => Kind::Question,
            Self::ProofGate(_) => Kind::ProofGate,
            Self::Error(_) => Kind::Error,
            Self::Manager(_) => Kind::Manager,
            Self::Completed(_) => Kind::Completed,
            Self::Failed(_) => Kind::Failed,
            Self::Canceled(_) => Kind::Canceled,
            Self::Requeued(_) => Kind::Requeued,
            Self::Applied(_) => Kind::Applied,
            Self::Branched(_) => Kind::Branched,
        }
    }

    /// What was said with it.
    pub fn message(&self) -> &str {
        match self {
            Self::Created(created) => &created.title,
            Self::Claimed(claimed) => claimed.runner_id.as_str(),
            Self::Reclaimed(reclaimed) => reclaimed.runner_id.as_str(),
            Self::Progress(reported)
            | Self::Checkpoint(reported)
            | Self::Question(reported)
            | Self::ProofGate(reported)
            | Self::Error(reported) => &reported.message,
            Self::Manager(manager) => &manager.message,
            Self::Completed(ended) | Self::Failed(ended) => &ended.summary,
            Self::Canceled(canceled) => &canceled.reason,
            Self::Requeued(requeued) => &requeued.reason,
            Self::Applied(applied) => &applied.message,
            Self::Branched(branched) => &branched.message,
        }
    }

    /// What it points to.
    pub fn refs(&self) -> &[Reference] {
        match self {
            Self::Progress(reported)
            | Self::Checkpoint(reported)
            | Self::Question(reported)
            | Self::ProofGate(reported)
            | Self::Error(reported) => &reported.refs,
            Self::Manager(manager) => &manager.refs,
            Self::Completed(ended) | Self::Failed(ended) => &ended.refs,
            Self::Applied(applied) => std::slice::from_ref(&applied.patch),
            Self::Branched(branched) => std::slice::from_ref(&branched.patch),
            Self::Requeued(Requeued { patch: Some(patch), .. }) => std::slice::from_ref(patch),
            Self::Created(_) | Self::Claimed(_) | Self::Reclaimed(_) | Self::Canceled(_) | Self::Requeued(_) => &[],
        }
    }

    /// Whom it concerns besides the actor: the runner.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Claimed(claimed) => Some(&claimed.runner_id),
            Self::Reclaimed(reclaimed) => Some(&reclaimed.runner_id),
            Self::Canceled(canceled) => canceled.runner_id.as_ref(),
            Self::Requeued(requeued) => requeued.runner_id.as_ref(),
            Self::Created(_)
            | Self::Progress(_)
            | Self::Checkpoint(_)
            | Self::Question(_)
            | Self::ProofGate(_)
            | Self::Error(_)
            | Self::Manager(_)
            | Self::Completed(_)
            | Self::Failed(_)
            | Self::Applied(_)
            | Self::Branched(_) => None,
        }
    }

    /// Who should hear of it first. No wait for the stick ends by it.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
