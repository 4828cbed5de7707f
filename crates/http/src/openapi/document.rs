//! The document as a whole.

use std::sync::OnceLock;

use axum::{http::StatusCode, response::Response};
use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::{
    answers,
    operation::{self, AGENT, KEY, add, input_name, output_name, verb},
    schemas::Schemas,
};
use crate::{answer, routes::RESOURCES};

const VERSION: &str = "3.1.0";

/// Gives the document, which is written once: the tables do not change.
pub(crate) async fn document() -> Response {
    static DOCUMENT: OnceLock<Bytes> = OnceLock::new();
    let text = DOCUMENT.get_or_init(|| Bytes::from(written().to_string()));
    answer::json(StatusCode::OK, text.clone())
}

fn written() -> Value {
    let schemas = Schemas::collect();
    let mut document = json!({
        "openapi": VERSION,
        "info": {
            "title": "Baton",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "The command table over HTTP. `POST /v1/call/{command}` calls any command; the other routes are \
                            the same commands by what they are about. Every answer is an envelope.",
        },
        "security": [{ "token": [] }, { "browser": [] }],
        "paths": paths(&schemas),
        "components": {
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "browser": {
                    "type": "apiKey", "in": "cookie", "name": "baton_PORT",
                    "description": "What a one-time ticket is exchanged for at /login",
                },
            },
            "parameters": parameters(),
            "responses": answers::shared(),
            "schemas": all_schemas(schemas),
        },
    });
    without_own_formats(&mut document);
    document
}

/// Takes away formats of numbers that are ours and not OpenAPI's, like `uint64`. What they bound, `minimum` says.
fn without_own_formats(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("format").and_then(Value::as_str).is_some_and(|format| format.starts_with("uint")) {
                fields.shift_remove("format");
            }
            fields.values_mut().for_each(without_own_formats);
        }
        Value::Array(items) => items.iter_mut().for_each(without_own_formats),
        _ => {}
    }
}

fn paths(schemas: &Schemas) -> Map<String, Value> {
    let mut paths = Map::new();
    let plain = |about: &str, kind: &str, schema: Value| {
        let content = Map::from_iter([(kind.to_owned(), json!({ "schema": schema }))]);
        json!({ "summary": about, "responses": answers::of_route(json!({ "description": about, "content": content })) })
    };
    let text = || json!({ "type": "string" });
    let mut health = plain(
        "Whether it runs",
        "application/json",
        json!({
            "type": "object",
            "properties": { "ok": { "type": "boolean" }, "version": { "type": "string" }, "uptime_s": { "type": "integer" } },
            "required": ["ok"],
        }),
    );
    health["security"] = json!([{}, { "token": [] }, { "browser": [] }]);
    add(&mut paths, "/healthz", "get", health);
    add(&mut paths, "/metrics", "get", plain("Numbers for Prometheus", "application/openmetrics-text", text()));
    add(&mut paths, "/openapi.json", "get", plain("This document", "application/json", json!({ "type": "object" })));
    for of_command in &schemas.commands {
        let path = format!("/v1/call/{}", of_command.command.wire_name());
        add(&mut paths, &path, "post", operation::of_call(of_command));
    }
    for resource in RESOURCES {
        if let Some(operation) = operation::of_resource(resource, schemas) {
            add(&mut paths, resource.path, verb(resource.verb), operation);
        }
    }
    paths
}

fn parameters() -> Value {
    json!({
        AGENT: {
            "name": "Baton-Agent", "in": "header",
            "schema": { "type": "string", "pattern": "^[A-Za-z0-9._@+-]{1,128}$" },
            "description": "The agent of the token's holder that speaks; without it the holder does",
        },
        KEY: {
            "name": "Idempotency-Key", "in": "header",
            "schema": { "type": "string", "pattern": "^[!-~]{1,128}$" },
            "description": "Names the request, so that it is carried out once however often it arrives",
        },
    })
}

fn all_schemas(schemas: Schemas) -> Map<String, Value> {
    let mut all = schemas.mentioned;
    all.insert(answers::REFUSED.to_owned(), answers::refused());
    for of_command in schemas.commands {
        all.insert(input_name(of_command.command), of_command.input);
        all.insert(output_name(of_command.command), of_command.output);
    }
    all
}

#[cfg(test)]
mod tests {
    use baton_app::table::TABLE;

    use super::*;

    fn references(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn the_document_lists_every_command_and_every_resource() {
        let document = written();
        for command in TABLE {
            let path = format!("/v1/call/{}", command.wire_name());
            assert!(document["paths"][&path]["post"].is_object(), "{path}");
        }
        for resource in RESOURCES {
            let operation = &document["paths"][resource.path][verb(resource.verb)];
            assert!(operation.is_object(), "{}", resource.path);
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = written();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 100);
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
        }
    }
}
