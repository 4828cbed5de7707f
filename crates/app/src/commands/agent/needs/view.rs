//! Something that waits for a person, as they see it.

use baton_core::{
    agent::ConnectionStatus,
    envelope::PayloadId,
    ids::{AgentId, RoomId},
    job::Status,
    lease::Fence,
    process::Liveness,
    room::TakeoverReason,
    spawn::SpecDigest,
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What sort of thing waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum NeedKind {
    /// A job asked something.
    Question,
    /// Somebody asks for another agent.
    Approval,
    /// A message has to be accepted.
    Ack,
    /// A response is owed.
    Response,
    /// A job was said to be done, and nothing shows it.
    Proof,
    /// A job failed, or met an error.
    Failed,
    /// Whoever has the stick, or a job, does not move.
    Stuck,
    /// An agent wants to go where another is.
    Incursion,
    /// A job waits, and nobody here can do it.
    Blocked,
    /// An idle agent was woken and did nothing.
    Unprocessed,
}

impl NeedKind {
    /// The sort as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::Approval => "approval",
            Self::Ack => "ack",
            Self::Response => "response",
            Self::Proof => "proof",
            Self::Failed => "failed",
            Self::Stuck => "stuck",
            Self::Incursion => "incursion",
            Self::Blocked => "blocked",
            Self::Unprocessed => "unprocessed",
        }
    }
}

/// Something that waits for a person.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Need {
    pub kind: NeedKind,
    pub room_id: RoomId,
    /// What the room is called.
    pub room_name: Option<String>,
    /// The workspace that it belongs to.
    pub canonical_path: Option<String>,
    pub since: Timestamp,
    /// `JOB-001`, `APPROVAL-1`, the number of a message or of a collision, the turn of a stick
    #[serde(rename = "ref")]
    pub reference: String,
    /// What it is about, in a line.
    pub title: String,
    /// What is asked or what happened, in the words of whoever said it.
    pub words: String,
    /// Whom it comes from, or who does not move.
    pub who: Whom,
    /// The other one: who is in the way, or who gets the response.
    pub other: Option<Whom>,
    /// Which of your names it was sent to.
    pub to: Option<AgentId>,
    /// How far the job is.
    pub status: Option<Status>,
    /// The envelope that is to be answered.
    pub envelope: Option<PayloadId>,
    /// The request as it is now, to approve it with.
    pub digest: Option<SpecDigest>,
    /// How often two agents met.
    pub count: Option<u64>,
    /// Why somebody counts as stuck.
    pub evidence: Option<Evidence>,
    /// What to type next in a shell.
    pub command: String,
}

impl Need {
    /// Where it stands in the line: oldest first, so that what is new is added at the end.
    pub(super) fn place(&self) -> String {
        format!("{:015}.{}.{}.{}", self.since.as_millis(), self.room_id, self.kind.as_str(), self.reference)
    }
}

/// An agent, and what people call it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Whom {
    pub agent_id: AgentId,
    pub name: String,
}

/// Why somebody counts as stuck.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// What opens a takeover of the stick. A job is put back into the queue instead.
    pub basis: Option<TakeoverReason>,
    /// What was seen of its process.
    pub liveness: Liveness,
    /// Whether it is there, and why.
    pub connection: Option<ConnectionStatus>,
    /// The same in words.
    pub words: String,
    /// Until when it had the stick, or could claim it, or had the job.
    pub lease_expires_at: Timestamp,
    /// When it was last heard of.
    pub last_seen_at: Option<Timestamp>,
    pub pid: Option<u32>,
    /// The turn that a takeover ends: its `expected_turn_id`.
    pub turn_id: Option<Fence>,
}
