//! The input of a command, from the path, the query, the body and the headers of a request.
//!
//! What must stay true: what a request says twice, it says the same both times; a field that nobody knows is refused, never
//! passed over.

use axum::http::{HeaderMap, HeaderName};
use baton_app::{
    Failure,
    table::{Command, Effect},
};
use baton_core::{code::ErrorCode, limits};
use serde_json::{Map, Value};

use super::fields::Field;
use crate::gate::only;

/// Names a request, so that it is carried out once however often it arrives.
const KEY_HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const KEY: &str = "idempotency_key";

/// Sets a field, unless the request says otherwise elsewhere.
pub(super) fn set(input: &mut Map<String, Value>, name: &str, value: Value) -> Result<(), Failure> {
    match input.get(name) {
        Some(given) if *given != value => {
            let message = format!("{name}: the request says two things.");
            Err(Failure::new(ErrorCode::InvalidInput, message).with("field", name))
        }
        _ => {
            input.insert(name.to_owned(), value);
            Ok(())
        }
    }
}

/// The input that a query is.
pub(super) fn from_query(query: &str, fields: &[Field]) -> Result<Map<String, Value>, Failure> {
    let mut input = Map::new();
    for (name, text) in form_urlencoded::parse(query.as_bytes()) {
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let shown: String = name.chars().take(limits::SHOWN_INPUT_CHARS).collect();
            let known: Vec<Value> = fields.iter().map(|field| field.name.as_str().into()).collect();
            return Err(Failure::new(ErrorCode::InvalidInput, format!("{shown:?} is no parameter here."))
                .with("field", shown)
                .with("parameters", known));
        };
        let value = field.read(&text);
        if field.is_list() {
            let list = input.entry(field.name.clone()).or_insert_with(|| Value::Array(Vec::new()));
            if let Some(list) = list.as_array_mut() {
                list.push(value);
            }
        } else {
            set(&mut input, &field.name, value)?;
        }
    }
    Ok(input)
}

/// Puts in the key that a header gives. A read is the same however often it is asked, so it needs none.
pub(super) fn with_key(
    mut input: Map<String, Value>,
    command: &Command,
    headers: &HeaderMap,
) -> Result<Map<String, Value>, Failure> {
    if matches!(command.effect, Effect::Write | Effect::Wait)
        && let Some(key) = only(headers, KEY_HEADER)?
    {
        set(&mut input, KEY, key.into())?;
    }
    Ok(input)
}
