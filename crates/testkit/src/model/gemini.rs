//! The Gemini API, as far as `gemini` uses it.

use serde_json::{Value, json};

use super::{
    http::Request,
    talk::{Answer, Conversation, Event, Item, Offered, Talk, Written, each, plain, text_of},
};

const STREAMED: &str = ":streamGenerateContent";
const WHOLE: &str = ":generateContent";

/// Whether a path asks the model to go on.
pub(super) fn is_path(path: &str) -> bool {
    path.ends_with(STREAMED) || path.ends_with(WHOLE)
}

pub(super) fn read(request: &Request, body: &Value) -> Talk {
    let declared = each(&body["tools"]).flat_map(|group| each(&group["functionDeclarations"]));
    let format = &body["generationConfig"];
    let mut talk = Talk {
        conversation: Conversation::Begun(plain(&body["contents"][0]["parts"])),
        // The model is a part of the address.
        model: json!(request.path.rsplit('/').next().and_then(|last| last.split(':').next())),
        instructions: plain(&body["systemInstruction"]["parts"]),
        offered: declared.map(|tool| Offered::plain(&text_of(tool, "name"))).collect(),
        items: Vec::new(),
        schema: format.get("responseJsonSchema").or_else(|| format.get("responseSchema")).cloned(),
        streams: request.path.ends_with(STREAMED),
    };
    for content in each(&body["contents"]) {
        let by_model = content["role"] == "model";
        for part in each(&content["parts"]) {
            if let Some(call) = part.get("functionCall") {
                talk.items.push(Item::Called { id: text_of(call, "id") });
            } else if let Some(returned) = part.get("functionResponse") {
                talk.items.push(returned_item(returned));
            } else if let Some(text) = part["text"].as_str().filter(|text| !text.is_empty()) {
                let text = text.to_owned();
                talk.items.push(if by_model { Item::Said(text) } else { Item::User(text) });
            }
        }
    }
    talk
}

fn returned_item(returned: &Value) -> Item {
    let response = &returned["response"];
    let failed = response.get("error");
    let text = plain(failed.or_else(|| response.get("output")).unwrap_or(response));
    let trusted =
        text.strip_prefix("<untrusted_context>\n").and_then(|text| text.strip_suffix("\n</untrusted_context>"));
    let text = trusted.unwrap_or(&text).to_owned();
    Item::Returned { id: text_of(returned, "id"), text, is_error: failed.is_some() }
}

pub(super) fn write(model: &Value, answer: &Answer) -> Written {
    let part = match answer {
        Answer::Say(text) => json!({"text": text}),
        Answer::Call { id, tool, arguments } => {
            json!({"functionCall": {"id": id, "name": tool.full, "args": arguments}})
        }
    };
    let whole = json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110},
        "modelVersion": model,
    });
    Written { events: vec![Event::unnamed(whole.clone())], whole }
}
