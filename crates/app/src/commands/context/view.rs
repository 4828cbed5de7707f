//! Briefs and packs as callers see them.

use baton_core::{
    context::{Brief, ContextPack, Cut, PackId, Stated},
    ids::{AgentId, RoomId, Seq},
    library::Artifact,
    reference::Reference,
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a room is for.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct BriefResult {
    pub room_id: RoomId,
    /// Empty until somebody says what the room is for.
    pub brief: Brief,
    /// Show it when you edit, to be told if somebody else did.
    pub revision: Option<Seq>,
    pub updated_by: Option<AgentId>,
    pub updated_at: Option<Timestamp>,
}

impl BriefResult {
    pub(super) fn of(room_id: RoomId, stated: Option<Stated>) -> Self {
        match stated {
            Some(Stated { brief, seq, by, at }) => {
                Self { room_id, brief, revision: Some(seq), updated_by: Some(by), updated_at: Some(at) }
            }
            None => Self { room_id, brief: Brief::default(), revision: None, updated_by: None, updated_at: None },
        }
    }
}

/// A pack that was kept.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct PackResult {
    pub room_id: RoomId,
    /// What to open it with, and what to give as `context_ref`.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    /// The file that it is.
    #[schemars(with = "String")]
    pub artifact: Reference,
    /// The agent that it is for.
    pub node_id: String,
    /// A quarter of its bytes.
    pub tokens: u32,
    pub budget: u32,
    /// What there was no room for, by list.
    #[serde(default, skip_serializing_if = "Cut::is_empty")]
    pub cut: Cut,
    /// What could not be looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
}

impl PackResult {
    pub(super) fn of(room_id: RoomId, artifact: Reference, pack: &ContextPack, budget: u32, gaps: &[String]) -> Self {
        let reference = match pack.pack_id.parse() {
            Ok(id) => Reference::Pack(id),
            Err(_) => artifact.clone(),
        };
        let (tokens, cut) = (pack.tokens(), pack.cut.clone());
        Self { room_id, reference, artifact, node_id: pack.node_id.clone(), tokens, budget, cut, gaps: gaps.to_vec() }
    }
}

/// A pack in a listing.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PackView {
    /// What to open it with.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    /// The number to go on before.
    pub number: u32,
    /// The agent that it is for.
    pub node_id: Option<AgentId>,
    /// A quarter of its bytes.
    pub tokens: u32,
    pub created_by: AgentId,
    pub created_at: Timestamp,
    /// Set when its content was given up.
    pub dropped_at: Option<Timestamp>,
}

impl From<&Artifact> for PackView {
    fn from(artifact: &Artifact) -> Self {
        let id = artifact.name.strip_suffix(".json").and_then(|id| id.parse::<PackId>().ok());
        Self {
            reference: id.map_or(Reference::Artifact(artifact.kind, artifact.id.0), Reference::Pack),
            number: artifact.id.0,
            node_id: artifact.node.clone(),
            tokens: baton_core::context::tokens_in(artifact.bytes as usize),
            created_by: artifact.created_by.clone(),
            created_at: artifact.created_at,
            dropped_at: artifact.dropped_at,
        }
    }
}
