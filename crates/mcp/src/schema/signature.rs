//! A command of a portal in one line: `reserve(scopes[], ttl_minutes?, urgency?: low|medium|high)`.

use serde_json::{Map, Value};

use super::arguments;

/// Longest list of values that is written out.
const CHOICES_CHARS: usize = 60;
/// From here on a line that is to be short names no more optional arguments.
const SHORT_CHARS: usize = 40;

/// How an object among the arguments is written.
#[derive(Clone, Copy)]
enum Inner {
    /// With its fields.
    Fields,
    /// As `{…}`.
    Dots,
}

/// Writes the arguments of an op, from the generated schema of its input.
pub(crate) fn signature(op: &str, input: &Value) -> String {
    format!("{op}({})", fields(&arguments(input)))
}

/// The same in short: what is required, and of the rest the names that fit into a short line, `…` standing for more.
pub(crate) fn short_signature(op: &str, input: &Value) -> String {
    let schema = arguments(input);
    let required = required(&schema);
    let mut line = format!("{op}(");
    let mut separator = "";
    for (name, field) in sorted(&schema, &required) {
        let is_required = required.contains(&name.as_str());
        let argument = if is_required {
            written(name, field, &required, Inner::Dots)
        } else {
            format!("{name}{}?", inside(field, Inner::Dots))
        };
        if !is_required && line.chars().count() + separator.len() + argument.chars().count() > SHORT_CHARS {
            line.push_str(separator);
            line.push('…');
            break;
        }
        line.push_str(separator);
        line.push_str(&argument);
        separator = ", ";
    }
    line.push(')');
    line
}

/// The fields of an object, the required ones first.
pub(super) fn fields(schema: &Map<String, Value>) -> String {
    let required = required(schema);
    let fields: Vec<_> =
        sorted(schema, &required).map(|(name, field)| written(name, field, &required, Inner::Fields)).collect();
    fields.join(", ")
}

fn required(schema: &Map<String, Value>) -> Vec<&str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn sorted<'a>(schema: &'a Map<String, Value>, required: &[&str]) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let mut fields: Vec<_> = schema.get("properties").and_then(Value::as_object).into_iter().flatten().collect();
    fields.sort_by_key(|(name, _)| !required.contains(&name.as_str()));
    fields.into_iter()
}

fn written(name: &str, schema: &Value, required: &[&str], inner: Inner) -> String {
    let optional = if required.contains(&name) { "" } else { "?" };
    format!("{name}{}{optional}{}", inside(schema, inner), choices(schema))
}

/// What a field has inside: `[]`, `{…}`, or nothing to be said.
fn inside(schema: &Value, inner: Inner) -> String {
    if let Some(items) = schema.get("items") {
        return format!("[]{}", inside(items, inner));
    }
    match (schema.as_object().filter(|schema| schema.get("type").is_some_and(|name| name == "object")), inner) {
        (Some(schema), Inner::Fields) => format!("{{{}}}", fields(schema)),
        (Some(_), Inner::Dots) => "{…}".to_owned(),
        (None, _) => String::new(),
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

    #[test]
    fn a_short_signature_has_all_that_is_required_and_of_the_rest_what_fits() {
        let input = |required: &[&str], optional: &[&str]| {
            let all = required.iter().chain(optional).map(|name| ((*name).to_owned(), json!({"type": "string"})));
            json!({"type": "object", "properties": all.collect::<Map<_, _>>(), "required": required})
        };
        assert_eq!(short_signature("done", &input(&["task"], &[])), "done(task)");
        assert_eq!(short_signature("list", &input(&[], &["state", "limit"])), "list(state?, limit?)");
        let many = ["kind", "priority", "executor", "a"];
        assert_eq!(short_signature("create", &input(&["title"], &many)), "create(title, kind?, priority?, …)");
        let long = ["runner_id", "claim_revision", "capabilities"];
        assert_eq!(
            short_signature("claim", &input(&long, &["a"])),
            "claim(runner_id, claim_revision, capabilities, …)"
        );
        let choice = json!({"type": "string", "enum": ["DONE", "FAILED"]});
        let choices = json!({"properties": {"status": choice, "filter": choice}, "required": ["status"]});
        assert_eq!(short_signature("complete", &choices), "complete(status: DONE|FAILED, filter?)");
        let policy = json!({"type": "object", "properties": {"prefer": {"type": "array"}}});
        let parts = json!({"type": "array", "items": policy});
        let nested = json!({"properties": {"policy": policy, "parts": parts}, "required": ["policy"]});
        assert_eq!(short_signature("set", &nested), "set(policy{…}, parts[]{…}?)");
        assert_eq!(short_signature("list", &input(&[], &["a_very_long_name_of_an_argument_indeed"])), "list(…)");
    }
}
