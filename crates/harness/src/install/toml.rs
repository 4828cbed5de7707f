//! Editing Codex's `config.toml`.
//!
//! A new entry is added at the end of the text, and one that stands as a table of its own is cut out of it, so that
//! nothing else can change. What is nested otherwise (`mcp_servers = { … }`, dotted keys), and a change inside an
//! entry, goes through `toml_edit`, which keeps comments and order but knows only one kind of line ending.

use std::{collections::BTreeMap, ops::Range};

use toml_edit::{Array, Document, DocumentMut, InlineTable, Item, Table, TableLike, TomlError, Value};

use super::{
    Registration,
    client::{Format, Problem},
    registration::{Entry, NAME},
};

/// The table that holds all servers.
const PARENT: &str = "mcp_servers";
const ENTRY: &str = "mcp_servers.baton";
const VARIABLES: &str = "mcp_servers.baton.env";

/// The table in which Codex keeps the hashes of trusted hooks.
const HOOKS: &str = "hooks";
const STATES: &str = "hooks.state";

/// Codex's configuration.
pub(crate) struct Toml;

impl Format for Toml {
    fn read(&self, text: &str) -> Result<Option<Entry>, Problem> {
        let document = parse(text)?;
        let Some(servers) = child(document.as_table(), PARENT, PARENT)? else { return Ok(None) };
        let Some(entry) = child(servers, NAME, ENTRY)? else { return Ok(None) };
        child(entry, "env", VARIABLES)?;
        Ok(Some(decode(entry)))
    }

    fn write(&self, file: Option<&str>, registration: &Registration) -> Result<String, Problem> {
        let text = file.unwrap_or_default();
        if self.read(text)?.is_none() {
            let appended = append(file, &tables(registration));
            if let Ok(Some(entry)) = self.read(&appended)
                && entry.satisfies(registration)
            {
                return Ok(appended);
            }
        }
        let mut document = parse(text)?.into_mut();
        let servers = document.entry(PARENT).or_insert_with(|| Item::Table(implicit_table()));
        let inline = servers.is_inline_table();
        let servers = as_table_mut(servers, PARENT)?;
        match servers.get_mut(NAME) {
            Some(entry) if entry.get("command").is_some() => update(as_table_mut(entry, ENTRY)?, registration)?,
            _ if inline => drop(servers.insert(NAME, Item::Value(encode(registration).into_inline_table().into()))),
            _ => drop(servers.insert(NAME, Item::Table(encode(registration)))),
        }
        Ok(with_line_endings_of(text, &document))
    }

    fn remove(&self, text: &str) -> Result<Option<String>, Problem> {
        if self.read(text)?.is_none() {
            return Ok(Some(text.to_owned()));
        }
        let document = parse(text)?;
        let entry = document.get(PARENT).and_then(Item::as_table).and_then(|servers| servers.get(NAME));
        if let Some(cut) = entry.and_then(Item::as_table).and_then(|entry| cut(text, &[entry]))
            && self.read(cut.as_deref().unwrap_or_default()) == Ok(None)
        {
            return Ok(cut);
        }
        let mut document = parse(text)?.into_mut();
        if let Some(servers) = document.get_mut(PARENT).and_then(Item::as_table_like_mut) {
            servers.remove(NAME);
        }
        Ok(Some(with_line_endings_of(text, &document)))
    }
}

/// The hashes by which Codex knows trusted hooks: `[hooks.state."key"] trusted_hash`.
pub(crate) fn hook_states(text: &str) -> Result<BTreeMap<String, String>, Problem> {
    let document = parse(text)?;
    let states = document.get(HOOKS).and_then(|hooks| hooks.get("state")).and_then(Item::as_table_like);
    let states = states.into_iter().flat_map(TableLike::iter);
    Ok(states.map(|(key, state)| (key.to_owned(), words(state.get("trusted_hash")).concat())).collect())
}

/// The text with further hashes.
pub(crate) fn with_hook_states(file: Option<&str>, states: &BTreeMap<&String, &String>) -> Result<String, Problem> {
    let text = file.unwrap_or_default();
    let document = parse(text)?;
    if let Some(hooks) = child(document.as_table(), HOOKS, HOOKS)? {
        child(hooks, "state", STATES)?;
    }
    let appended = append(file, &hook_state_tables(states));
    if parse(&appended).is_ok() {
        return Ok(appended);
    }
    // Tables that are written inline, or with dots, take no tables of their own from elsewhere.
    let mut document = document.into_mut();
    let hooks = as_table_mut(document.entry(HOOKS).or_insert_with(|| Item::Table(implicit_table())), HOOKS)?;
    // A dotted key vanishes with the last that is in it, and so leaves the table around it as it was.
    let mut dotted = InlineTable::new();
    dotted.set_dotted(true);
    let table = as_table_mut(hooks.entry("state").or_insert(Item::Value(dotted.into())), STATES)?;
    for (key, hash) in states {
        let state: InlineTable = [("trusted_hash", hash.as_str())].into_iter().collect();
        table.insert(key, Item::Value(state.into()));
    }
    Ok(with_line_endings_of(text, &document))
}

/// The hashes as tables of their own.
pub(crate) fn hook_state_tables(states: &BTreeMap<&String, &String>) -> String {
    let table = |(key, hash): (&&String, &&String)| format!("[{STATES}.{}]\ntrusted_hash = \"{hash}\"\n", quoted(key));
    states.iter().map(table).collect::<Vec<_>>().join("\n")
}

/// A basic string on one line, as a key must be. JSON escapes as TOML does, except for one letter.
fn quoted(key: &str) -> String {
    serde_json::Value::from(key).to_string().replace('\u{7f}', "\\u007f")
}

/// Whether a TOML parser can read a text.
pub(crate) fn is_valid(text: &str) -> bool {
    parse(text).is_ok()
}

/// The text without these hashes; `None` if the file was made for them.
pub(crate) fn without_hook_states(text: &str, keys: &[&String]) -> Result<Option<String>, Problem> {
    let document = parse(text)?;
    let states = document.get(HOOKS).and_then(|hooks| hooks.get("state")).and_then(Item::as_table);
    let found: Option<Vec<&Table>> = keys.iter().map(|key| states?.get(key)?.as_table()).collect();
    if let Some(cut) = found.and_then(|tables| cut(text, &tables)) {
        return Ok(cut);
    }
    let mut document = document.into_mut();
    let states = document.get_mut(HOOKS).and_then(|hooks| hooks.get_mut("state"));
    if let Some(states) = states.and_then(Item::as_table_like_mut) {
        for key in keys {
            states.remove(key);
        }
    }
    Ok(Some(with_line_endings_of(text, &document)))
}

fn parse(text: &str) -> Result<Document<&str>, Problem> {
    Document::parse(text).map_err(|error: TomlError| {
        let before = text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Problem::Unparsable {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            why: error.message().to_owned(),
        }
    })
}

fn child<'a>(table: &'a dyn TableLike, key: &str, path: &str) -> Result<Option<&'a dyn TableLike>, Problem> {
    let Some(item) = table.get(key) else { return Ok(None) };
    item.as_table_like().map(Some).ok_or_else(|| wrong_shape(item, path))
}

fn as_table_mut<'a>(item: &'a mut Item, path: &str) -> Result<&'a mut dyn TableLike, Problem> {
    let problem = wrong_shape(item, path);
    item.as_table_like_mut().ok_or(problem)
}

fn wrong_shape(item: &Item, path: &str) -> Problem {
    Problem::WrongShape { key: path.to_owned(), found: format!("of type {}", item.type_name()), wanted: "a table" }
}

/// The text with further tables after everything else. A text that has no line break at its end has none afterwards,
/// by which [`cut`] knows that it had none.
fn append(file: Option<&str>, tables: &str) -> String {
    let text = file.unwrap_or_default();
    let line_end = line_end_of(text);
    let mut result = text.to_owned();
    if !text.is_empty() {
        result.push_str(if text.ends_with('\n') { "" } else { line_end });
        result.push_str(line_end);
    }
    let is_ended = file.is_none() || text.ends_with('\n');
    let tables = if is_ended { tables } else { tables.trim_end_matches('\n') };
    result.push_str(&tables.replace('\n', line_end));
    result
}

fn tables(registration: &Registration) -> String {
    let mut servers = implicit_table();
    servers.insert(NAME, Item::Table(encode(registration)));
    let mut document = DocumentMut::new();
    document.insert(PARENT, Item::Table(servers));
    document.to_string()
}

/// The text without the lines of these tables, if each is written as one of its own. Comments around them stay. No
/// file is left of one that had nothing else and was made for them.
fn cut(text: &str, tables: &[&Table]) -> Option<Option<String>> {
    let mut lines = Vec::new();
    for table in tables {
        collect_lines(text, table, &mut lines)?;
    }
    lines.sort_by_key(|range| range.start);
    let reaches_end = lines.last().is_some_and(|range| range.end == text.len());
    let mut result = text.to_owned();
    for range in lines.into_iter().rev() {
        result.replace_range(range, "");
    }
    if reaches_end && !text.ends_with('\n') {
        let shorter = result.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text));
        return Some(Some(shorter.unwrap_or(&result).to_owned()));
    }
    Some((!result.is_empty()).then_some(result))
}

/// The lines of a table and of those inside it, each with the blank line before it.
fn collect_lines(text: &str, table: &Table, lines: &mut Vec<Range<usize>>) -> Option<()> {
    if table.is_dotted() {
        return None;
    }
    let mut end = 0;
    for (_, item) in table {
        match item {
            Item::Table(inner) => collect_lines(text, inner, lines)?,
            Item::Value(value) => end = end.max(value.span()?.end),
            Item::ArrayOfTables(_) | Item::None => return None,
        }
    }
    if !table.is_implicit() {
        let header = table.span()?;
        let end = end.max(header.end);
        let start = text[..header.start].rfind('\n').map_or(0, |newline| newline + 1);
        let blank = ["\r\n", "\n"].into_iter().find(|line_end| {
            text[..start].strip_suffix(line_end).is_some_and(|before| before.ends_with('\n') || before.is_empty())
        });
        let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
        lines.push(start - blank.map_or(0, str::len)..end);
    }
    Some(())
}

fn implicit_table() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

fn encode(registration: &Registration) -> Table {
    let mut entry = Table::new();
    entry.insert("command", registration.command().into());
    entry.insert("args", arguments(registration).into());
    if !registration.variables().is_empty() {
        entry.insert("env", Item::Table(registration.variables().iter().map(|(k, v)| (k, v.as_str())).collect()));
    }
    entry
}

fn arguments(registration: &Registration) -> Array {
    registration.arguments().iter().map(String::as_str).collect()
}

fn update(entry: &mut dyn TableLike, registration: &Registration) -> Result<(), Problem> {
    if words(entry.get("command")) != [registration.command()] {
        set(entry, "command", registration.command().into());
    }
    if words(entry.get("args")) != registration.arguments() {
        set(entry, "args", arguments(registration).into());
    }
    if entry.get("enabled").and_then(Item::as_bool) == Some(false) {
        set(entry, "enabled", true.into());
    }
    if entry.get("env").is_none() && !registration.variables().is_empty() {
        entry.insert("env", Item::Value(InlineTable::new().into()));
    }
    let Some(variables) = entry.get_mut("env") else { return Ok(()) };
    let variables = as_table_mut(variables, VARIABLES)?;
    for (name, value) in registration.variables() {
        if words(variables.get(name)) != [value.as_str()] {
            set(variables, name, value.as_str().into());
        }
    }
    for name in registration.unwanted_variables() {
        variables.remove(name);
    }
    if variables.is_empty() {
        entry.remove("env");
    }
    Ok(())
}

/// Sets a value and keeps the comments around the old one.
fn set(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key) {
        Some(item) => {
            if let Some(old) = item.as_value() {
                *value.decor_mut() = old.decor().clone();
            }
            *item = Item::Value(value);
        }
        None => drop(table.insert(key, Item::Value(value))),
    }
}

fn decode(entry: &dyn TableLike) -> Entry {
    let command_line = words(entry.get("command")).into_iter().chain(words(entry.get("args")));
    let address = entry.get("url").filter(|_| entry.get("command").is_none());
    let mut variables = BTreeMap::new();
    if let Some(table) = entry.get("env").and_then(Item::as_table_like) {
        variables.extend(table.iter().map(|(name, item)| (name.to_owned(), words(Some(item)).join(" "))));
    }
    Entry {
        command_line: command_line.chain(words(address)).collect(),
        variables,
        enabled: entry.get("enabled").and_then(Item::as_bool) != Some(false),
    }
}

fn words(item: Option<&Item>) -> Vec<String> {
    fn of_value(value: &Value) -> Vec<String> {
        match value {
            Value::String(word) => vec![word.value().clone()],
            Value::Array(list) => list.iter().flat_map(of_value).collect(),
            other => vec![other.to_string().trim().to_owned()],
        }
    }
    item.and_then(Item::as_value).map(of_value).unwrap_or_default()
}

fn line_end_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn with_line_endings_of(text: &str, document: &DocumentMut) -> String {
    // Inside a string over several lines, line endings come back as they were.
    let mut lines = document.to_string().replace("\r\n", "\n");
    if !text.is_empty() && !text.ends_with('\n') && lines.ends_with('\n') {
        lines.pop();
    }
    lines.replace('\n', line_end_of(text))
}
