//! What happens in the library.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ArtifactId, ArtifactKind, CardId, CardKind, PlanId};
use crate::{
    event::{Concern, events},
    ids::{AgentId, AnchorId},
    job::JobId,
    lease::Fence,
    reference::Reference,
    task::TaskId,
    turn::TurnId,
};

events! {
    /// Something was found out, and kept.
    "card.create" => CardCreated,
    /// A card was put where it is seen, or taken from there.
    "card.pin" => CardPinned,
    /// A part of the map was described.
    "anchor.set" => AnchorSet,
    /// A plan was made.
    "plan.create" => PlanCreated,
    /// A file was kept.
    "artifact.keep" => ArtifactKept,
    /// The content of a file was given up.
    "artifact.drop" => ArtifactDropped,
}

/// Something was found out, and kept.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardCreated {
    /// Its number.
    pub card: CardId,
    /// What sort of finding.
    pub kind: CardKind,
    /// What, in a line.
    pub title: String,
    /// What, in full.
    pub text: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it is kept in view.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The task it belongs to.
    pub task: Option<TaskId>,
    /// The part of the map it belongs to.
    pub anchor: Option<AnchorId>,
    /// The job it came from.
    pub job: Option<JobId>,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Reference>,
}

/// A card was put where it is seen, or taken from there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CardPinned {
    /// Which.
    pub card: CardId,
    /// Whether it is kept in view.
    pub pinned: bool,
}

/// A part of the map was described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnchorSet {
    /// Which.
    pub anchor: AnchorId,
    /// What it is called.
    pub title: String,
    /// What belongs to it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// A plan was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanCreated {
    /// Its number.
    pub plan: PlanId,
    /// What, in a line.
    pub title: String,
    /// What, in full.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The tasks it puts in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
}

/// A file was kept.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactKept {
    /// Its number.
    pub artifact: ArtifactId,
    /// What sort of file.
    pub kind: ArtifactKind,
    /// What it is called.
    pub name: String,
    /// The hash of its content, which is where it is kept.
    pub sha256: String,
    /// How large it is.
    pub bytes: u64,
    /// The machine it is kept on.
    pub host: String,
    /// The job it came from.
    pub job: Option<JobId>,
    /// Under which claim of that job.
    pub revision: Option<Fence>,
    /// The agent it is of.
    pub node: Option<AgentId>,
    /// The turn it is of.
    pub turn: Option<TurnId>,
    /// What a context pack points to, so that it stays as long as the pack does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<Reference>,
    /// Whether something that looked like a secret was taken out. Events of earlier versions do not say.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// The origin of a diff that can be applied. Diffs of earlier versions, and those of a shared workspace, have none.
    pub patch: Option<PatchOrigin>,
}

/// The commit that a diff applies to, and whether the diff has all that was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PatchOrigin {
    /// The commit that the worktree was made of.
    pub base: String,
    /// The top of the working tree that the worktree belongs to.
    pub repository: String,
    /// Whether the diff was longer than can be kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Files that were changed and are too large for a diff, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub too_large: Vec<String>,
}

impl PatchOrigin {
    /// Whether the diff has every change.
    pub fn is_whole(&self) -> bool {
        !self.cut && self.too_large.is_empty()
    }
}

/// The content of a file was given up: nothing pointed to it any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactDropped {
    /// Which.
    pub artifact: ArtifactId,
}

impl Event {
    /// Whom it concerns besides the actor: nobody.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        None
    }

    /// Who should hear of it first. No wait for the stick ends by it.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        Concern::Nobody
    }
}
