//! What a command answered, as a tool result.
//!
//! The same JSON goes into `structuredContent` and into the text: two of the known clients show their model only
//! the one, two only the other. A failure is a result with `isError`, never a protocol error, which clients hide.

use baton_app::Failure;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use crate::blocking::Answer;

/// Longest result: what most of the known clients pass on whole.
const RESULT_CHARS: usize = 40_000;

/// Renders an answer. One that is too long loses its longest fields, and says which.
pub(crate) fn render(answer: Answer) -> CallToolResult {
    match answer {
        Ok(value) => {
            let (value, text) = bounded(value);
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(value);
            result
        }
        Err(failure) => refusal(&failure),
    }
}

/// Renders a failure.
pub(crate) fn refusal(failure: &Failure) -> CallToolResult {
    CallToolResult::structured_error(failure.to_json())
}

/// What was done has happened, so the caller must learn of it: a lease that is not told is a stick nobody can use.
fn bounded(value: Value) -> (Value, String) {
    let text = value.to_string();
    match (excess(&text), value) {
        (Some(length), Value::Object(fields)) => {
            let value = Value::Object(without_the_longest(fields, length));
            let text = value.to_string();
            (value, text)
        }
        (_, value) => (value, text),
    }
}

/// The number of characters, where they are too many.
fn excess(text: &str) -> Option<usize> {
    if text.len() <= RESULT_CHARS {
        return None;
    }
    Some(text.chars().count()).filter(|length| *length > RESULT_CHARS)
}

/// Leaves out the longest fields until the rest fits, and says which and how to read them.
fn without_the_longest(mut fields: Map<String, Value>, mut length: usize) -> Map<String, Value> {
    let mut sizes: Vec<_> =
        fields.iter().map(|(name, value)| (value.to_string().chars().count(), name.clone())).collect();
    sizes.sort();
    let mut cut = Map::new();
    while length > RESULT_CHARS
        && let Some((size, name)) = sizes.pop()
    {
        fields.remove(&name);
        length -= size;
        cut.insert(name, size.into());
    }
    fields.insert("cut".to_owned(), Value::Object(cut));
    let next = "The fields named in `cut` (with their length in characters) were left out; the call itself was carried \
                out. Handoffs can be read one by one with `get_room_events` and a `limit` of 1.";
    fields.insert("next".to_owned(), next.into());
    fields
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn long() -> Value {
        json!({"lease_id": "lease_1", "handoff": {"status": "ä".repeat(RESULT_CHARS)}, "turn_id": 7})
    }

    #[test]
    fn a_result_is_the_same_json_in_both_places() {
        let result = render(Ok(json!({"rooms": []})));
        let json = serde_json::to_value(result).unwrap();
        assert_eq!(json["content"][0]["text"], json["structuredContent"].to_string());
        assert_eq!(json["isError"], false);
    }

    #[test]
    fn a_grant_that_is_too_long_still_tells_the_lease() {
        let json = serde_json::to_value(render(Ok(long()))).unwrap();
        assert_eq!(json["isError"], false);
        let content = &json["structuredContent"];
        assert_eq!((&content["lease_id"], &content["turn_id"]), (&json!("lease_1"), &json!(7)));
        assert!(content.get("handoff").is_none() && content["cut"]["handoff"].as_u64() > Some(40_000));
    }
}
