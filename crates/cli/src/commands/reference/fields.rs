//! A JSON schema as rows of a table: names, types in plain words, and meanings.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::{kinds, meanings};

/// The path by which schemas point to a shared one.
const SHARED: &str = "#/$defs/";

/// The schemas that others point to, by name.
pub(super) type Shared = Map<String, Value>;

/// A field.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Its name, behind those of the objects that it is in: `handoff.status`, `actions[].dst`.
    pub(super) path: String,
    pub(super) kind: String,
    is_required: bool,
    default: Option<String>,
    about: String,
    /// The meanings of its words, where it is one of several.
    words: String,
}

impl Row {
    /// Its meaning.
    pub(super) fn about(&self) -> &str {
        &self.about
    }

    /// The same field where it may be missing.
    pub(super) fn optional(&self) -> Self {
        Self { is_required: false, ..self.clone() }
    }
}

/// The fields of an object, and those that only some of its forms have.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) rows: Vec<Row>,
    pub(super) forms: Vec<(String, Self)>,
}

impl Fields {
    /// The fields of the object that `schema` describes.
    pub(super) fn of(schema: &Value, shared: &Shared) -> Self {
        let mut fields = Self::default();
        fields.read(schema, shared, "");
        fields
    }

    /// Every field, those of its forms included.
    pub(super) fn all(&self) -> Vec<&Row> {
        let forms = self.forms.iter().flat_map(|(_, form)| form.all());
        self.rows.iter().chain(forms).collect()
    }

    fn read(&mut self, schema: &Value, shared: &Shared, prefix: &str) {
        if let Some(name) = pointed(schema) {
            if prefix.is_empty() && schema.get("properties").is_none() {
                return self.read(shared.get(name).unwrap_or(&Value::Null), shared, prefix);
            }
            let about = "and all fields of it".to_owned();
            let kind = link(name);
            let path = format!("{prefix}…");
            self.rows.push(Row { path, kind, is_required: true, default: None, about, words: String::new() });
        }
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = format!("{prefix}{name}");
            let default =
                field.get("default").filter(|default| !default.is_null() && **default != Value::Array(vec![]));
            self.rows.push(Row {
                kind: kind(field, shared),
                is_required: required.contains(&Value::from(name.as_str())),
                default: default.map(|default| format!("`{default}`")),
                about: Some(about(field))
                    .filter(|about| !about.is_empty())
                    .unwrap_or_else(|| meanings::meaning(&path).to_owned()),
                words: words(field, shared),
                path: path.clone(),
            });
            if let Some((inner, suffix)) = inner(field, "") {
                self.read(inner, shared, &format!("{path}{suffix}."));
            }
        }
        for part in schema.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            self.read(part, shared, prefix);
        }
        for form in choices(schema).into_iter().filter(|form| !is_null(form)) {
            let mut fields = Self::default();
            fields.read(form, shared, prefix);
            self.forms.push((form_title(form, prefix), fields));
        }
    }

    /// The same fields, with the bounds that a command's arguments have.
    pub(super) fn bounded(mut self, command: &str) -> Self {
        for row in &mut self.rows {
            if let Some(bound) = meanings::bound(command, &row.path) {
                row.about = format!("{}. {bound}", row.about.trim_end_matches('.'));
            }
        }
        self
    }

    /// The fields as a table. `explains` is whether the words of a choice are explained.
    pub(super) fn table(&self, title: &str, explains: bool) -> String {
        let mut text = String::new();
        if !self.rows.is_empty() {
            let _ = writeln!(text, "| {title} | type | | meaning |\n|---|---|---|---|");
        }
        for row in &self.rows {
            let need = match &row.default {
                Some(default) => format!("default {default}"),
                None if row.is_required => String::new(),
                None => "optional".to_owned(),
            };
            let about = match explains && !row.words.is_empty() {
                true => [row.about.as_str(), row.words.as_str()].join(" ").trim().to_owned(),
                false => row.about.clone(),
            };
            let _ = writeln!(text, "| `{}` | {} | {need} | {about} |", row.path, row.kind);
        }
        for (title, form) in &self.forms {
            let _ = write!(text, "\n{title}:\n\n{}", form.table("field", explains));
        }
        text
    }
}

/// The name of a shared schema in plain words.
pub(super) fn plain(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// A link to the heading of a shared schema.
fn link(name: &str) -> String {
    let words = plain(name);
    format!("[{words}](#{})", words.replace(' ', "-"))
}

/// A description on one line of a table.
pub(super) fn about(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    if kinds::is_general(text) {
        return String::new();
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn pointed(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(SHARED)
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

fn choices(schema: &Value) -> Vec<&Value> {
    ["oneOf", "anyOf"].into_iter().filter_map(|word| schema.get(word)?.as_array()).flatten().collect()
}

/// The object inside a field, and how its fields are reached.
fn inner<'a>(schema: &'a Value, suffix: &str) -> Option<(&'a Value, String)> {
    if let Some(choice) = choices(schema).into_iter().find(|choice| inner(choice, "").is_some()) {
        return inner(choice, suffix);
    }
    if schema.get("properties").is_some() {
        return Some((schema, suffix.to_owned()));
    }
    if let Some(items) = schema.get("items") {
        return inner(items, &format!("{suffix}[]"));
    }
    inner(schema.get("additionalProperties")?, &format!("{suffix}.*"))
}

/// The type of a field in plain words.
fn kind(schema: &Value, shared: &Shared) -> String {
    if let Some(name) = pointed(schema) {
        let meant = shared.get(name).unwrap_or(&Value::Null);
        return if is_object(meant) { link(name) } else { kind(meant, shared) };
    }
    if let Some(word) = schema.get("const") {
        return format!("`{}`", word.as_str().map_or_else(|| word.to_string(), str::to_owned));
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words = words.iter().filter(|word| !word.is_null());
        return words.map(|word| format!("`{}`", word.as_str().unwrap_or_default())).collect::<Vec<_>>().join(" ");
    }
    let choices = choices(schema);
    if !choices.is_empty() && schema.get("properties").is_none() {
        let are_words = choices.iter().all(|choice| is_null(choice) || choice.get("const").is_some());
        let mut kinds: Vec<_> =
            choices.iter().filter(|choice| !is_null(choice)).map(|choice| kind(choice, shared)).collect();
        kinds.dedup();
        return kinds.join(if are_words { " " } else { " or " });
    }
    let named = match schema.get("type") {
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect(),
        Some(Value::String(name)) => vec![name.as_str()],
        _ => Vec::new(),
    };
    let words = named.into_iter().map(|name| match name {
        "string" => kinds::of_text(schema).to_owned(),
        "integer" => "whole number".to_owned(),
        "boolean" => "true or false".to_owned(),
        "array" => match schema.get("items") {
            Some(items) => format!("list of {}", plural(&kind(items, shared))),
            None => "list".to_owned(),
        },
        "object" => match schema.get("additionalProperties").filter(|values| values.is_object()) {
            Some(values) => format!("object with {} by name", plural(&kind(values, shared))),
            None => "object".to_owned(),
        },
        other => other.to_owned(),
    });
    let words: Vec<_> = words.collect();
    if words.is_empty() { "any JSON".to_owned() } else { words.join(" or ") }
}

fn plural(kind: &str) -> String {
    match kind {
        _ if kind.contains('`') || kind.contains('[') || kind.contains(" or ") => kind.to_owned(),
        "text" => "texts".to_owned(),
        "any JSON" => kind.to_owned(),
        _ => format!("{kind}s"),
    }
}

fn is_object(schema: &Value) -> bool {
    schema.get("properties").is_some()
        || choices(schema).iter().any(|choice| choice.get("properties").is_some() || choice.get("$ref").is_some())
}

/// What the words of a choice mean.
fn words(schema: &Value, shared: &Shared) -> String {
    if let Some(meant) = pointed(schema).and_then(|name| shared.get(name)) {
        return words(meant, shared);
    }
    let explained = choices(schema).into_iter().flat_map(|choice| match choice.get("const") {
        Some(word) => vec![(word.as_str().unwrap_or_default(), about(choice))],
        None => choices(choice)
            .into_iter()
            .filter_map(|inner| Some((inner.get("const")?.as_str()?, about(inner))))
            .collect(),
    });
    let said = explained.filter(|(_, about)| !about.is_empty());
    said.map(|(word, about)| format!("`{word}`: {about}")).collect::<Vec<_>>().join(" ")
}

/// How a form of an object is told from the others.
fn form_title(form: &Value, prefix: &str) -> String {
    let fields = form.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut tags = fields.filter_map(|(name, field)| Some((name, field.get("const")?.as_str()?)));
    match tags.next() {
        Some((name, word)) => format!("Where `{prefix}{name}` is `{word}`"),
        None if !about(form).is_empty() => about(form).trim_end_matches('.').to_owned(),
        None => "Or".to_owned(),
    }
}
