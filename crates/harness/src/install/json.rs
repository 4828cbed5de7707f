//! Editing the JSON configurations of Claude Code, Gemini CLI and OpenCode.
//!
//! The text is edited as a concrete syntax tree, in which comments, blank lines and indentation are nodes like any
//! other: what is not ours is printed back as it was read. What differs between the three is a [`Dialect`].

use jsonc_parser::{
    CollectOptions, ParseOptions,
    cst::{CstInputValue, CstNode, CstObject, CstRootNode},
    errors::ParseError,
    parse_to_ast,
};
use serde_json::{Map, Value};

use super::{
    Registration,
    client::{Format, Problem},
    json_edit::{self, Item},
    registration::{Entry, NAME},
};

/// How one harness writes its servers.
pub(crate) struct Dialect {
    /// The key that holds all servers.
    pub(crate) parent: &'static str,
    /// The key of an entry that holds its environment.
    pub(crate) variables: &'static str,
    /// Whether a new entry has an environment even when there is nothing in it.
    pub(crate) always_has_variables: bool,
    /// What the harness itself can read.
    pub(crate) syntax: Syntax,
    /// The fields of an entry, in order, less its environment.
    pub(crate) fields: fn(&Registration) -> Vec<(&'static str, Value)>,
    /// Further numbers of a new entry, which a person may change.
    pub(crate) extras: &'static [(&'static str, u64)],
}

/// How much more than JSON a harness accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Nothing more.
    Strict,
    /// Comments.
    Comments,
    /// Comments, and a comma after the last element.
    CommentsAndTrailingCommas,
}

impl Format for Dialect {
    fn read(&self, text: &str) -> Result<Option<Entry>, Problem> {
        let root = self.parse(text)?;
        let Some(top) = top_object(&root)? else { return Ok(None) };
        let Some(servers) = child_object(&top, self.parent, self.parent)? else { return Ok(None) };
        let Some(entry) = child_object(&servers, NAME, &self.entry_path())? else { return Ok(None) };
        child_object(&entry, self.variables, &self.variables_path())?;
        Ok(entry.to_serde_value().map(|value| self.decode(&value)))
    }

    fn write(&self, text: Option<&str>, registration: &Registration) -> Result<String, Problem> {
        let root = self.parse(text.unwrap_or_default())?;
        let top = top_object(&root)?;
        let servers = top.as_ref().map(|top| child_object(top, self.parent, self.parent)).transpose()?.flatten();
        let entry =
            servers.as_ref().map(|servers| child_object(servers, NAME, &self.entry_path())).transpose()?.flatten();
        match entry {
            Some(entry) if entry.get("command").is_some() => self.update(&entry, registration)?,
            // A server of another kind shares no fields with ours.
            Some(entry) => drop(entry.replace_with(input(&self.encode(registration)))),
            None => {
                let value = self.encode(registration);
                let item = Item { path: &[self.parent], key: Some(NAME), value, is_marked: false };
                return json_edit::insert(text, &item, &options(self.syntax)).map_err(unparsable);
            }
        }
        Ok(root.to_string())
    }

    fn remove(&self, text: &str) -> Result<Option<String>, Problem> {
        json_edit::remove(text, &[self.parent.into(), NAME.into()], &options(self.syntax)).map_err(unparsable)
    }
}

/// The value of a text that a harness must be able to read.
pub(crate) fn read_value(text: &str, syntax: Syntax) -> Result<Option<Value>, Problem> {
    parse(text, syntax)?;
    json_edit::value_of(text, &options(syntax)).map_err(unparsable)
}

/// All that a parser accepts beyond JSON.
pub(crate) fn options(syntax: Syntax) -> ParseOptions {
    ParseOptions {
        allow_comments: syntax != Syntax::Strict,
        allow_trailing_commas: syntax == Syntax::CommentsAndTrailingCommas,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn parse(text: &str, syntax: Syntax) -> Result<CstRootNode, Problem> {
    if syntax == Syntax::Strict {
        // The tree takes comments whatever the options say.
        parse_to_ast(text, &CollectOptions::default(), &options(syntax)).map_err(unparsable)?;
    }
    CstRootNode::parse(text, &options(syntax)).map_err(unparsable)
}

impl Dialect {
    fn parse(&self, text: &str) -> Result<CstRootNode, Problem> {
        parse(text, self.syntax)
    }

    fn entry_path(&self) -> String {
        format!("{}.{NAME}", self.parent)
    }

    fn variables_path(&self) -> String {
        format!("{}.{NAME}.{}", self.parent, self.variables)
    }

    /// A whole entry.
    fn encode(&self, registration: &Registration) -> Value {
        let fields = (self.fields)(registration).into_iter().map(|(key, value)| (key.to_owned(), value));
        let extras = self.extras.iter().map(|(key, value)| ((*key).to_owned(), Value::from(*value)));
        let mut entry: Map<String, Value> = fields.chain(extras).collect();
        if self.always_has_variables || !registration.variables().is_empty() {
            let variables = registration.variables().iter().map(|(name, value)| (name.clone(), value.clone().into()));
            entry.insert(self.variables.to_owned(), Value::Object(variables.collect()));
        }
        Value::Object(entry)
    }

    /// Changes what differs and leaves the person's own settings in the entry alone.
    fn update(&self, entry: &CstObject, registration: &Registration) -> Result<(), Problem> {
        for (key, value) in (self.fields)(registration) {
            set(entry, key, &value);
        }
        let variables = match child_object(entry, self.variables, &self.variables_path())? {
            Some(variables) => variables,
            None if registration.variables().is_empty() => return Ok(()),
            None => entry.object_value_or_set(self.variables),
        };
        for (name, value) in registration.variables() {
            set(&variables, name, &Value::from(value.as_str()));
        }
        for name in registration.unwanted_variables() {
            if let Some(property) = variables.get(name) {
                property.remove();
            }
        }
        if !self.always_has_variables {
            remove_if_empty(entry, self.variables);
        }
        Ok(())
    }

    /// What an entry says. OpenCode has one list for the command and its arguments, the others have two keys.
    fn decode(&self, entry: &Value) -> Entry {
        let command = words(&entry["command"]).into_iter().chain(words(&entry["args"]));
        let address = ["url", "httpUrl"].into_iter().filter(|_| entry["command"].is_null());
        let variables = entry[self.variables].as_object().into_iter().flatten();
        Entry {
            command_line: command.chain(address.flat_map(|key| words(&entry[key]))).collect(),
            variables: variables
                .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
                .collect(),
            enabled: entry["enabled"] != Value::Bool(false),
        }
    }
}

fn unparsable(error: ParseError) -> Problem {
    Problem::Unparsable { line: error.line_display(), column: error.column_display(), why: error.kind().to_string() }
}

fn top_object(root: &CstRootNode) -> Result<Option<CstObject>, Problem> {
    root.value().map(|value| as_object(&value, "the whole file")).transpose()
}

/// The object under `key`, which must not be something else, and must not be there twice: harnesses and editors
/// disagree on which of two counts.
fn child_object(object: &CstObject, key: &str, path: &str) -> Result<Option<CstObject>, Problem> {
    let properties = object.properties();
    let mut named = properties.iter().filter(|property| property.decoded_name().as_deref() == Some(key));
    let Some(property) = named.next() else { return Ok(None) };
    if named.next().is_some() {
        return Err(Problem::WrongShape {
            key: path.to_owned(),
            found: "there twice".to_owned(),
            wanted: "one object",
        });
    }
    property.value().map(|value| as_object(&value, path)).transpose()
}

fn as_object(value: &CstNode, path: &str) -> Result<CstObject, Problem> {
    value.as_object().ok_or_else(|| Problem::WrongShape {
        key: path.to_owned(),
        found: kind(value).to_owned(),
        wanted: "an object",
    })
}

fn kind(value: &CstNode) -> &'static str {
    match value.to_serde_value() {
        Some(Value::Array(_)) => "a list",
        Some(Value::String(_)) => "a string",
        Some(Value::Number(_)) => "a number",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Null) => "null",
        Some(Value::Object(_)) | None => "something else",
    }
}

/// Removes an object with nothing in it. Comments are somebody's words: an object that has some stays.
fn remove_if_empty(object: &CstObject, key: &str) {
    let is_empty =
        |child: CstObject| child.properties().is_empty() && !child.children().iter().any(CstNode::is_comment);
    if let Some(property) = object.get(key).filter(|property| property.object_value().is_some_and(is_empty)) {
        property.remove();
    }
}

fn set(object: &CstObject, key: &str, value: &Value) {
    match object.get(key) {
        Some(property) if property.to_serde_value().as_ref() == Some(value) => {}
        Some(property) => property.set_value(input(value)),
        None => drop(object.append(key, input(value))),
    }
}

fn words(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::Array(list) => list.iter().flat_map(words).collect(),
        Value::String(word) => vec![word.clone()],
        other => vec![other.to_string()],
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(list) => CstInputValue::Array(list.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(key, value)| (key.clone(), input(value))).collect())
        }
    }
}
