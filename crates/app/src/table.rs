//! The command table: every use case once, and every surface a view of it.
//!
//! A use case is a name, an input and an output type, and a function of `(app, caller, input)`. MCP tools, the
//! CLI's `--json` output and, later, HTTP routes and socket requests are made from [`TABLE`]; nothing is
//! implemented per transport.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use baton_core::code::ErrorCode;

use crate::{App, Caller, Failure};

/// What a command does to the store, so that an adapter knows how to run it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads. Never waits for a writer.
    Read,
    /// Writes. May wait for another writer.
    Write,
    /// May wait for as long as the caller allows, and then write.
    Wait,
}

/// Whether a tool is offered by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// `--tools daily`, the default.
    Daily,
    /// `--tools full` only.
    Full,
}

/// A use case, as its own type. The doc comment of the input's fields is what a caller reads.
pub trait UseCase {
    /// The name in the table: `room.join`.
    const NAME: &'static str;
    /// The contract's name for it, where agents call it: `join_path`.
    const TOOL: &'static str;
    /// Whether agents are offered it by default.
    const TIER: Tier;
    /// What it does to the store.
    const EFFECT: Effect;
    /// What it does, for a reader with no context.
    const ABOUT: &'static str;
    /// What a caller says.
    type Input: DeserializeOwned + JsonSchema;
    /// What a caller gets.
    type Output: Serialize + JsonSchema;

    /// Does it.
    fn run(app: &App, caller: &Caller, input: Self::Input) -> Result<Self::Output, Failure>;
}

/// A row of the table.
#[derive(Clone, Copy)]
pub struct Command {
    /// See [`UseCase::NAME`].
    pub name: &'static str,
    /// See [`UseCase::TOOL`].
    pub tool: &'static str,
    /// See [`UseCase::TIER`].
    pub tier: Tier,
    /// See [`UseCase::EFFECT`].
    pub effect: Effect,
    /// See [`UseCase::ABOUT`].
    pub about: &'static str,
    input_schema: fn() -> Schema,
    output_schema: fn() -> Schema,
    run: fn(&App, &Caller, Value) -> Result<Value, Failure>,
}

impl Command {
    /// The row of a use case.
    pub const fn of<U: UseCase>() -> Self {
        Self {
            name: U::NAME,
            tool: U::TOOL,
            tier: U::TIER,
            effect: U::EFFECT,
            about: U::ABOUT,
            input_schema: schema::<U::Input>,
            output_schema: schema::<U::Output>,
            run: run_json::<U>,
        }
    }

    /// The JSON schema of the input.
    pub fn input_schema(&self) -> Schema {
        (self.input_schema)()
    }

    /// The JSON schema of the output.
    pub fn output_schema(&self) -> Schema {
        (self.output_schema)()
    }

    /// Runs it on JSON.
    pub fn run(&self, app: &App, caller: &Caller, input: Value) -> Result<Value, Failure> {
        (self.run)(app, caller, input)
    }
}

fn schema<T: JsonSchema>() -> Schema {
    SchemaGenerator::new(SchemaSettings::draft2020_12()).into_root_schema_for::<T>()
}

fn run_json<U: UseCase>(app: &App, caller: &Caller, input: Value) -> Result<Value, Failure> {
    let output = U::run(app, caller, parse::<U::Input>(input)?)?;
    serde_json::to_value(output).map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))
}

/// Reads an input strictly: a wrong type, a missing field or an unknown one is an error that names it.
fn parse<T: DeserializeOwned>(input: Value) -> Result<T, Failure> {
    let input = if input.is_null() { Value::Object(serde_json::Map::new()) } else { input };
    if !input.is_object() {
        // A list would otherwise be read as the fields in their order.
        return Err(Failure::new(ErrorCode::InvalidInput, "the input: must be an object").with("field", ""));
    }
    for (name, code) in [("handoff", ErrorCode::InvalidHandoff), ("policy", ErrorCode::InvalidInput)] {
        if input.get(name).is_some_and(Value::is_array) {
            return Err(Failure::new(code, format!("{name}: must be an object")).with("field", name));
        }
    }
    // The plain way first: to find out where it went wrong costs more, and mostly nothing does.
    T::deserialize(&input).or_else(|_| serde_path_to_error::deserialize(&input)).map_err(|error| {
        let path = with_missing_field(error.path().to_string(), &error.inner().to_string());
        let (code, field) = match path.strip_prefix("handoff") {
            Some("") => (ErrorCode::InvalidHandoff, "handoff".to_owned()),
            Some(rest) if rest.starts_with('.') => (ErrorCode::InvalidHandoff, rest[1..].to_owned()),
            Some(_) | None if path == "." => (ErrorCode::InvalidInput, String::new()),
            Some(_) | None => (ErrorCode::InvalidInput, path.clone()),
        };
        let place = if path == "." { "the input".to_owned() } else { path };
        Failure::new(code, format!("{place}: {}", error.inner())).with("field", field)
    })
}

/// A field that is missing has no place of its own; serde names it only in its message.
fn with_missing_field(path: String, message: &str) -> String {
    let Some(field) = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) else {
        return path;
    };
    if path == "." { field.to_owned() } else { format!("{path}.{field}") }
}

/// The command named `name`.
pub fn find(name: &str) -> Option<&'static Command> {
    TABLE.iter().find(|command| command.name == name)
}

/// Every command, in the order in which tools are listed.
pub const TABLE: &[Command] = crate::commands::TABLE;
