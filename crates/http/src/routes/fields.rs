//! The fields of a command's input, from its schema: so that a query, which is all text, is read as what each field is.

use baton_app::table::Command;
use serde_json::{Map, Value};

/// A field of an input.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    kind: Kind,
}

/// What the text of a field stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Number,
    Boolean,
    /// Given more than once, each as text.
    List,
    /// Written as JSON.
    Object,
}

/// The fields of a command's input, as its schema lists them.
pub(crate) fn fields(command: &Command) -> Vec<Field> {
    let schema = Value::from(command.input_schema());
    let definitions = schema.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let field = |(name, schema): (&String, &Value)| Field { name: name.clone(), kind: Kind::of(schema, &definitions) };
    properties.into_iter().flatten().map(field).collect()
}

impl Field {
    /// Whether it may be given more than once.
    pub(crate) fn is_list(&self) -> bool {
        self.kind == Kind::List
    }

    /// What the text stands for. One that it cannot stand for stays text, and the command says what is wrong with it.
    pub(crate) fn read(&self, text: &str) -> Value {
        let stays = || Value::from(text);
        match self.kind {
            Kind::Text | Kind::List => stays(),
            Kind::Integer => text
                .parse::<u64>()
                .map(Value::from)
                .or_else(|_| text.parse::<i64>().map(Value::from))
                .unwrap_or_else(|_| stays()),
            Kind::Number => text.parse::<f64>().map_or_else(|_| stays(), Value::from),
            Kind::Boolean => text.parse::<bool>().map_or_else(|_| stays(), Value::from),
            Kind::Object => serde_json::from_str(text).unwrap_or_else(|_| stays()),
        }
    }
}

impl Kind {
    fn of(schema: &Value, definitions: &Map<String, Value>) -> Self {
        let pointed = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
        if let Some(definition) = pointed.and_then(|name| definitions.get(name)) {
            return Self::of(definition, definitions);
        }
        let choices = ["anyOf", "oneOf"].into_iter().find_map(|word| schema.get(word)?.as_array());
        if let Some(choices) = choices {
            let choice = choices.iter().find(|choice| choice.get("type").and_then(Value::as_str) != Some("null"));
            return choice.map_or(Self::Text, |choice| Self::of(choice, definitions));
        }
        let name = match schema.get("type") {
            Some(Value::String(name)) => Some(name.as_str()),
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
            _ => None,
        };
        match name {
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("boolean") => Self::Boolean,
            Some("array") => Self::List,
            Some("object") => Self::Object,
            _ => Self::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_app::table;

    use super::*;

    #[test]
    fn the_text_of_a_query_is_read_as_what_the_field_is() {
        let fields = fields(table::find("room.events").unwrap());
        let field = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
        assert_eq!(field("limit").read("20"), Value::from(20));
        assert_eq!(field("after").read("x"), Value::from("x"));
        assert_eq!(field("room_id").read("20"), Value::from("20"));
    }
}
