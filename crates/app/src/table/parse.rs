//! Reading a command's input, strictly.

use baton_core::code::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Failure;

/// Reads an input strictly: a wrong type, a missing field or an unknown one is an error that names it.
pub(super) fn parse<T: DeserializeOwned>(input: Value) -> Result<T, Failure> {
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
