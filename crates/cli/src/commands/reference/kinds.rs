//! The kinds of texts that have rules of their own: ids, names, times and pointers.

use baton_core::{
    bus::BusId,
    ids::{AgentId, AgentName, AnchorId, BeadId, LeaseId, RoomId},
    job::JobId,
    library::{ArtifactId, CardId, PlanId},
    spawn::ApprovalId,
    task::TaskId,
    turn::TurnId,
};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::Value;

/// A kind of text.
pub(super) struct Kind {
    /// What its schema has, and no other.
    mark: Value,
    /// What a field of it is said to be.
    pub(super) words: &'static str,
    /// One of them.
    pub(super) example: &'static str,
    /// The description that a field has where it has none of its own.
    general: String,
}

fn kind<T: JsonSchema>(words: &'static str, example: &'static str) -> Kind {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    let mark = schema.get("pattern").or_else(|| schema.get("format")).cloned().unwrap_or_default();
    let general = schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    Kind { mark, words, example, general }
}

/// Every kind of text that a schema marks.
pub(super) fn all() -> Vec<Kind> {
    vec![
        kind::<RoomId>("room id", "room_1"),
        kind::<LeaseId>("lease id", "lease_1"),
        kind::<AgentId>("agent id", "worker-a"),
        kind::<AgentName>("lowercase name", "amber-otter"),
        kind::<BeadId>("task or bead id", "TASK-001"),
        kind::<AnchorId>("anchor", "a:core"),
        kind::<BusId>("bus id", "g1"),
        kind::<JobId>("job id", "JOB-001"),
        kind::<TaskId>("task id", "TASK-001"),
        kind::<CardId>("card id", "CARD-1"),
        kind::<PlanId>("plan id", "PLAN-1"),
        kind::<ArtifactId>("artifact id", "ARTIFACT-1"),
        kind::<TurnId>("turn of an agent", "TURN-1"),
        kind::<ApprovalId>("approval id", "APPROVAL-1"),
        kind::<baton_core::time::Timestamp>("time", "2026-01-01T00:00:00.000Z"),
        kind::<baton_core::reference::Reference>("reference", "CARD-1"),
    ]
}

/// The kind of a text, where its schema marks one.
pub(super) fn marked(schema: &Value) -> Option<Kind> {
    let mark = schema.get("pattern").or_else(|| schema.get("format"))?;
    all().into_iter().find(|kind| kind.mark == *mark)
}

/// The type of a text in plain words.
pub(super) fn of_text(schema: &Value) -> &'static str {
    marked(schema).map_or("text", |kind| kind.words)
}

/// Whether a description is that of a kind, and so says nothing of a field that its type does not.
pub(super) fn is_general(description: &str) -> bool {
    !description.is_empty() && all().iter().any(|kind| kind.general == description)
}
