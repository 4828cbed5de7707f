//! A route as an operation of the document.

use baton_app::table::Command;
use serde_json::{Map, Value, json};

use super::{
    answers,
    schemas::{OfCommand, Schemas, never_null, pointing_to, without},
};
use crate::routes::{Resource, Stream, Verb};

/// What a header parameter is called in the document.
pub(super) const AGENT: &str = "BatonAgent";
/// The same for the key of a request.
pub(super) const KEY: &str = "IdempotencyKey";

/// The operation of `POST /v1/call/…`.
pub(super) fn of_call(schemas: &OfCommand) -> Value {
    let command = schemas.command;
    let name = command.wire_name();
    json!({
        "operationId": format!("call.{name}"),
        "tags": [tag(name)],
        "summary": command.about,
        "parameters": headers(schemas.takes_key),
        "requestBody": body(pointing_to(&input_name(command)), is_needed(&schemas.input)),
        "responses": answers::of_route(answered(command)),
    })
}

/// The operation of a resource route.
pub(super) fn of_resource(resource: &Resource, all: &Schemas) -> Option<Value> {
    let OfCommand { command, takes_key, input, .. } = all.of(resource.command)?;
    let in_path: Vec<&str> = resource.in_path().collect();
    let properties = input.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let required: Vec<&str> =
        input.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let mut parameters = headers(*takes_key);
    for (name, schema) in &properties {
        let place = match in_path.contains(&name.as_str()) {
            true => "path",
            false if resource.verb.has_body() || resource.always == Some(name) => continue,
            false => "query",
        };
        parameters.push(parameter(name, place, schema, place == "path" || required.contains(&name.as_str())));
    }
    let mut own = answered(command);
    if let Some(about) = streamed(resource.stream) {
        parameters.push(json!({
            "name": "Last-Event-ID", "in": "header", "schema": { "type": "integer", "minimum": 0 },
            "description": "For a stream: the last id that you have",
        }));
        own["content"]["text/event-stream"] = json!({ "schema": { "type": "string", "description": about } });
    }
    let mut operation = json!({
        "operationId": format!("{}.{}", verb(resource.verb), resource.path.trim_start_matches("/v1/").replace(['/', '{', '}'], "_")),
        "tags": [tag(resource.command)],
        "summary": command.about,
        "description": format!("Calls `{}`.", resource.command),
        "parameters": parameters,
        "responses": answers::of_route(own),
    });
    if resource.verb.has_body() {
        let fields: Vec<&str> = in_path.into_iter().chain(resource.always).collect();
        let rest = without(input, &fields);
        operation["requestBody"] = body(rest.clone(), is_needed(&rest));
    }
    Some(operation)
}

/// What a command's input is called in the document.
pub(super) fn input_name(command: &Command) -> String {
    format!("{}.input", command.wire_name())
}

/// The same for its output.
pub(super) fn output_name(command: &Command) -> String {
    format!("{}.output", command.wire_name())
}

/// The method as the document writes it.
pub(super) const fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Get => "get",
        Verb::Post => "post",
        Verb::Patch => "patch",
        Verb::Delete => "delete",
    }
}

/// What a stream has in it.
const fn streamed(stream: Stream) -> Option<&'static str> {
    match stream {
        Stream::No => None,
        Stream::Events => Some("`id:` is the place in the log, `event:` the type, `data:` the record"),
        Stream::Actions => Some(
            "What is submitted to the agent that speaks, which is connected until the stream ends: `id:` is the place of \
             the submission, `data:` an `action.submit` with one action",
        ),
    }
}

fn answered(command: &Command) -> Value {
    let schema = answers::envelope(command.wire_name(), pointing_to(&output_name(command)));
    json!({ "description": "It was done", "content": { "application/json": { "schema": schema } } })
}

fn headers(takes_key: bool) -> Vec<Value> {
    let names = [Some(AGENT), takes_key.then_some(KEY)];
    names.into_iter().flatten().map(|name| json!({ "$ref": format!("#/components/parameters/{name}") })).collect()
}

fn parameter(name: &str, place: &str, schema: &Value, required: bool) -> Value {
    let mut parameter = json!({ "name": name, "in": place, "required": required, "schema": never_null(schema) });
    let about = schema.get("description").cloned();
    if let (Some(parameter), Some(about)) = (parameter.as_object_mut(), about) {
        parameter.insert("description".to_owned(), about);
    }
    parameter
}

fn body(schema: Value, required: bool) -> Value {
    json!({ "required": required, "content": { "application/json": { "schema": schema } } })
}

fn is_needed(schema: &Value) -> bool {
    schema.get("required").and_then(Value::as_array).is_some_and(|required| !required.is_empty())
}

fn tag(command: &str) -> &str {
    command.split('.').next().unwrap_or(command)
}

/// Adds an operation to a path.
pub(super) fn add(paths: &mut Map<String, Value>, path: &str, verb: &str, operation: Value) {
    let entry = paths.entry(path.to_owned()).or_insert_with(|| json!({}));
    if let Some(entry) = entry.as_object_mut() {
        entry.insert(verb.to_owned(), operation);
    }
}
