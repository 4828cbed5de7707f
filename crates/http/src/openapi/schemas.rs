//! The schemas of all commands in one place, so that what several of them mention is there once.

use baton_app::table::{Command, TABLE};
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};

/// Where a document keeps its schemas.
const PLACE: &str = "/components/schemas";

/// The input and the output of a command.
pub(super) struct OfCommand {
    pub(super) command: &'static Command,
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
            OfCommand { command, input: input.into(), output: output.into() }
        };
        let commands = TABLE.iter().map(of_command).collect();
        Self { commands, mentioned: generator.take_definitions(true) }
    }

    /// The schemas of the command that is called `name` on the wire.
    pub(super) fn of(&self, name: &str) -> Option<&OfCommand> {
        self.commands.iter().find(|schemas| schemas.command.wire_name() == name)
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
