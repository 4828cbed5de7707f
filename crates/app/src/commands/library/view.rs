//! Cards, anchors, plans and artifacts as callers see them in listings: less their texts.

use baton_core::{
    ids::{AgentId, AnchorId, RoomId},
    job::JobId,
    library::{Anchor, Artifact, ArtifactKind, Card, CardId, CardKind, Plan, PlanId},
    reference::Reference,
    task::TaskId,
    time::Timestamp,
    turn::TurnId,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A card, less its text: `open` shows that.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardView {
    pub card: CardId,
    /// What sort of finding.
    pub kind: CardKind,
    pub title: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it is kept in view.
    pub pinned: bool,
    pub task: Option<TaskId>,
    pub anchor: Option<AnchorId>,
    /// The job it came from.
    pub job: Option<JobId>,
    pub created_by: AgentId,
    pub created_at: Timestamp,
}

impl From<&Card> for CardView {
    fn from(card: &Card) -> Self {
        Self {
            card: card.id,
            kind: card.kind,
            title: card.title.clone(),
            tags: card.tags.clone(),
            pinned: card.pinned,
            task: card.task,
            anchor: card.anchor.clone(),
            job: card.job,
            created_by: card.created_by.clone(),
            created_at: card.created_at,
        }
    }
}

/// A card, and where it is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct CardResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub card: CardView,
}

/// A part of the map, less its description.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnchorView {
    pub anchor: AnchorId,
    pub title: String,
    pub updated_at: Timestamp,
}

impl From<&Anchor> for AnchorView {
    fn from(anchor: &Anchor) -> Self {
        Self { anchor: anchor.id.clone(), title: anchor.title.clone(), updated_at: anchor.updated_at }
    }
}

/// A plan, less its text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanView {
    pub plan: PlanId,
    pub title: String,
    pub created_by: AgentId,
    pub created_at: Timestamp,
}

impl From<&Plan> for PlanView {
    fn from(plan: &Plan) -> Self {
        let (plan_id, title) = (plan.id, plan.title.clone());
        Self { plan: plan_id, title, created_by: plan.created_by.clone(), created_at: plan.created_at }
    }
}

/// A file that was kept, less its content.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactView {
    /// What to open it with.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    /// What sort of file.
    pub kind: ArtifactKind,
    pub name: String,
    /// How large it is.
    pub bytes: u64,
    pub sha256: String,
    /// The machine it is kept on.
    pub host: String,
    /// The job it came from.
    pub job: Option<JobId>,
    /// The agent it is of.
    pub node: Option<AgentId>,
    /// The turn it is of.
    pub turn: Option<TurnId>,
    pub created_by: AgentId,
    pub created_at: Timestamp,
    /// When its content was given up.
    pub dropped_at: Option<Timestamp>,
}

impl From<&Artifact> for ArtifactView {
    fn from(artifact: &Artifact) -> Self {
        Self {
            reference: Reference::Artifact(artifact.kind, artifact.id.0),
            kind: artifact.kind,
            name: artifact.name.clone(),
            bytes: artifact.bytes,
            sha256: artifact.sha256.clone(),
            host: artifact.host.clone(),
            job: artifact.job,
            node: artifact.node.clone(),
            turn: artifact.turn,
            created_by: artifact.created_by.clone(),
            created_at: artifact.created_at,
            dropped_at: artifact.dropped_at,
        }
    }
}
