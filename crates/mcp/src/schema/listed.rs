//! The schema of a tool's arguments as it is listed: smaller still, because every conversation pays for it.

use serde_json::{Map, Value, json};

use super::{compact, signature::fields};

/// Shortens what [`compact`] made: an object in a list becomes a line of its fields, and one whose fields are
/// described needs no description of its own.
pub(crate) fn listed(root: &Value) -> Map<String, Value> {
    let mut schema = compact(root);
    shorten(&mut schema);
    schema
}

fn shorten(schema: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for field in properties.values_mut().filter_map(Value::as_object_mut) {
        if let Some(items) = field.get_mut("items").and_then(Value::as_object_mut).filter(|items| has_fields(items)) {
            let line = format!("{{{}}}", fields(items));
            *items = Map::from_iter([("type".to_owned(), "object".into())]);
            let said =
                field.get("description").and_then(Value::as_str).map_or_else(String::new, |text| format!("{text}: "));
            field.insert("description".to_owned(), json!(said + &line));
        } else if has_fields(field) {
            field.remove("description");
            shorten(field);
        }
    }
}

fn has_fields(schema: &Map<String, Value>) -> bool {
    schema.get("properties").and_then(Value::as_object).is_some_and(|fields| !fields.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_in_a_list_becomes_a_line_and_described_fields_describe_their_object() {
        let part = json!({
            "type": "object",
            "properties": {"note": {"type": "string"}, "role": {"type": "string", "enum": ["edit", "review"]}},
            "required": ["role"]
        });
        let listed = listed(&json!({
            "type": "object",
            "properties": {
                "handoff": {
                    "type": "object",
                    "description": "A handoff.",
                    "properties": {
                        "parts": {"type": "array", "items": part, "description": "Where to look"},
                        "names": {"type": "array", "items": {"type": "string"}, "description": "Who"}
                    }
                },
                "parts": {"type": "array", "items": part},
                "meta": {"type": "object", "description": "Anything"}
            }
        }));
        let line = "{role: edit|review, note?}";
        let expected = json!({
            "type": "object",
            "properties": {
                "handoff": {
                    "type": "object",
                    "properties": {
                        "parts": {
                            "type": "array", "items": {"type": "object"}, "description": format!("Where to look: {line}")
                        },
                        "names": {"type": "array", "items": {"type": "string"}, "description": "Who"}
                    }
                },
                "parts": {"type": "array", "items": {"type": "object"}, "description": line},
                "meta": {"type": "object", "description": "Anything"}
            }
        });
        assert_eq!(Value::Object(listed), expected);
    }
}
