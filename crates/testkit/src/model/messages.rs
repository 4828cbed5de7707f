//! The Anthropic Messages API, as far as `claude` uses it.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::talk::{Answer, Conversation, Event, Item, Manner, Offered, Talk, Written, each, plain, text_of};

/// The tool with which `claude` has hidden tools found.
const SEARCH: &str = "ToolSearch";

pub(super) fn read(body: &Value) -> Talk {
    let (hidden, shown): (Vec<&Value>, Vec<&Value>) =
        each(&body["tools"]).partition(|tool| tool["defer_loading"] == true);
    let hidden: HashSet<&str> = hidden.iter().filter_map(|tool| tool["name"].as_str()).collect();
    let offer = |tool: &&Value| {
        let name = text_of(tool, "name");
        let manner = if name == SEARCH { Manner::Search } else { Manner::Plain };
        Offered { manner, ..Offered::plain(&name) }
    };
    let format = body["output_config"].get("format").or_else(|| body.get("output_format"));
    let mut talk = Talk {
        conversation: Conversation::Named(session(body)),
        model: body["model"].clone(),
        instructions: plain(&body["system"]),
        offered: shown.iter().map(offer).collect(),
        items: Vec::new(),
        schema: format.and_then(|format| format.get("schema")).cloned(),
        streams: body["stream"] == true,
    };
    for message in each(&body["messages"]) {
        let assistant = message["role"] == "assistant";
        let said = |text: String| if assistant { Item::Said(text) } else { Item::User(text) };
        if let Some(text) = message["content"].as_str() {
            talk.items.push(said(text.to_owned()));
        }
        for block in each(&message["content"]) {
            match block["type"].as_str() {
                Some("text") => talk.items.push(said(text_of(block, "text"))),
                Some("tool_use") => talk.items.push(Item::Called { id: text_of(block, "id") }),
                Some("tool_result") => {
                    // What a search found is on offer from then on.
                    let found = each(&block["content"]).filter_map(|inner| inner["tool_name"].as_str());
                    talk.offered.extend(found.filter(|name| hidden.contains(name)).map(Offered::plain));
                    talk.items.push(Item::Returned {
                        id: text_of(block, "tool_use_id"),
                        text: without_reminder(plain(&block["content"])),
                        is_error: block["is_error"] == true,
                    });
                }
                // Thinking, which the model never sends, and pictures.
                _ => {}
            }
        }
    }
    talk
}

/// The session, which is in a text of JSON that the service is told about the user.
fn session(body: &Value) -> String {
    let user = body["metadata"]["user_id"].as_str().unwrap_or_default();
    serde_json::from_str::<Value>(user).map(|user| text_of(&user, "session_id")).unwrap_or_default()
}

/// What a tool gave, without what `claude` itself has to remind the model of.
fn without_reminder(text: String) -> String {
    match text.split_once("<system-reminder>") {
        Some((before, reminder)) if reminder.trim_end().ends_with("</system-reminder>") => before.trim_end().to_owned(),
        _ => text,
    }
}

pub(super) fn write(number: usize, model: &Value, answer: &Answer) -> Written {
    let (block, begun, delta, stop) = match answer {
        Answer::Say(text) => (
            json!({"type": "text", "text": text}),
            json!({"type": "text", "text": ""}),
            json!({"type": "text_delta", "text": text}),
            "end_turn",
        ),
        Answer::Call { id, tool, arguments } => (
            json!({"type": "tool_use", "id": id, "name": tool.full, "input": arguments}),
            json!({"type": "tool_use", "id": id, "name": tool.full, "input": {}}),
            json!({"type": "input_json_delta", "partial_json": arguments.to_string()}),
            "tool_use",
        ),
    };
    let usage = |output: u32| {
        json!({
            "input_tokens": 100, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "output_tokens": output,
        })
    };
    let whole = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model, "content": [block],
        "stop_reason": stop, "stop_sequence": null, "usage": usage(10),
    });
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    start["usage"] = usage(1);
    let ending = json!({"stop_reason": stop, "stop_sequence": null});
    let events = vec![
        ("message_start", json!({"message": start})),
        ("content_block_start", json!({"index": 0, "content_block": begun})),
        ("content_block_delta", json!({"index": 0, "delta": delta})),
        ("content_block_stop", json!({"index": 0})),
        ("message_delta", json!({"delta": ending, "usage": usage(10)})),
        ("message_stop", json!({})),
    ];
    Written { whole, events: events.into_iter().map(Event::typed).collect() }
}
