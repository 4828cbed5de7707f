//! The schema of a tool's arguments.

use serde_json::{Map, Value, json};

use super::{DEPTH_MAX, Definitions};

/// Arguments that are taken but not shown, because agents have no use for them: one is for programs that retry, one
/// for tests and debugging.
const UNLISTED: [&str; 2] = ["idempotency_key", "agent_id_override"];
/// What means the same in every tool; the instructions explain it once.
const EXPLAINED: [&str; 4] = ["room_id", "lease_id", "expected_turn_id", "workspace"];
/// What a portal puts in for its caller.
const FILLED_IN: [&str; 1] = ["room_id"];
/// How far in fields are described: those of the arguments and of an object among them. Further in names speak
/// for themselves, and the answer of `join_path` has a template.
const DESCRIBED_LEVELS: usize = 2;

/// Rewrites a generated schema into a small one that admits what a caller would send: types inlined where they
/// are used, an optional field as its plain type, an enumeration as a list, a tuple as an array.
pub(crate) fn compact(root: &Value) -> Map<String, Value> {
    let place = Place { definitions: &Definitions::of(root), level: 0, depth: 0 };
    let mut schema = match place.simplify(root) {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    // The tool's own description says what the arguments are for.
    schema.remove("description");
    schema.entry("type").or_insert_with(|| "object".into());
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.retain(|name, _| !UNLISTED.contains(&name.as_str()));
        for name in EXPLAINED {
            if let Some(Value::Object(field)) = properties.get_mut(name) {
                field.remove("description");
            }
        }
    }
    schema
}

/// The same for the `args` of a portal, which puts the room in.
pub(crate) fn arguments(root: &Value) -> Map<String, Value> {
    let mut schema = compact(root);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| !FILLED_IN.contains(&name.as_str()));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| !FILLED_IN.iter().any(|filled_in| name == filled_in));
    }
    if schema.get("required").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        schema.shift_remove("required");
    }
    schema
}

/// Where in a schema the rewriting is.
#[derive(Clone, Copy)]
struct Place<'a> {
    definitions: &'a Definitions<'a>,
    /// How many fields or items lead here.
    level: usize,
    /// The same, with references and choices on the way.
    depth: usize,
}

impl Place<'_> {
    /// Behind a reference or inside a choice.
    const fn beside(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// In a field or an item.
    const fn below(self) -> Self {
        Self { depth: self.depth + 1, level: self.level + 1, ..self }
    }

    fn simplify(self, schema: &Value) -> Value {
        let Value::Object(schema) = schema else { return json!({}) };
        if self.depth > DEPTH_MAX {
            return json!({});
        }
        if let Some(target) = schema.get("$ref").and_then(|reference| self.definitions.resolve(reference)) {
            return self.beside().simplify(&merged(target, schema, "$ref"));
        }
        for choice in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = schema.get(choice) {
                let branches: Vec<_> = branches.iter().filter(|branch| !is_null(branch)).collect();
                if let [Value::Object(only)] = branches.as_slice() {
                    return self.beside().simplify(&merged(only, schema, choice));
                }
                if let Some(values) = constants(&branches) {
                    return self.beside().simplify(&merged(&listed(values), schema, choice));
                }
            }
        }
        Value::Object(schema.iter().filter_map(|(key, value)| self.keyword(key, value)).collect())
    }

    /// A keyword as it stays, if it stays.
    fn keyword(self, key: &str, value: &Value) -> Option<(String, Value)> {
        let value = match (key, value) {
            ("$schema" | "$defs" | "title" | "format" | "pattern", _) => return None,
            ("default", Value::Null | Value::Bool(false)) => return None,
            // An unknown field is refused by name all the same.
            ("additionalProperties", Value::Bool(_)) => return None,
            // What an unsigned number is anyway.
            ("minimum", minimum) if minimum.as_f64() == Some(0.0) => return None,
            ("description", _) if self.level > DESCRIBED_LEVELS => return None,
            ("description", Value::String(text)) => text.split_whitespace().collect::<Vec<_>>().join(" ").into(),
            ("type", Value::Array(types)) => plain_type(types),
            ("enum", Value::Array(values)) => values.iter().filter(|value| !value.is_null()).cloned().collect(),
            ("properties", Value::Object(fields)) => {
                Value::Object(fields.iter().map(|(name, field)| (name.clone(), self.below().simplify(field))).collect())
            }
            ("items" | "additionalProperties", inner) => self.below().simplify(inner),
            ("anyOf" | "oneOf" | "allOf", Value::Array(branches)) => {
                branches.iter().map(|branch| self.beside().simplify(branch)).collect()
            }
            // Clients reject an array without `items`. Our tuples are pairs of one type.
            ("prefixItems", Value::Array(places)) => {
                let item = places.first().map_or_else(|| json!({}), |first| self.below().simplify(first));
                return Some(("items".to_owned(), item));
            }
            (_, value) => value.clone(),
        };
        Some((key.to_owned(), value))
    }
}

/// A referred schema with what was said beside the reference, which is nearer and wins.
fn merged(target: &Map<String, Value>, beside: &Map<String, Value>, reference: &str) -> Value {
    let mut merged = target.clone();
    merged.extend(beside.iter().filter(|(key, _)| *key != reference).map(|(key, value)| (key.clone(), value.clone())));
    Value::Object(merged)
}

fn plain_type(types: &[Value]) -> Value {
    let types: Vec<_> = types.iter().filter(|name| *name != "null").cloned().collect();
    match types.as_slice() {
        [only] => only.clone(),
        _ => Value::Array(types),
    }
}

fn is_null(branch: &Value) -> bool {
    branch.get("type").is_some_and(|name| name == "null")
}

/// An enumeration, with the type that some clients want to be told even so.
fn listed(values: Vec<Value>) -> Map<String, Value> {
    let mut schema = Map::new();
    if values.iter().all(Value::is_string) {
        schema.insert("type".to_owned(), "string".into());
    }
    schema.insert("enum".to_owned(), Value::Array(values));
    schema
}

/// The values of an enumeration whose every variant stands for itself.
fn constants(branches: &[&Value]) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for branch in branches {
        match (branch.get("const"), branch.get("enum")) {
            (Some(value), _) => values.push(value.clone()),
            (None, Some(Value::Array(listed))) => values.extend(listed.iter().cloned()),
            _ => return None,
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_options_enumerations_and_pairs_become_plain() {
        let compacted = compact(&json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Input",
            "description": "What a caller says.",
            "type": "object",
            "properties": {
                "limit": {"type": ["integer", "null"], "format": "uint32", "minimum": 0, "default": null},
                "force_new": {"type": "boolean", "default": false},
                "handoff": {"$ref": "#/$defs/Handoff", "description": "For the\nnext agent."},
                "mode": {"anyOf": [{"$ref": "#/$defs/Role"}, {"type": "null"}]}
            },
            "required": ["handoff"],
            "additionalProperties": false,
            "$defs": {
                "Handoff": {
                    "description": "A handoff.",
                    "type": "object",
                    "properties": {
                        "lines": {
                            "type": ["array", "null"],
                            "prefixItems": [{"type": "integer", "format": "uint32", "minimum": 0}, {"type": "integer"}],
                            "minItems": 2,
                            "maxItems": 2
                        },
                        "role": {"$ref": "#/$defs/Role"}
                    }
                },
                "Role": {
                    "description": "What for.",
                    "oneOf": [
                        {"const": "review", "type": "string", "description": "To check."},
                        {"enum": ["edit", "context"], "type": "string"}
                    ]
                }
            }
        }));
        let expected = json!({
          "properties": {
            "force_new": {
              "type": "boolean"
            },
            "handoff": {
              "description": "For the next agent.",
              "properties": {
                "lines": {
                  "items": {
                    "type": "integer"
                  },
                  "maxItems": 2,
                  "minItems": 2,
                  "type": "array"
                },
                "role": {
                  "description": "What for.",
                  "enum": [
                    "review",
                    "edit",
                    "context"
                  ],
                  "type": "string"
                }
              },
              "type": "object"
            },
            "limit": {
              "type": "integer"
            },
            "mode": {
              "description": "What for.",
              "enum": [
                "review",
                "edit",
                "context"
              ],
              "type": "string"
            }
          },
          "required": [
            "handoff"
          ],
          "type": "object"
        });
        assert_eq!(Value::Object(compacted), expected);
    }

    #[test]
    fn a_type_that_contains_itself_ends_somewhere() {
        let compacted = compact(&json!({
            "properties": {"node": {"$ref": "#/$defs/Node"}},
            "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}
        }));
        assert!(Value::Object(compacted).to_string().len() < 1000);
    }
}
