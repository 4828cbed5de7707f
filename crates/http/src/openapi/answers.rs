//! What can come back: the envelope of an answer, and that of a "no" with each status it may have.

use std::collections::BTreeMap;

use baton_core::code::ErrorCode;
use serde_json::{Map, Value, json};

use super::schemas::pointing_to;
use crate::answer::status;

/// The schema of a "no".
pub(super) const REFUSED: &str = "Refused";

/// The schema of a "no", as all routes have it.
pub(super) fn refused() -> Value {
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    json!({
        "description": "A refusal is an answer: nothing was changed, and it says why and what to do next.",
        "type": "object",
        "properties": {
            "ok": { "const": false },
            "command": { "type": "string", "description": "What was called, or nothing if it did not come to that" },
            "error": {
                "type": "object",
                "properties": {
                    "code": { "enum": codes },
                    "error": { "enum": codes, "description": "The same" },
                    "message": { "type": "string" },
                    "next": { "type": "string", "description": "What to do next" },
                },
                "required": ["code", "error", "message", "next"],
                "additionalProperties": true,
            },
        },
        "required": ["ok", "command", "error"],
        "additionalProperties": false,
    })
}

/// The envelope of an answer of `command`.
pub(super) fn envelope(command: &str, output: Value) -> Value {
    json!({
        "type": "object",
        "properties": { "ok": { "const": true }, "command": { "const": command }, "data": output },
        "required": ["ok", "command", "data"],
        "additionalProperties": false,
    })
}

/// The answers that every route may give instead of its own, by name.
pub(super) fn shared() -> Map<String, Value> {
    let mut codes: BTreeMap<u16, Vec<&str>> = BTreeMap::new();
    for code in ErrorCode::ALL {
        codes.entry(status(*code).as_u16()).or_default().push(code.as_str());
    }
    let answer = |(status, codes): (u16, Vec<&str>)| {
        let mut answer = json!({
            "description": codes.join(", "),
            "content": { "application/json": { "schema": pointing_to(REFUSED) } },
        });
        if status == 429 || status == 503 {
            let seconds = json!({ "description": "Seconds", "schema": { "type": "integer", "minimum": 1 } });
            answer["headers"] = json!({ "Retry-After": seconds });
        }
        (format!("No{status}"), answer)
    };
    codes.into_iter().map(answer).collect()
}

/// The answers of a route: its own, and every "no".
pub(super) fn of_route(own: Value) -> Value {
    let mut answers = Map::from_iter([("200".to_owned(), own)]);
    for name in shared().keys() {
        let status = name.trim_start_matches("No").to_owned();
        answers.insert(status, json!({ "$ref": format!("#/components/responses/{name}") }));
    }
    Value::Object(answers)
}
