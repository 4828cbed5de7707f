//! Inputs made from a command's own schema, so that a new command is called without anybody having to say how.

use baton_app::table::Command;
use serde_json::{Map, Value, json};

use super::scene::{OTHER_JOB, Scene};

/// A context pack that nobody kept.
const PACK: &str = "contextpack://pack/x";

/// How much of an input is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The required fields.
    Least,
    /// Every field.
    All,
}

/// An input that can be read, for a room.
pub(crate) fn made(command: &Command, scene: &Scene<'_>, extent: Extent) -> Value {
    let schema = command.input_schema().to_value();
    let mut input = object(&schema, &schema, extent, scene);
    // Identity by hand is tested with identities; it changes who the caller is.
    input.remove("agent_id_override");
    if command.name == "open" {
        input.insert("id".to_owned(), json!(OTHER_JOB));
    }
    Value::Object(input)
}

pub(crate) fn object(root: &Value, schema: &Value, extent: Extent, scene: &Scene<'_>) -> Map<String, Value> {
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields
        .filter(|(name, _)| extent == Extent::All || required.contains(&name.as_str()))
        .map(|(name, schema)| (name.clone(), known(name, scene).unwrap_or_else(|| value(root, schema, extent, scene))))
        .collect()
}

/// Fields whose text has a form that the schema does not tell.
fn known(name: &str, scene: &Scene<'_>) -> Option<Value> {
    Some(match name {
        "room_id" => json!(scene.room),
        "idempotency_key" => json!(format!("in {}", scene.room)),
        "expected_turn_id" => json!(scene.turn.turn_id),
        "lease_id" => json!(scene.turn.lease_id),
        "job" | "reply_job" => json!(OTHER_JOB),
        "jobs" => json!([OTHER_JOB]),
        "task" => json!("TASK-001"),
        "card" => json!("CARD-1"),
        "plan" => json!("PLAN-1"),
        "approval" => json!("APPROVAL-1"),
        "turn" => json!("TURN-1"),
        "anchor" => json!("a:core"),
        "anchors" => json!(["a:core"]),
        "pack" | "first" | "second" => json!(PACK),
        "packs" => json!([PACK, PACK]),
        "to" | "dst" | "agent" | "id" | "agent_id" | "to_agent_id" => json!("founder"),
        "agents" => json!(["founder"]),
        "open_questions" => json!(["x"]),
        "budget" => json!(4000),
        "handoff" => json!({"status": "x", "next_action": "y"}),
        "actions" => json!([
            {"type": "message", "kind": "user", "action_id": "a", "action_index": 0, "dst": "founder", "text": "x"},
        ]),
        _ => return None,
    })
}

fn value(root: &Value, schema: &Value, extent: Extent, scene: &Scene<'_>) -> Value {
    if let Some(name) = schema["$ref"].as_str() {
        let found = root.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name} is defined"));
        return value(root, found, extent, scene);
    }
    if let Some(first) = schema["enum"].get(0).or_else(|| schema.get("const")) {
        return first.clone();
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema[choice].as_array().and_then(|all| all.iter().find(|one| one["type"] != "null")) {
            return value(root, first, extent, scene);
        }
    }
    let kind = schema["type"].as_array().and_then(|kinds| kinds.first()).unwrap_or(&schema["type"]);
    match kind.as_str() {
        Some("object") => Value::Object(object(root, schema, extent, scene)),
        Some("array") => match schema["minItems"].as_u64() {
            Some(least) if least > 0 => json!([value(root, &schema["items"], extent, scene)]),
            Some(_) | None => json!([]),
        },
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("string") | Some(_) | None => json!("x"),
    }
}
