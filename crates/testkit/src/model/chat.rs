//! The OpenAI Chat Completions API, as far as `opencode` uses it.

use serde_json::{Value, json};

use super::{
    http::Request,
    talk::{Answer, Conversation, Event, Item, Offered, Talk, Written, each, plain, text_of},
};

/// The header in which `opencode` names the session.
const SESSION: &str = "x-session-id";

pub(super) fn read(request: &Request, body: &Value) -> Talk {
    let offered = each(&body["tools"]).map(|tool| Offered::plain(&text_of(&tool["function"], "name")));
    let mut talk = Talk {
        conversation: Conversation::Named(request.header(SESSION).unwrap_or_default().to_owned()),
        model: body["model"].clone(),
        instructions: String::new(),
        offered: offered.collect(),
        items: Vec::new(),
        schema: body["response_format"]["json_schema"].get("schema").cloned(),
        streams: body["stream"] == true,
    };
    for message in each(&body["messages"]) {
        let text = plain(&message["content"]);
        match message["role"].as_str() {
            Some("tool") => {
                talk.items.push(Item::Returned { id: text_of(message, "tool_call_id"), text, is_error: false });
            }
            Some("assistant") => {
                if !text.is_empty() {
                    talk.items.push(Item::Said(text));
                }
                let calls = each(&message["tool_calls"]);
                talk.items.extend(calls.map(|call| Item::Called { id: text_of(call, "id") }));
            }
            Some("user") => talk.items.push(Item::User(text)),
            _ => talk.instructions.push_str(&text),
        }
    }
    talk
}

pub(super) fn write(number: usize, model: &Value, answer: &Answer) -> Written {
    let (message, delta, finish) = match answer {
        Answer::Say(text) => {
            (json!({"role": "assistant", "content": text}), json!({"role": "assistant", "content": text}), "stop")
        }
        Answer::Call { id, tool, arguments } => {
            let call = json!({
                "id": id, "type": "function",
                "function": {"name": tool.full, "arguments": arguments.to_string()},
            });
            let mut indexed = call.clone();
            indexed["index"] = json!(0);
            (
                json!({"role": "assistant", "content": null, "tool_calls": [call]}),
                json!({"role": "assistant", "tool_calls": [indexed]}),
                "tool_calls",
            )
        }
    };
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110});
    let id = format!("chatcmpl_{number}");
    let whole = json!({
        "id": id, "object": "chat.completion", "created": 0, "model": model, "usage": usage,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    });
    let chunk = |delta: Value, finish: Value| {
        Event::unnamed(json!({
            "id": id, "object": "chat.completion.chunk", "created": 0, "model": model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }))
    };
    let mut last = chunk(json!({}), json!(finish));
    last.data["usage"] = usage;
    Written { whole, events: vec![chunk(delta, Value::Null), last] }
}
