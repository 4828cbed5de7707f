//! Reading a command's input, strictly.

use baton_core::code::ErrorCode;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    plain::in_plain_words,
    shape::{Misfit, Shape, Sort, has_list},
};
use crate::Failure;

/// Reads an input strictly: a wrong type, a missing field or an unknown one is an error that names it. What can be meant in
/// one way only, like `"1"` for a number, is taken for that.
pub fn parse<T: DeserializeOwned + JsonSchema + 'static>(input: Value) -> Result<T, Failure> {
    let input = match input {
        Value::Null => Map::new(),
        Value::Object(fields) => fields,
        // A list would otherwise be read as the fields in their order.
        _ => return Err(Failure::new(ErrorCode::InvalidInput, "the input: must be an object").with("field", "")),
    };
    // The plain way first: to find out where it went wrong costs more, and mostly nothing does.
    if (!has_list(&input) || Shape::of::<T>().has_place_for_lists_of(&input))
        && let Ok(read) = T::deserialize(&input)
    {
        return Ok(read);
    }
    let mut whole = Value::Object(input);
    let shape = Shape::of::<T>();
    shape.fit(&mut whole);
    let misfit = shape.misfit(&whole);
    match (serde_path_to_error::deserialize(&whole), misfit) {
        (Ok(read), None | Some(Misfit { sort: Sort::Word | Sort::Other, .. })) => Ok(read),
        (Err(error), misfit) if !tells(misfit.as_ref(), &error) => {
            let problem = in_plain_words(&error.inner().to_string());
            Err(invalid(with_missing_field(error.path().to_string(), &problem), &problem))
        }
        (Ok(_) | Err(_), Some(Misfit { path, problem, .. })) => Err(invalid(path, &problem)),
        (Err(error), None) => Err(invalid(error.path().to_string(), &in_plain_words(&error.inner().to_string()))),
    }
}

/// Whether a misfit says more than the error.
fn tells(misfit: Option<&Misfit>, error: &serde_path_to_error::Error<serde_json::Error>) -> bool {
    match misfit {
        Some(Misfit { sort: Sort::Word, .. }) => error.inner().to_string().starts_with("unknown variant"),
        Some(_) => true,
        None => false,
    }
}

fn invalid(path: String, problem: &str) -> Failure {
    let (code, field) = match path.strip_prefix("handoff") {
        Some("") => (ErrorCode::InvalidHandoff, "handoff".to_owned()),
        Some(rest) if rest.starts_with('.') => (ErrorCode::InvalidHandoff, rest[1..].to_owned()),
        Some(_) | None if path == "." => (ErrorCode::InvalidInput, String::new()),
        Some(_) | None => (ErrorCode::InvalidInput, path.clone()),
    };
    let place = if path == "." { "the input".to_owned() } else { path };
    Failure::new(code, format!("{place}: {problem}")).with("field", field)
}

/// A field that is missing has no place of its own; serde names it only in its message.
fn with_missing_field(path: String, message: &str) -> String {
    let Some(field) = message.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) else {
        return path;
    };
    if path == "." { field.to_owned() } else { format!("{path}.{field}") }
}
