//! The OpenAI Responses API, as far as `codex` uses it.

use serde_json::{Value, json};

use super::{
    talk::{Answer, Conversation, Event, Item, Manner, Offered, Talk, Written, each, plain, text_of},
    tools::CODEX_SEARCH,
};

pub(super) fn read(body: &Value) -> Talk {
    let mut talk = Talk {
        conversation: Conversation::Named(text_of(body, "prompt_cache_key")),
        model: body["model"].clone(),
        instructions: text_of(body, "instructions"),
        offered: Vec::new(),
        items: Vec::new(),
        schema: body["text"]["format"].get("schema").cloned(),
        streams: body["stream"] == true,
    };
    each(&body["tools"]).for_each(|tool| talk.offer(tool));
    each(&body["input"]).for_each(|item| talk.read(item));
    talk
}

impl Talk {
    fn read(&mut self, item: &Value) {
        let id = text_of(item, "call_id");
        match item["type"].as_str().unwrap_or("message") {
            "message" => match item["role"].as_str() {
                Some("assistant") => self.items.push(Item::Said(plain(&item["content"]))),
                Some("user") => self.items.push(Item::User(plain(&item["content"]))),
                _ => {
                    self.instructions.push_str(&plain(&item["content"]));
                    self.instructions.push('\n');
                }
            },
            "function_call" | "custom_tool_call" | "tool_search_call" => self.items.push(Item::Called { id }),
            "function_call_output" | "custom_tool_call_output" => {
                let text = without_wall_time(plain(&item["output"]));
                self.items.push(Item::Returned { id, text, is_error: false });
            }
            // Tools that were searched for, or announced on the way, are on offer from then on.
            "tool_search_output" => {
                each(&item["tools"]).for_each(|tool| self.offer(tool));
                self.items.push(Item::Returned { id, text: item["tools"].to_string(), is_error: false });
            }
            "additional_tools" => each(&item["tools"]).for_each(|tool| self.offer(tool)),
            // Reasoning and the like, which the model never sends.
            _ => {}
        }
    }

    fn offer(&mut self, tool: &Value) {
        let name = text_of(tool, "name");
        match tool["type"].as_str() {
            Some("namespace") => {
                let inner = each(&tool["tools"]).map(|inner| {
                    let manner = if runs_code(inner) { Manner::Code } else { Manner::Plain };
                    let inner = text_of(inner, "name");
                    let full = format!("{}__{inner}", name.trim_end_matches("__"));
                    Offered { full, name: inner, namespace: Some(name.clone()), manner }
                });
                self.offered.extend(inner);
            }
            Some("tool_search") => {
                self.offered.push(Offered { manner: Manner::Search, ..Offered::plain(CODEX_SEARCH) });
            }
            Some("custom") => self.offered.push(Offered { manner: Manner::Text, ..Offered::plain(&name) }),
            _ if !name.is_empty() => self.offered.push(Offered::plain(&name)),
            // A tool of the service itself, such as a search of the web.
            _ => self.offered.push(Offered::plain(&text_of(tool, "type"))),
        }
    }
}

/// Whether a tool is the one through which the newer models of `codex` call all others.
fn runs_code(tool: &Value) -> bool {
    tool["type"] == "custom" && tool["name"] == "exec" && text_of(tool, "description").contains("ALL_TOOLS")
}

/// What a tool gave, without the time it took, which `codex` puts before it.
fn without_wall_time(text: String) -> String {
    let timed = text.strip_prefix("Script completed\n").unwrap_or(&text);
    match timed.split_once("\nOutput:") {
        Some((head, rest)) if head.starts_with("Wall time") && !head.contains('\n') => {
            rest.strip_prefix('\n').unwrap_or(rest).to_owned()
        }
        _ => text,
    }
}

pub(super) fn write(number: usize, model: &Value, answer: &Answer) -> Written {
    let id = format!("resp_{number}");
    let (item, between) = match answer {
        Answer::Say(text) => message(number, text),
        Answer::Call { id, tool, arguments } => call(id, tool, arguments),
    };
    let whole = json!({
        "id": id, "object": "response", "status": "completed", "model": model, "output": [item],
        "usage": {
            "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 10, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 110,
        },
    });
    let created = json!({"id": id, "object": "response", "status": "in_progress", "model": model, "output": []});
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    if begun.get("content").is_some() {
        begun["content"] = json!([]);
    }
    let mut events = vec![
        ("response.created", json!({"response": created})),
        ("response.output_item.added", json!({"output_index": 0, "item": begun})),
    ];
    events.extend(between);
    events.push(("response.output_item.done", json!({"output_index": 0, "item": item})));
    events.push(("response.completed", json!({"response": whole})));
    for (n, (_, data)) in events.iter_mut().enumerate() {
        data["sequence_number"] = json!(n);
    }
    Written { whole, events: events.into_iter().map(Event::typed).collect() }
}

type Events = Vec<(&'static str, Value)>;

fn message(number: usize, text: &str) -> (Value, Events) {
    let id = format!("msg_{number}");
    let item = json!({
        "type": "message", "role": "assistant", "id": id, "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    });
    let empty = json!({"type": "output_text", "text": "", "annotations": []});
    let at = |mut event: Value| {
        event["item_id"] = json!(id);
        event["output_index"] = json!(0);
        event["content_index"] = json!(0);
        event
    };
    let events = vec![
        ("response.content_part.added", at(json!({"part": empty}))),
        ("response.output_text.delta", at(json!({"delta": text}))),
        ("response.output_text.done", at(json!({"text": text}))),
    ];
    (item, events)
}

fn call(id: &str, tool: &Offered, arguments: &Value) -> (Value, Events) {
    let item_id = format!("item_{id}");
    let text = arguments.to_string();
    let mut item = json!({"id": item_id, "call_id": id, "status": "completed"});
    let mut events = Vec::new();
    match tool.manner {
        Manner::Search => {
            item["type"] = json!("tool_search_call");
            item["execution"] = json!("client");
            item["arguments"] = arguments.clone();
            return (item, events);
        }
        Manner::Text | Manner::Code => {
            item["type"] = json!("custom_tool_call");
            item["input"] = arguments.clone();
        }
        Manner::Plain => {
            item["type"] = json!("function_call");
            item["arguments"] = json!(text);
            let delta = json!({"item_id": item_id, "output_index": 0, "delta": text});
            let done = json!({"item_id": item_id, "output_index": 0, "arguments": text});
            events.push(("response.function_call_arguments.delta", delta));
            events.push(("response.function_call_arguments.done", done));
        }
    }
    item["name"] = json!(tool.name);
    if let Some(namespace) = &tool.namespace {
        item["namespace"] = json!(namespace);
    }
    (item, events)
}
