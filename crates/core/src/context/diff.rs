//! What two packs differ in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ContextPack;

/// What differs in one field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FieldDiff {
    /// Which field, as the pack spells it.
    pub field: String,
    /// What only the second has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<Value>,
    /// What only the first has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<Value>,
    /// What both have, and not the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<Changed>,
}

/// A thing that two packs say differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Changed {
    /// Which entry; none for a field that has one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What the first says.
    pub before: Value,
    /// What the second says.
    pub after: Value,
}

/// What two packs differ in, field by field, in the order of the fields. Their ids are not compared: they follow from the
/// rest.
pub fn diff(first: &ContextPack, second: &ContextPack) -> Vec<FieldDiff> {
    let (first, second) = (fields(first), fields(second));
    // Each pack leaves out what is empty, but both have the fields in the one order; so has the union, as long as what is
    // missing in one is put where the other has it.
    let mut names: Vec<&String> = first.keys().collect();
    for (place, name) in second.keys().enumerate() {
        if !first.contains_key(name) {
            let before = second.keys().take(place).next_back();
            let at = before.and_then(|before| names.iter().position(|known| *known == before)).map_or(0, |at| at + 1);
            names.insert(at, name);
        }
    }
    let differs = |name: &&String| name.as_str() != "packId";
    names.into_iter().filter(differs).filter_map(|name| field(name, first.get(name), second.get(name))).collect()
}

fn fields(pack: &ContextPack) -> Map<String, Value> {
    match serde_json::to_value(pack) {
        Ok(Value::Object(mut fields)) => {
            flatten(&mut fields);
            fields
        }
        Ok(_) | Err(_) => Map::new(),
    }
}

/// The one list that is inside of something is compared like the others.
fn flatten(fields: &mut Map<String, Value>) {
    let dirty =
        fields.get_mut("repoFacts").and_then(Value::as_object_mut).and_then(|facts| facts.shift_remove("dirtyFiles"));
    if let Some(dirty) = dirty {
        let at = fields.keys().position(|name| name == "repoFacts").map_or(0, |at| at + 1);
        fields.shift_insert(at, "repoFacts.dirtyFiles".to_owned(), dirty);
    }
}

fn field(name: &str, before: Option<&Value>, after: Option<&Value>) -> Option<FieldDiff> {
    if before == after {
        return None;
    }
    let mut found = FieldDiff { field: name.to_owned(), ..FieldDiff::default() };
    match (before.unwrap_or(&Value::Null), after.unwrap_or(&Value::Null)) {
        (Value::Array(before), after @ (Value::Array(_) | Value::Null)) => {
            found.lists(before, after.as_array().map_or(&[], Vec::as_slice));
        }
        (Value::Null, Value::Array(after)) => found.lists(&[], after),
        (Value::Object(before), after @ (Value::Object(_) | Value::Null)) => {
            found.maps(before, after.as_object().unwrap_or(&Map::new()));
        }
        (Value::Null, Value::Object(after)) => found.maps(&Map::new(), after),
        (before, after) => {
            found.changed.push(Changed { key: None, before: before.clone(), after: after.clone() });
        }
    }
    let same = found.added.is_empty() && found.removed.is_empty() && found.changed.is_empty();
    (!same).then_some(found)
}

impl FieldDiff {
    fn lists(&mut self, before: &[Value], after: &[Value]) {
        let keyed = |items: &[Value]| items.iter().map(|item| (key(item), item.clone())).collect::<Map<_, _>>();
        self.entries(&keyed(before), &keyed(after), |_, item| item.clone());
    }

    fn maps(&mut self, before: &Map<String, Value>, after: &Map<String, Value>) {
        self.entries(before, after, |name, value| Value::Object(Map::from_iter([(name.to_owned(), value.clone())])));
    }

    fn entries(&mut self, before: &Map<String, Value>, after: &Map<String, Value>, shown: fn(&str, &Value) -> Value) {
        for (name, value) in before {
            match after.get(name) {
                None => self.removed.push(shown(name, value)),
                Some(now) if now != value => {
                    let (before, after) = (value.clone(), now.clone());
                    self.changed.push(Changed { key: Some(name.clone()), before, after });
                }
                Some(_) => {}
            }
        }
        let is_new = |(name, _): &(&String, &Value)| !before.contains_key(*name);
        self.added.extend(after.iter().filter(is_new).map(|(name, value)| shown(name, value)));
    }
}

/// What tells an entry of a list from the others.
fn key(item: &Value) -> String {
    let named = ["path", "payloadId", "id", "text"].iter().find_map(|name| item.get(name).and_then(Value::as_str));
    named.or_else(|| item.as_str()).map_or_else(|| item.to_string(), str::to_owned)
}
