//! The schema of a tool's result: its fields and their types, and nothing that a refusal would break.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{DEPTH_MAX, Definitions};

/// What every refusal carries. A result may use these names too, but not only for something else.
const REFUSAL_FIELDS: [&str; 3] = ["error", "message", "next"];

/// The JSON types a field may have; `None` is any.
type Types = Option<BTreeSet<String>>;

/// Outlines a generated schema: the fields of every form the result may take that always have one type. Nothing
/// is required, so a refusal is valid too.
pub(crate) fn outline(root: &Value) -> Map<String, Value> {
    let definitions = Definitions::of(root);
    let mut fields = BTreeMap::new();
    collect(root, &definitions, 0, &mut fields);
    for name in REFUSAL_FIELDS {
        if let Some(Some(types)) = fields.get_mut(name) {
            types.insert("string".to_owned());
        }
    }
    let properties = fields.into_iter().filter_map(|(name, types)| Some((name, typed(types)?))).collect();
    Map::from_iter([("type".to_owned(), "object".into()), ("properties".to_owned(), Value::Object(properties))])
}

fn collect(schema: &Value, definitions: &Definitions<'_>, depth: usize, fields: &mut BTreeMap<String, Types>) {
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
    for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let types = types_of(field, definitions, depth + 1);
        match fields.get_mut(name) {
            None => drop(fields.insert(name.clone(), types)),
            Some(known) => *known = union(known.take(), types),
        }
    }
}

fn types_of(schema: &Value, definitions: &Definitions<'_>, depth: usize) -> Types {
    let schema = schema.as_object().filter(|_| depth <= DEPTH_MAX)?;
    if let Some(target) = schema.get("$ref") {
        return types_of(&Value::Object(definitions.resolve(target)?.clone()), definitions, depth + 1);
    }
    match schema.get("type") {
        Some(Value::String(name)) => return Some(BTreeSet::from([name.clone()])),
        Some(Value::Array(names)) => return Some(names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => {}
    }
    if let Some(value) = schema.get("const") {
        return Some(BTreeSet::from([type_name(value).to_owned()]));
    }
    if let Some(Value::Array(values)) = schema.get("enum") {
        return Some(values.iter().map(|value| type_name(value).to_owned()).collect());
    }
    let branches = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
    branches.iter().map(|branch| types_of(branch, definitions, depth + 1)).fold(Some(BTreeSet::new()), union)
}

/// What either allows.
fn union(left: Types, right: Types) -> Types {
    let (mut left, right) = (left?, right?);
    left.extend(right);
    Some(left)
}

/// A field of one type is told; what may be several, which mostly means "or null", is not worth its bytes.
fn typed(types: Types) -> Option<Value> {
    match types.map(Vec::from_iter).as_deref() {
        Some([only]) => Some(json!({"type": only})),
        _ => None,
    }
}

const fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_result_become_one_list_of_fields() {
        let outlined = outline(&json!({
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
                {
                    "type": "object",
                    "properties": {
                        "status": {"const": "not_yet"},
                        "next": {"type": "array"},
                        "extra": true
                    }
                }
            ],
            "$defs": {
                "Fence": {"type": "integer", "format": "uint64"},
                "Handoff": {"type": "object", "properties": {"status": {"type": "string"}}}
            }
        }));
        let expected = json!({
            "type": "object",
            "properties": {
                "status": {"type": "string"},
                "turn_id": {"type": "integer"}
            }
        });
        assert_eq!(Value::Object(outlined), expected);
    }
}
