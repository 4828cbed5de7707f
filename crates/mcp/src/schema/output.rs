//! What a command answers: the names of the fields, which is what a reader wants to know of it.
//!
//! The listing of tools has no schema for results. Two of the known clients throw away what does not fit one, none
//! tells its model the types, and every conversation pays for it.

use serde_json::Value;

use super::{DEPTH_MAX, Definitions};

/// The fields that a form of the result always has, from the generated schema.
pub(crate) fn fields(root: &Value) -> Vec<String> {
    let mut fields = Vec::new();
    collect(root, &Definitions::of(root), 0, &mut fields);
    fields
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
    use serde_json::json;

    use super::*;

    #[test]
    fn the_forms_of_a_result_become_one_list_of_names() {
        let root = json!({
            "oneOf": [
                {
                    "type": "object",
                    "properties": {
                        "status": {"type": "string", "const": "your_turn"},
                        "turn_id": {"$ref": "#/$defs/Fence"},
                        "handoff": {"anyOf": [{"$ref": "#/$defs/Handoff"}, {"type": "null"}]}
                    },
                    "required": ["status", "turn_id"]
                },
                {"$ref": "#/$defs/NotYet"}
            ],
            "$defs": {
                "Fence": {"type": "integer"},
                "Handoff": {"type": "object", "required": ["status"]},
                "NotYet": {"type": "object", "required": ["status", "cursor"]}
            }
        });
        assert_eq!(fields(&root), ["status", "turn_id", "cursor"]);
    }
}
