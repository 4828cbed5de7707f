//! What an overview tells of jobs, runners and rooms.

use baton_core::{
    ids::{AgentId, AnchorId, RoomId},
    job::{Choice, Executor, Job, JobId, Marker, Notices, Priority, Progress, Status},
    runner::{Blocked, Capabilities, Diagnosis, DiagnosisKind, Runner, Standing},
    task::TaskId,
    time::Timestamp,
};
use baton_store::jobs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::commands::jobs::{RunnerCounts, ShownEvent};

/// How many jobs there are, whatever was looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverviewCounts {
    pub queued: u64,
    pub running: u64,
    pub done: u64,
    pub failed: u64,
    pub canceled: u64,
    pub error: u64,
    pub question: u64,
    pub proof: u64,
    pub stale: u64,
    /// What reaches this in a room is counted no further.
    pub counted_to: u64,
    pub runners: RunnerCounts,
}

/// A room.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverviewRoom {
    pub room_id: RoomId,
    pub name: Option<String>,
    pub canonical_path: Option<String>,
    /// How to start a runner, where jobs wait and none is there.
    pub cmd: Option<String>,
}

/// A runner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverviewRunner {
    pub room_id: RoomId,
    pub runner_id: AgentId,
    pub status: Standing,
    pub lease_expires_at: Timestamp,
    /// The jobs it says it is at, or said when it was last heard.
    pub jobs: Vec<JobId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
}

/// Something that does not fit together.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OverviewDiag {
    pub room_id: RoomId,
    pub kind: DiagnosisKind,
    /// What it means, and what to do.
    pub about: String,
    /// The particulars, in a line.
    pub particulars: Option<String>,
    pub runner_id: Option<AgentId>,
    pub job: Option<JobId>,
}

/// A job.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OverviewJob {
    pub room_id: RoomId,
    pub job: JobId,
    pub marker: Option<Marker>,
    pub status: Status,
    pub title: String,
    pub kind: String,
    pub priority: Priority,
    pub task: Option<TaskId>,
    pub anchor: Option<AnchorId>,
    pub executor: Choice,
    pub runner_id: Option<AgentId>,
    pub claim_executor: Option<Executor>,
    pub claim_expires_at: Option<Timestamp>,
    /// The event to look at: the one that asks for somebody, else the last one.
    pub shown: ShownEvent,
    /// The question that is open besides.
    pub question: Option<ShownEvent>,
    /// How far it is right now.
    #[serde(default, skip_serializing_if = "Progress::is_empty")]
    pub progress: Progress,
    pub age_s: u64,
    pub created_at: Timestamp,
    /// Why nobody here can do it while it waits, and what to do.
    pub blocked: Option<Blocked>,
}

impl OverviewCounts {
    pub(super) fn add(&mut self, counted: &jobs::Counts) {
        for (status, count) in &counted.by_status {
            *match status {
                Status::Queued => &mut self.queued,
                Status::Running => &mut self.running,
                Status::Done => &mut self.done,
                Status::Failed => &mut self.failed,
                Status::Canceled => &mut self.canceled,
            } += count;
        }
        for (marker, count) in &counted.by_marker {
            *match marker {
                Marker::Error => &mut self.error,
                Marker::Question => &mut self.question,
                Marker::Proof => &mut self.proof,
                Marker::Stale => &mut self.stale,
            } += count;
        }
    }

    /// How many there are so far.
    pub const fn of_status(&self, status: Status) -> u64 {
        match status {
            Status::Queued => self.queued,
            Status::Running => self.running,
            Status::Done => self.done,
            Status::Failed => self.failed,
            Status::Canceled => self.canceled,
        }
    }

    /// How many want that.
    pub const fn of_marker(&self, marker: Marker) -> u64 {
        match marker {
            Marker::Error => self.error,
            Marker::Question => self.question,
            Marker::Proof => self.proof,
            Marker::Stale => self.stale,
        }
    }
}

impl OverviewRunner {
    pub(super) fn of(room: &RoomId, runner: &Runner, now: Timestamp) -> Self {
        Self {
            room_id: room.clone(),
            runner_id: runner.id.clone(),
            status: runner.standing(now),
            lease_expires_at: runner.lease_expires_at,
            jobs: runner.active.clone(),
            capabilities: runner.capabilities.clone(),
        }
    }
}

impl OverviewDiag {
    pub(super) fn of(room: &RoomId, Diagnosis { kind, runner, job, about: particulars }: Diagnosis) -> Self {
        let told = particulars.as_ref().map_or(String::new(), |told| format!(" {told}"));
        let about = format!("{}.{told} {}", kind.meaning(), kind.remedy());
        Self { room_id: room.clone(), kind, about, particulars, runner_id: runner, job }
    }
}

impl OverviewJob {
    pub(super) fn of(room: &RoomId, job: &Job, now: Timestamp, notices: &Notices) -> Self {
        let shown = notices.attention(job).unwrap_or_else(|| job.last.clone());
        let claim = job.claim.as_ref();
        Self {
            room_id: room.clone(),
            job: job.id,
            marker: job.marker(now),
            status: job.status,
            title: job.title.clone(),
            kind: job.kind.clone(),
            priority: job.priority,
            task: job.task,
            anchor: job.anchor.clone(),
            executor: job.routing.executor,
            runner_id: claim.map(|claim| claim.lease.holder.clone()),
            claim_executor: claim.and_then(|claim| claim.executor),
            claim_expires_at: claim.map(|claim| claim.lease.expires_at),
            shown: ShownEvent::of(job.id, shown),
            question: notices.hidden_question(job).map(|event| ShownEvent::of(job.id, event)),
            progress: job.progress.clone(),
            age_s: now.since(job.created_at).as_millis() / 1_000,
            created_at: job.created_at,
            blocked: None,
        }
    }
}
