//! Payloads that a schema allows, so that events can be made and told without anything having happened.

use serde_json::{Map, Value, json};

use super::{fields::Shared, kinds};

/// Which of the payloads that a schema allows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pick {
    /// Whether fields that may be missing are there.
    pub(super) is_full: bool,
    /// Which of several forms or words, counted from zero and round again. Each field has its own, so that every word of one
    /// meets every form of another.
    choice: usize,
}

impl Pick {
    /// Enough of them for every field and every word to be there once.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        (0..96).flat_map(|choice| [true, false].map(|is_full| Self { is_full, choice }))
    }

    /// The pick for a field.
    fn of_field(self, name: &str) -> Self {
        let mix = |mixed: usize, byte: u8| (mixed ^ usize::from(byte)).wrapping_mul(0x0100_0193);
        let mixed = name.bytes().fold(self.choice.wrapping_add(0x811c_9dc5), mix);
        Self { choice: mixed ^ (mixed >> 15), ..self }
    }

    /// A value that `schema` allows.
    pub(super) fn of(self, schema: &Value, shared: &Shared) -> Value {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()) {
            return self.of(shared.get(name).unwrap_or(&Value::Null), shared);
        }
        if let Some(word) = schema.get("const") {
            return word.clone();
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            return words[self.choice % words.len()].clone();
        }
        let forms = ["oneOf", "anyOf"].into_iter().find_map(|word| schema.get(word)?.as_array());
        let form = forms.map(|forms| {
            let null = |form: &&Value| form.get("type").is_some_and(|kind| kind == "null");
            let said: Vec<_> = forms.iter().filter(|form| self.is_full && !null(form)).collect();
            let said = if said.is_empty() { forms.iter().collect() } else { said };
            // What may be missing is missing.
            let missing = said.iter().find(|form| !self.is_full && null(form)).copied();
            self.of(missing.unwrap_or(said[self.choice % said.len()]), shared)
        });
        if schema.get("properties").is_some() || schema.get("allOf").is_some() {
            return self.object(schema, shared, form);
        }
        if let Some(form) = form {
            return form;
        }
        self.plain(schema, shared)
    }

    fn object(self, schema: &Value, shared: &Shared, form: Option<Value>) -> Value {
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut object = Map::new();
        for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            if self.is_full || required.contains(&Value::from(name.as_str())) {
                object.insert(name.clone(), self.of_field(name).of(field, shared));
            }
        }
        let parts = schema.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let parts = parts.map(|part| self.of(part, shared)).chain(form);
        for part in parts {
            object.extend(part.as_object().cloned().unwrap_or_default());
        }
        Value::Object(object)
    }

    fn plain(self, schema: &Value, shared: &Shared) -> Value {
        let named = match schema.get("type") {
            Some(Value::Array(names)) if !self.is_full && names.contains(&json!("null")) => Some("null"),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
            Some(Value::String(name)) => Some(name.as_str()),
            _ => None,
        };
        match named {
            Some("null") => Value::Null,
            Some("string") => kinds::marked(schema).map_or("text", |kind| kind.example).into(),
            Some("integer") => 1.into(),
            Some("number") => 1.5.into(),
            Some("boolean") => self.choice.is_multiple_of(2).into(),
            Some("array") => {
                let item = schema.get("items").map_or(Value::Null, |items| self.of(items, shared));
                let fewest = schema.get("minItems").and_then(Value::as_u64).unwrap_or_default();
                let count = if self.is_full { fewest.max(1) } else { fewest };
                Value::Array((0..count).map(|_| item.clone()).collect())
            }
            _ => json!({}),
        }
    }
}
