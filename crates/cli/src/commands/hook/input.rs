//! The input of a hook.
//!
//! Programs write JSON that readers of JSON refuse: half of a character that JavaScript cut in two is one. An edit must not
//! pass unasked because of a character in it.

use std::io::{self, Read as _};

use serde_json::{Value, json};

/// Most bytes of a hook's input: a tool call with the whole content of a file is in it.
const INPUT_BYTES: u64 = 32 * 1024 * 1024;

/// Events before a tool, as programs write them.
const GUARD_EVENTS: [&str; 2] = ["PreToolUse", "BeforeTool"];

pub(super) enum Input {
    Read(Value),
    /// No JSON; at least the event, if the text names one before a tool.
    Unreadable(Value),
}

impl Input {
    pub(super) const fn value(&self) -> &Value {
        match self {
            Self::Read(value) | Self::Unreadable(value) => value,
        }
    }
}

/// Reads standard input.
pub(super) fn read() -> Input {
    let mut text = Vec::new();
    // A part that arrived is no JSON, and told as that.
    let _ = io::stdin().lock().take(INPUT_BYTES).read_to_end(&mut text);
    parse(&text)
}

fn parse(text: &[u8]) -> Input {
    let read = serde_json::from_slice(text).or_else(|_| serde_json::from_slice(&with_whole_characters(text)));
    read.map_or_else(|_| Input::Unreadable(event_of(text)), Input::Read)
}

fn event_of(text: &[u8]) -> Value {
    let text = String::from_utf8_lossy(text);
    let event = GUARD_EVENTS.iter().find(|event| text.contains(&format!("\"{event}\"")));
    event.map_or(Value::Null, |event| json!({ "hook_event_name": event }))
}

/// The text with a replacement character in place of every escaped half of a character.
fn with_whole_characters(text: &[u8]) -> Vec<u8> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6).filter(|escape| escape.starts_with(b"\\u"))?.get(2..)?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut whole = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let (length, is_half) = match (byte, unit(at)) {
            (b'\\', Some(0xd800..=0xdbff)) if matches!(unit(at + 6), Some(0xdc00..=0xdfff)) => (12, false),
            (b'\\', Some(0xd800..=0xdfff)) => (6, true),
            (b'\\', _) => (2, false),
            _ => (1, false),
        };
        match text.get(at..at + length) {
            Some(_) if is_half => whole.extend_from_slice(b"\\ufffd"),
            Some(piece) => whole.extend_from_slice(piece),
            None => whole.extend_from_slice(&text[at..]),
        }
        at += length;
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Option<String> {
        match parse(text.as_bytes()) {
            Input::Read(value) => value["c"].as_str().map(str::to_owned),
            Input::Unreadable(_) => None,
        }
    }

    #[test]
    fn half_a_character_is_replaced_and_all_others_stay() {
        assert_eq!(content(r#"{"c": "half \ud83d emoji"}"#).unwrap(), "half \u{fffd} emoji");
        assert_eq!(content(r#"{"c": "\ud83d\ude00 \udc00 \\ud83d é"}"#).unwrap(), "😀 \u{fffd} \\ud83d é");
        assert_eq!(content(r#"{"c": "\ud83d"#), None);
        assert_eq!(content(r#"{"c": "\"#), None);
    }

    #[test]
    fn text_that_is_no_json_tells_at_least_its_event() {
        let event = |text: &str| match parse(text.as_bytes()) {
            Input::Unreadable(value) => value["hook_event_name"].as_str().map(str::to_owned),
            Input::Read(_) => panic!("{text} was read"),
        };
        assert_eq!(event(r#"{"hook_event_name":"PreToolUse","n":1e999}"#).as_deref(), Some("PreToolUse"));
        assert_eq!(event("{"), None);
    }
}
