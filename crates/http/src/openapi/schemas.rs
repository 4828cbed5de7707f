//! The schemas of all commands in one place, so that what several of them mention is there once.

use baton_app::table::{Command, TABLE};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// What names a request in an input, where it can be named.
const KEY: &str = "idempotency_key";
/// Where a document keeps its schemas.
const PLACE: &str = "/components/schemas";

/// The input and the output of a command.
pub(super) struct OfCommand {
    pub(super) command: &'static Command,
    /// Whether a request can have a key.
    pub(super) takes_key: bool,
    pub(super) input: Value,
    pub(super) output: Value,
}

/// The schemas of every command, and of what they mention.
pub(super) struct Schemas {
    pub(super) commands: Vec<OfCommand>,
    pub(super) mentioned: Map<String, Value>,
}

impl Schemas {
    pub(super) fn collect() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = PLACE.into();
            settings.meta_schema = None;
        });
        let mut generator = SchemaGenerator::new(settings);
        let of_command = |command: &'static Command| {
            let (input, output) = command.schemas_in(&mut generator);
            // A key comes in a header here.
            let takes_key = input.pointer(&format!("/properties/{KEY}")).is_some();
            let mut input = without(&input.into(), &[KEY]);
            bound(&mut input);
            nullable(&mut input);
            OfCommand { command, takes_key, input, output: output.into() }
        };
        let commands = TABLE.iter().map(of_command).collect();
        Self { commands, mentioned: generator.take_definitions(true) }
    }

    /// The schemas of the command that is called `name` on the wire.
    pub(super) fn of(&self, name: &str) -> Option<&OfCommand> {
        self.commands.iter().find(|schemas| schemas.command.wire_name() == name)
    }
}

/// Sets the bounds of numbers whose description names them first: `1 to 200; default 50`.
fn bound(input: &mut Value) {
    let Some(fields) = input.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for field in fields.values_mut() {
        let about = field.get("description").and_then(Value::as_str).unwrap_or_default();
        if let Some((least, most)) = bounds(about).filter(|_| is_integer(field)) {
            field["minimum"] = least.into();
            field["maximum"] = most.into();
        }
    }
}

/// Lets fields be null that may be left out: that means the same.
fn nullable(input: &mut Value) {
    let required: Vec<String> =
        input["required"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let Some(fields) = input.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (_, field) in fields.iter_mut().filter(|(name, _)| !required.contains(name)) {
        if let Some(kind) = field.get("type").filter(|kind| kind.is_string()).cloned() {
            field["type"] = json!([kind, "null"]);
            if let Some(words) = field.get_mut("enum").and_then(Value::as_array_mut) {
                words.push(Value::Null);
            }
        } else if field.get("$ref").is_some() {
            let described = field.clone();
            *field = json!({ "anyOf": [described, { "type": "null" }] });
        }
    }
}

fn bounds(about: &str) -> Option<(u64, u64)> {
    let (before, after) = about.split_once(" to ")?;
    let number = |text: &str| text.replace(',', "").parse().ok();
    let most = after.split(|c: char| !c.is_ascii_digit() && c != ',').next()?;
    Some((number(before.rsplit(' ').next()?)?, number(most.trim_end_matches(','))?))
}

fn is_integer(field: &Value) -> bool {
    match field.get("type") {
        Some(Value::Array(types)) => types.iter().any(|kind| kind == "integer"),
        Some(kind) => kind == "integer",
        None => false,
    }
}

/// A reference to a schema of the document.
pub(super) fn pointing_to(name: &str) -> Value {
    serde_json::json!({ "$ref": format!("#{PLACE}/{name}") })
}

/// An object's schema without some of its fields.
pub(super) fn without(schema: &Value, fields: &[&str]) -> Value {
    let mut schema = schema.clone();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        fields.iter().for_each(|field| drop(properties.shift_remove(*field)));
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_none_or(|name| !fields.contains(&name)));
    }
    schema
}

/// A field's schema where it cannot be null: in a path or a query.
pub(super) fn never_null(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema["type"] = only;
        }
    }
    for word in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = schema.get_mut(word) {
            choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.as_object_mut().map(|schema| schema.shift_remove("default"));
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_left_out_may_be_null() {
        let mut input = json!({
            "properties": {
                "all": {"type": "boolean", "default": false},
                "kind": {"type": "string", "enum": ["a"]},
                "policy": {"$ref": "#/p"},
                "room_id": {"type": "string"},
            },
            "required": ["room_id"],
        });
        nullable(&mut input);
        let fields = &input["properties"];
        assert_eq!(fields["all"]["type"], json!(["boolean", "null"]));
        assert_eq!(fields["kind"], json!({"type": ["string", "null"], "enum": ["a", null]}));
        assert_eq!(fields["policy"], json!({"anyOf": [{"$ref": "#/p"}, {"type": "null"}]}));
        assert_eq!(fields["room_id"]["type"], "string");
    }

    #[test]
    fn bounds_are_those_that_the_description_names() {
        assert_eq!(bounds("1 to 200; default 50"), Some((1, 200)));
        assert_eq!(bounds("Events, 1 to 200; default 10"), Some((1, 200)));
        assert_eq!(bounds("Minutes, 5 to 1,440, or none"), Some((5, 1440)));
        assert_eq!(bounds("Only before this seq"), None);
        assert_eq!(bounds("Give it to 3 of them"), None);
    }
}
