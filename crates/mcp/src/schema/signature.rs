//! A command of a portal in one line: `reserve(scopes[], ttl_minutes?, urgency?: low|medium|high)`.

use serde_json::{Map, Value};

use super::compact;

/// What a portal puts in for its caller.
const FILLED_IN: [&str; 1] = ["room_id"];
/// Longest list of values that is written out.
const CHOICES_CHARS: usize = 60;

/// Writes the arguments of an op, from the generated schema of its input.
pub(crate) fn signature(op: &str, input: &Value) -> String {
    let mut schema = compact(input);
    if let Some(Value::Object(arguments)) = schema.get_mut("properties") {
        arguments.retain(|name, _| !FILLED_IN.contains(&name.as_str()));
    }
    format!("{op}({})", fields(&schema))
}

/// The fields of an object, the required ones first.
fn fields(schema: &Map<String, Value>) -> String {
    let required: Vec<&str> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut fields: Vec<_> = schema.get("properties").and_then(Value::as_object).into_iter().flatten().collect();
    fields.sort_by_key(|(name, _)| !required.contains(&name.as_str()));
    let written = |(name, schema): (&String, &Value)| {
        let optional = if required.contains(&name.as_str()) { "" } else { "?" };
        let (inside, choices) = (inside(schema), choices(schema));
        format!("{name}{inside}{optional}{choices}")
    };
    fields.into_iter().map(written).collect::<Vec<_>>().join(", ")
}

/// What a field has inside: `[]`, `{…}`, or nothing to be said.
fn inside(schema: &Value) -> String {
    if let Some(items) = schema.get("items") {
        return format!("[]{}", inside(items));
    }
    match schema.as_object().filter(|schema| schema.get("type").is_some_and(|name| name == "object")) {
        Some(schema) => format!("{{{}}}", fields(schema)),
        None => String::new(),
    }
}

/// The values to choose from, when they are few.
fn choices(schema: &Value) -> String {
    let listed = schema.get("items").unwrap_or(schema).get("enum").and_then(Value::as_array);
    let values: Vec<&str> = listed.into_iter().flatten().filter_map(Value::as_str).collect();
    let choices = values.join("|");
    if choices.is_empty() || choices.len() > CHOICES_CHARS { String::new() } else { format!(": {choices}") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_signature_has_required_arguments_first_and_says_what_is_in_them() {
        let input = json!({
            "type": "object",
            "properties": {
                "room_id": {"type": "string"},
                "ttl_minutes": {"type": ["integer", "null"]},
                "urgency": {"anyOf": [{"$ref": "#/$defs/Urgency"}, {"type": "null"}]},
                "country": {"type": "string", "enum": ["x".repeat(CHOICES_CHARS), "y"]},
                "scopes": {"type": "array", "items": {"type": "string"}},
                "parts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
                "payload": {"type": "object"},
                "idempotency_key": {"type": ["string", "null"]}
            },
            "required": ["room_id", "scopes", "payload"],
            "$defs": {
                "Part": {
                    "type": "object",
                    "properties": {"note": {"type": ["string", "null"]}, "path": {"type": "string"}},
                    "required": ["path"]
                },
                "Urgency": {"oneOf": [{"const": "low"}, {"const": "high"}]}
            }
        });
        assert_eq!(
            signature("reserve", &input),
            "reserve(scopes[], payload{}, ttl_minutes?, urgency?: low|high, country?, parts[]{path, note?}?)"
        );
        assert_eq!(signature("status", &json!({"properties": {"room_id": {"type": "string"}}})), "status()");
    }
}
