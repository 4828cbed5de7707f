//! The schema of a tool's arguments as it is listed: smaller still, because every conversation pays for it.

use serde_json::{Map, Value, json};

use super::{compact, signature::fields};

/// What marks an argument that is taken but not listed: the tool's description names it, which costs less.
const UNLISTED: &str = "x-unlisted";

/// Shortens what [`compact`] made: an object in a list becomes a line of its fields, and one whose fields are
/// described needs no description of its own.
pub(crate) fn listed(root: &Value) -> Map<String, Value> {
    let mut schema = compact(root);
    if let Some(Value::Object(arguments)) = schema.get_mut("properties") {
        arguments.retain(|_, field| field.get(UNLISTED).is_none());
    }
    shorten(&mut schema);
    schema
}

fn shorten(schema: &mut Map<String, Value>) {
    let Some(Value::Object(properties)) = schema.get_mut("properties") else { return };
    for field in properties.values_mut().filter_map(Value::as_object_mut) {
        // A choice whose field is not described has a sentence of its type, and its values say as much.
        let is_sentence = field.get("description").and_then(Value::as_str).is_some_and(|text| text.ends_with('.'));
        if is_sentence && field.contains_key("enum") {
            field.remove("description");
        }
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
