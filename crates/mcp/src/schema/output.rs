//! The schema of a tool's result: the names of its fields, and nothing that a refusal would break.
//!
//! Two of the known clients check results against it and throw away what does not fit, and none tells its model the
//! types. So it has names only: any answer fits, a refusal too, and every conversation pays less for it.

use serde_json::{Map, Value, json};

use super::{DEPTH_MAX, Definitions, EXPLAINED};

/// Outlines a generated schema: the fields that a form of the result always has. Those that every tool has and that
/// the caller said itself in `input` are left out.
pub(crate) fn outline(root: &Value, input: &Map<String, Value>) -> Map<String, Value> {
    let mut fields = Vec::new();
    collect(root, &Definitions::of(root), 0, &mut fields);
    let said = input.get("required").and_then(Value::as_array);
    let is_echo = |name: &String| {
        EXPLAINED.contains(&name.as_str()) && said.is_some_and(|said| said.iter().any(|said| said == name))
    };
    fields.retain(|name| !is_echo(name));
    let properties = fields.into_iter().map(|name| (name, json!({}))).collect();
    Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), Value::Object(properties))])
}

fn collect(schema: &Value, definitions: &Definitions<'_>, depth: usize, fields: &mut Vec<String>) {
    let Value::Object(schema) = schema else { return };
    if depth > DEPTH_MAX {
        return;
    }
    if let Some(target) = schema.get("$ref").and_then(|reference| definitions.resolve(reference)) {
        collect(&Value::Object(target.clone()), definitions, depth + 1, fields);
    }
    for branches in ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()) {
        for branch in branches {
            collect(branch, definitions, depth + 1, fields);
        }
    }
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !fields.iter().any(|known| known == name) {
            fields.push(name.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_result_become_one_list_of_names() {
        let root = json!({
            "oneOf": [
                {
                    "type": "object",
                    "properties": {
                        "room_id": {"type": "string"},
                        "status": {"type": "string", "const": "your_turn"},
                        "turn_id": {"$ref": "#/$defs/Fence"},
                        "handoff": {"anyOf": [{"$ref": "#/$defs/Handoff"}, {"type": "null"}]}
                    },
                    "required": ["room_id", "status", "turn_id"]
                },
                {"$ref": "#/$defs/NotYet"}
            ],
            "$defs": {
                "Fence": {"type": "integer"},
                "Handoff": {"type": "object", "required": ["status"]},
                "NotYet": {"type": "object", "required": ["status", "cursor"]}
            }
        });
        let input = Map::from_iter([("required".to_owned(), json!(["room_id", "status"]))]);
        let expected = json!({"type": "object", "properties": {"status": {}, "turn_id": {}, "cursor": {}}});
        assert_eq!(Value::Object(outline(&root, &input)), expected);
    }
}
