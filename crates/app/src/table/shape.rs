//! The shape of an input, from its schema: what a caller meant is put into it, and what does not fit is told in plain words.
//!
//! Models write `"1"` for 1 and an object as its JSON in a string. Where only one reading is possible, that is what they meant.

use std::{
    any::TypeId,
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use baton_core::limits;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Number, Value};

/// How deep a schema is followed. Ours are not deeper, and one that refers to itself would never end.
const DEPTH_MAX: usize = 24;
/// How deep the places of lists are kept at hand. A schema that refers to itself would fill the memory.
const LISTS_DEPTH_MAX: usize = 12;

/// What an input looks like.
#[derive(Clone)]
pub(super) struct Shape(Arc<Schema>);

/// A schema, and what every call asks of it.
struct Schema {
    whole: Value,
    lists: Lists,
}

/// Where an input may have a list. Serde would take one for an object, by the order of its fields, so each input with a
/// list is compared with this; comparing it with the schema takes as long as the command.
enum Lists {
    /// Anything may stand here, and below.
    Anywhere,
    /// Only the schema tells.
    Unsure,
    /// One kind of thing stands here.
    At { is_list: bool, items: Option<Box<Self>>, fields: HashMap<String, Self> },
}

/// What does not fit, and where: `handoff.artifacts[0].lines`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) path: String,
    pub(super) problem: String,
    pub(super) sort: Sort,
}

/// The sort of thing that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// A list stands for something else, which serde may take for an object.
    List,
    /// A word is none of those that the schema lists. A type may know others, or say more about it.
    Word,
    /// Anything else, which serde refuses as well.
    Other,
}

impl Shape {
    /// The shape of a type. It is worked out once.
    pub(super) fn of<T: JsonSchema + 'static>() -> Self {
        static KNOWN: Mutex<Option<HashMap<TypeId, Shape>>> = Mutex::new(None);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let shape = || {
            let generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
            let whole = generator.into_root_schema_for::<T>().to_value();
            let lists = Place { root: &whole, schema: &whole, depth: 0 }.lists();
            Self(Arc::new(Schema { whole, lists }))
        };
        known.get_or_insert_default().entry(TypeId::of::<T>()).or_insert_with(shape).clone()
    }

    /// Puts what was meant in place of what was written, where only one thing can be meant.
    pub(super) fn fit(&self, input: &mut Value) {
        self.root().fit(input);
    }

    /// The first thing that is of another kind than it has to be. Missing and unknown fields are serde's to tell, which knows
    /// their other names.
    pub(super) fn misfit(&self, input: &Value) -> Option<Misfit> {
        self.root().misfit(input, "")
    }

    /// Whether each list in an input stands where the schema has one.
    pub(super) fn has_place_for_lists_of(&self, input: &Map<String, Value>) -> bool {
        self.0.lists.have_place_in(input)
    }

    fn root(&self) -> Place<'_> {
        Place { root: &self.0.whole, schema: &self.0.whole, depth: 0 }
    }
}

impl Lists {
    /// Whether each list in a value certainly has a place here or below.
    fn have_place_for(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Anywhere, _) | (_, Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => true,
            (Self::At { is_list, items, .. }, Value::Array(values)) => {
                *is_list && values.iter().all(|value| items.as_deref().unwrap_or(&Self::Unsure).have_place_for(value))
            }
            (Self::At { .. }, Value::Object(fields)) => self.have_place_in(fields),
            (Self::Unsure, Value::Array(_)) => false,
            (Self::Unsure, Value::Object(fields)) => !has_list(fields),
        }
    }

    fn have_place_in(&self, given: &Map<String, Value>) -> bool {
        let Self::At { fields, .. } = self else { return matches!(self, Self::Anywhere) };
        given.iter().all(|(name, value)| match value {
            Value::Array(_) | Value::Object(_) => fields.get(name).unwrap_or(&Self::Unsure).have_place_for(value),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
        })
    }
}

/// A place in a schema.
#[derive(Clone, Copy)]
struct Place<'a> {
    root: &'a Value,
    schema: &'a Value,
    depth: usize,
}

impl<'a> Place<'a> {
    fn at(self, schema: &'a Value) -> Self {
        Self { schema, depth: self.depth + 1, ..self }
    }

    /// The schemas of what may stand here, without references, choices and `null`.
    fn branches(self) -> Vec<Self> {
        if self.depth > DEPTH_MAX {
            return Vec::new();
        }
        if let Some(name) = self.schema.get("$ref").and_then(Value::as_str) {
            let target = name.strip_prefix("#/$defs/").and_then(|name| self.root.get("$defs")?.get(name));
            return target.map(|target| self.at(target).branches()).unwrap_or_default();
        }
        let choices = ["anyOf", "oneOf"].iter().find_map(|choice| self.schema.get(choice)?.as_array());
        match choices {
            Some(choices) => choices.iter().flat_map(|choice| self.at(choice).branches()).collect(),
            None if self.schema.get("type").and_then(Value::as_str) == Some("null") => Vec::new(),
            None => vec![self],
        }
    }

    fn types(self) -> Vec<&'a str> {
        match self.schema.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(some)) => some.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect(),
            _ => Vec::new(),
        }
    }

    fn takes(self, value: &Value) -> bool {
        let types = self.types();
        types.is_empty()
            || types.iter().any(|kind| match *kind {
                "string" => value.is_string(),
                "integer" => value.is_u64() || value.is_i64(),
                "number" => value.is_number(),
                "boolean" => value.is_boolean(),
                "array" => value.is_array(),
                "object" => value.is_object(),
                _ => true,
            })
    }

    /// The fields and items below a value, each with its schema and what leads there.
    fn field(self, name: &str) -> Option<Self> {
        let fields = self.schema.get("properties").and_then(|fields| fields.get(name));
        let rest = || self.schema.get("additionalProperties").filter(|rest| rest.is_object());
        fields.or_else(rest).map(|schema| self.at(schema))
    }

    /// Whether a known field may be left out.
    fn may_lack(self, name: &str) -> bool {
        let required = self.schema.get("required").and_then(Value::as_array);
        self.schema.get("properties").is_some_and(|fields| fields.get(name).is_some())
            && !required.is_some_and(|required| required.iter().any(|field| field == name))
    }

    /// Whether nothing may stand here.
    fn takes_null(self) -> bool {
        if self.depth > DEPTH_MAX {
            return true;
        }
        if let Some(name) = self.schema.get("$ref").and_then(Value::as_str) {
            let target = name.strip_prefix("#/$defs/").and_then(|name| self.root.get("$defs")?.get(name));
            return target.is_none_or(|target| self.at(target).takes_null());
        }
        let choices = ["anyOf", "oneOf"].iter().find_map(|choice| self.schema.get(choice)?.as_array());
        match (choices, self.schema.get("type")) {
            (Some(choices), _) => choices.iter().any(|choice| self.at(choice).takes_null()),
            (None, Some(Value::String(kind))) => kind == "null",
            (None, Some(Value::Array(kinds))) => kinds.iter().any(|kind| kind == "null"),
            (None, _) => self.schema.get("const").is_none() && self.schema.get("enum").is_none(),
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        let place = self.schema.get("prefixItems").and_then(|places| places.get(index));
        place.or_else(|| self.schema.get("items").filter(|items| items.is_object())).map(|schema| self.at(schema))
    }

    /// Where lists may stand here and below.
    fn lists(self) -> Lists {
        let branches = self.branches();
        let [branch] = branches.as_slice() else { return Lists::Unsure };
        if branch.depth > LISTS_DEPTH_MAX {
            return Lists::Unsure;
        }
        let tells = |word: &&str| branch.schema.get(word).is_some();
        if !["type", "properties", "additionalProperties", "items", "prefixItems", "enum", "const"].iter().any(tells) {
            return Lists::Anywhere;
        }
        let fields = branch.schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let items = branch.schema.get("items").filter(|items| items.is_object());
        Lists::At {
            is_list: branch.types().contains(&"array"),
            items: items.map(|items| Box::new(branch.at(items).lists())),
            fields: fields.map(|(name, field)| (name.clone(), branch.at(field).lists())).collect(),
        }
    }

    fn fit(self, value: &mut Value) {
        let branches = self.branches();
        if !branches.iter().any(|branch| branch.takes(value)) {
            let mut read: Vec<Value> = branches.iter().filter_map(|branch| branch.reading(value)).collect();
            read.dedup();
            if let [one] = read.as_mut_slice() {
                *value = one.take();
            }
        }
        let [branch] = branches.as_slice() else { return };
        match value {
            Value::Object(fields) => {
                // Nothing, for what may be left out, is leaving it out.
                fields.retain(|name, value| !(value.is_null() && branch.may_lack(name)));
                for (name, value) in fields {
                    if let Some(place) = branch.field(name) {
                        place.fit(value);
                    }
                }
            }
            Value::Array(items) => {
                for (index, value) in items.iter_mut().enumerate() {
                    if let Some(place) = branch.item(index) {
                        place.fit(value);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// A value of another kind, as one of this kind.
    fn reading(self, value: &Value) -> Option<Value> {
        let types = self.types();
        let [kind] = types.as_slice() else { return None };
        match (*kind, value) {
            ("integer", Value::String(text)) => {
                let text = text.trim();
                text.parse::<u64>()
                    .map(Number::from)
                    .or_else(|_| text.parse::<i64>().map(Number::from))
                    .ok()
                    .map(Value::from)
            }
            ("integer", Value::Number(number)) => {
                let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 1e15)?;
                Some((whole as i64).into())
            }
            ("number", Value::String(text)) => {
                text.trim().parse::<f64>().ok().and_then(Number::from_f64).map(Value::from)
            }
            ("boolean", Value::String(text)) => text.trim().to_ascii_lowercase().parse::<bool>().ok().map(Value::from),
            ("array" | "object", Value::String(text)) => {
                serde_json::from_str::<Value>(text).ok().filter(|value| self.takes(value))
            }
            _ => None,
        }
    }

    fn misfit(self, value: &Value, path: &str) -> Option<Misfit> {
        let branches = self.branches();
        if branches.is_empty() || (value.is_null() && self.takes_null()) {
            return None;
        }
        if !branches.iter().any(|branch| branch.takes(value)) {
            let mut kinds: Vec<String> = branches.iter().map(|branch| branch.describe()).collect();
            kinds.dedup();
            let sort = if value.is_array() { Sort::List } else { Sort::Other };
            let problem = format!("must be {}, not {}", kinds.join(" or "), shown(value));
            return Some(Misfit { path: path.to_owned(), problem, sort });
        }
        if let Some(words) = words(&branches)
            && value.as_str().is_some_and(|word| !words.contains(&word))
        {
            let problem = format!("must be one of {}, not {}", words.join(", "), shown(value));
            return Some(Misfit { path: path.to_owned(), problem, sort: Sort::Word });
        }
        let [branch] = branches.as_slice() else { return None };
        match value {
            Value::Number(number) => branch.out_of_range(number).map(|problem| misfit(path, problem)),
            Value::Object(fields) => {
                let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                fields.iter().find_map(|(name, value)| branch.field(name)?.misfit(value, &inside(name)))
            }
            Value::Array(items) => {
                if let Some(count) = branch.count().filter(|count| *count != items.len()) {
                    return Some(misfit(path, format!("must be a list of {count}, not of {}", items.len())));
                }
                let item = |(index, value)| branch.item(index)?.misfit(value, &format!("{path}[{index}]"));
                items.iter().enumerate().find_map(item)
            }
            Value::Null | Value::Bool(_) | Value::String(_) => None,
        }
    }

    /// How many items there have to be, where that is fixed.
    fn count(self) -> Option<usize> {
        let bound = |name: &str| self.schema.get(name).and_then(Value::as_u64);
        bound("minItems").filter(|least| bound("maxItems") == Some(*least)).map(|count| count as usize)
    }

    fn out_of_range(self, number: &Number) -> Option<String> {
        let (least, most) = self.range()?;
        let number = number.as_u64().map(i128::from).or_else(|| number.as_i64().map(i128::from))?;
        let problem = match number {
            low if low < least && least == 0 => "must not be negative",
            low if low < least => "is too small",
            high if high > most => "is too large",
            _ => return None,
        };
        // Where the real bounds are narrower, the description begins with them.
        let about = self.schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let bounds = if about.starts_with(|c: char| c.is_ascii_digit()) { format!(": {about}") } else { String::new() };
        Some(format!("{problem}, like {number}{bounds}"))
    }

    fn range(self) -> Option<(i128, i128)> {
        Some(match self.schema.get("format")?.as_str()? {
            "uint8" => (0, u8::MAX.into()),
            "uint16" => (0, u16::MAX.into()),
            "uint32" => (0, u32::MAX.into()),
            "uint" | "uint64" => (0, u64::MAX.into()),
            "int64" => (i64::MIN.into(), i64::MAX.into()),
            _ => return None,
        })
    }

    /// What has to stand here, in words.
    fn describe(self) -> String {
        let types = self.types();
        let words: Vec<String> = types
            .iter()
            .map(|kind| match *kind {
                "string" => "text".to_owned(),
                "integer" => "a whole number".to_owned(),
                "number" => "a number".to_owned(),
                "boolean" => "true or false".to_owned(),
                "array" => "a list".to_owned(),
                _ => format!("an object{}", self.fields()),
            })
            .collect();
        words.join(" or ")
    }

    /// ` with path and role`, for an object that needs them.
    fn fields(self) -> String {
        let required = self.schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let names: Vec<&str> = required.filter_map(Value::as_str).collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => format!(" with {one}"),
            [first @ .., last] => format!(" with {} and {last}", first.join(", ")),
        }
    }
}

/// The words that may stand in a place, where nothing else may.
fn words<'a>(branches: &[Place<'a>]) -> Option<Vec<&'a str>> {
    let mut words = Vec::new();
    for branch in branches {
        match (branch.schema.get("const"), branch.schema.get("enum").and_then(Value::as_array)) {
            (Some(word), _) => words.push(word.as_str()?),
            (None, Some(some)) => words.extend(some.iter().filter_map(Value::as_str)),
            (None, None) => return None,
        }
    }
    Some(words)
}

fn misfit(path: &str, problem: String) -> Misfit {
    Misfit { path: path.to_owned(), problem, sort: Sort::Other }
}

/// A value, but not all of it.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::String(text) => format!("{:?}", text.chars().take(limits::SHOWN_INPUT_CHARS).collect::<String>()),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Whether there is a list anywhere in an input: serde would take one for an object, by the order of its fields.
pub(super) fn has_list(input: &Map<String, Value>) -> bool {
    input.values().any(|value| match value {
        Value::Array(_) => true,
        Value::Object(fields) => has_list(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use baton_core::handoff::Handoff;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Input {
        turn: u64,
        limit: Option<u32>,
        park: bool,
        cursor: Option<String>,
        handoff: Handoff,
        policy: Option<baton_core::policy::PolicyChange>,
        order: Vec<String>,
    }

    fn told(input: Value) -> String {
        let mut input = input;
        let shape = Shape::of::<Input>();
        shape.fit(&mut input);
        shape.misfit(&input).map_or_else(|| input.to_string(), |misfit| format!("{}: {}", misfit.path, misfit.problem))
    }

    #[test]
    fn what_can_be_meant_in_one_way_only_is_meant() {
        let meant = json!({
            "turn": "7", "limit": 20.0, "park": "True", "cursor": "17",
            "handoff": "{\"status\":\"s\",\"next_action\":\"n\",\"artifacts\":[{\"path\":\"a\",\"lines\":[\"1\",2],\"role\":\"edit\"}]}",
            "policy": {"claim_ttl_ms": "1000"}, "order": "[\"a\",\"b\"]",
        });
        let read: Value = serde_json::from_str(&told(meant)).unwrap();
        assert_eq!(
            read,
            json!({
                "turn": 7, "limit": 20, "park": true, "cursor": "17",
                "handoff": {"status": "s", "next_action": "n", "artifacts": [{"path": "a", "lines": [1, 2], "role": "edit"}]},
                "policy": {"claim_ttl_ms": 1000}, "order": ["a", "b"],
            })
        );
    }

    #[test]
    fn a_list_in_place_of_an_object_is_found_without_the_schema() {
        let is_sure = |input: Value| Shape::of::<Input>().has_place_for_lists_of(input.as_object().unwrap());
        let artifacts =
            |artifacts: Value| json!({"handoff": {"status": "s", "next_action": "n", "artifacts": artifacts}});
        assert!(is_sure(json!({"turn": 1, "order": ["a"]})));
        assert!(is_sure(artifacts(json!([{"path": "a", "lines": [1, 2], "role": "edit"}]))));
        for unsure in [
            json!({"turn": [1]}),
            json!({"handoff": ["s", "n"]}),
            json!({"order": [["a"]]}),
            json!({"unknown": ["a"]}),
            json!({"policy": [1]}),
            artifacts(json!([["a", [1, 2], "edit"]])),
            artifacts(json!([{"path": ["a"], "role": "edit"}])),
        ] {
            assert!(!is_sure(unsure.clone()), "{unsure}");
        }
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place_and_in_plain_words() {
        let handoff =
            |artifact: Value| json!({"handoff": {"status": "s", "next_action": "n", "artifacts": [artifact]}});
        insta::assert_snapshot!(
            [
                told(json!({"turn": "soon"})),
                told(json!({"turn": -1})),
                told(json!({"turn": null})),
                told(json!({"handoff": null})),
                told(json!({"limit": 4_294_967_296_u64})),
                told(json!({"limit": 1.5})),
                told(json!({"park": 1})),
                told(json!({"handoff": ["s", "n"]})),
                told(json!({"handoff": "done"})),
                told(handoff(json!(["plan.md", [1, 2], "edit"]))),
                told(handoff(json!("plan.md"))),
                told(handoff(json!({"path": "plan.md", "role": "look"}))),
                told(handoff(json!({"path": "plan.md", "lines": [1, 2, 3], "role": "edit"}))),
                told(json!({"order": "ana"})),
                told(json!({"policy": {"claim_ttl_ms": {}}})),
            ]
            .join("\n"),
            @r#"
        turn: must be a whole number, not "soon"
        turn: must not be negative, like -1
        turn: must be a whole number, not null
        handoff: must be an object with status and next_action, not null
        limit: is too large, like 4294967296
        limit: must be a whole number, not 1.5
        park: must be true or false, not 1
        handoff: must be an object with status and next_action, not a list
        handoff: must be an object with status and next_action, not "done"
        handoff.artifacts[0]: must be an object with path and role, not a list
        handoff.artifacts[0]: must be an object with path and role, not "plan.md"
        handoff.artifacts[0].role: must be one of examine, review, edit, context, output, not "look"
        handoff.artifacts[0].lines: must be a list of 2, not of 3
        order: must be a list, not "ana"
        policy.claim_ttl_ms: must be a whole number, not an object
        "#
        );
    }
}
