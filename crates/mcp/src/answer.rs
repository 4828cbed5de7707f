//! What a command answered, as a tool result.
//!
//! The same JSON goes into `structuredContent` and into the text: two of the known clients show their model only
//! the one, two only the other. An answer that is nothing but lines is text as it is, which reads better and costs less.
//! A failure is a result with `isError`, never a protocol error, which clients hide.

use std::borrow::Cow;

use baton_app::{Envelope, Failure, boundary::Interrupt};
use baton_core::process::SessionKind;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value};

use crate::blocking::Answer;

/// Longest result: what most of the known clients pass on whole.
const RESULT_CHARS: usize = 40_000;
/// Of that for an envelope, and for saying what a long answer had to leave out.
const RESERVED_CHARS: usize = 500;
/// The field of an answer that is meant to be read as it is.
const LINES: &str = "lines";

/// In which form a tool answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the contract of a tool of its own has it.
    Plain,
    /// In an envelope that names the command, as portals do.
    Enveloped(Cow<'static, str>),
}

/// Renders an answer. One that is too long loses its longest fields or last lines, and says so.
pub(crate) fn render(form: &Form, answer: Answer) -> CallToolResult {
    match answer {
        Ok(data) => {
            let (mut value, mut text) = form.answer(data);
            // What was done has happened, so the caller must learn of it: a lease that is not told is a stick nobody
            // can use.
            if let Some(length) = excess(&text) {
                (value, text) = form.answer(shortened(form.data(value), length, form.advice()));
            }
            result(CallToolResult::success, value, text)
        }
        Err(failure) => {
            let value = form.refusal(&failure);
            let text = text(&value);
            result(CallToolResult::error, value, text)
        }
    }
}

/// A result with what its caller is interrupted for, before all else.
pub(crate) fn interrupted(mut result: CallToolResult, interrupts: &[Interrupt]) -> CallToolResult {
    if interrupts.is_empty() {
        return result;
    }
    let said = |interrupt: &Interrupt| {
        let Interrupt { message, from, text, sender_kind, .. } = interrupt;
        let person = if sender_kind.is_some_and(SessionKind::is_person) { ", a person" } else { "" };
        format!("INTERRUPT from {from}{person} (message {message}): {text}\n")
    };
    let head: String = interrupts.iter().map(said).collect();
    let list = serde_json::to_value(interrupts).unwrap_or_default();
    if let Some(Value::Object(fields)) = &mut result.structured_content {
        fields.shift_insert(0, "interrupt".to_owned(), list);
    }
    let text = result.content.first().and_then(|block| block.as_text()).map(|block| block.text.clone());
    if let Some(first) = result.content.first_mut() {
        *first = ContentBlock::text(head + &text.unwrap_or_default());
    }
    result
}

fn result(make: fn(Vec<ContentBlock>) -> CallToolResult, value: Value, text: String) -> CallToolResult {
    let mut result = make(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
}

impl Form {
    /// An answer as structure and as text.
    fn answer(&self, data: Value) -> (Value, String) {
        let (value, lines) = match self {
            Self::Plain => (data, None),
            Self::Enveloped(command) => {
                let lines = lines(&data).map(str::to_owned);
                (Envelope::answered(command, data).into_json(), lines)
            }
        };
        let text = lines.unwrap_or_else(|| text(&value));
        (value, text)
    }

    /// What the command itself answered.
    fn data(&self, mut value: Value) -> Value {
        match self {
            Self::Plain => value,
            Self::Enveloped(_) => value["data"].take(),
        }
    }

    fn refusal(&self, failure: &Failure) -> Value {
        match self {
            Self::Plain => failure.to_json(),
            Self::Enveloped(command) => Envelope::refused(command, failure).into_json(),
        }
    }

    /// How to get what did not fit.
    const fn advice(&self) -> &'static str {
        match self {
            Self::Plain => "Handoffs can be read one by one with `get_room_events` and a `limit` of 1.",
            Self::Enveloped(_) => "Ask for fewer with `limit`, or for one at a time.",
        }
    }
}

/// JSON as text. [`Value`]'s own `Display` goes through a formatter, piece by piece, for every byte of every answer.
fn text(value: &Value) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| value.to_string())
}

/// The lines of an answer that has nothing else.
fn lines(data: &Value) -> Option<&str> {
    let fields = data.as_object().filter(|fields| fields.len() == 1)?;
    fields.get(LINES)?.as_str()
}

/// The number of characters, where they are too many.
fn excess(text: &str) -> Option<usize> {
    if text.len() <= RESULT_CHARS {
        return None;
    }
    Some(text.chars().count()).filter(|length| *length > RESULT_CHARS)
}

/// What fits of an answer that is `length` characters long.
fn shortened(data: Value, length: usize, advice: &str) -> Value {
    if let Some(lines) = lines(&data) {
        return Value::Object(Map::from_iter([(LINES.to_owned(), first_lines(lines, advice).into())]));
    }
    match data {
        Value::Object(fields) => Value::Object(without_the_longest(fields, length, advice)),
        data => data,
    }
}

/// The lines that fit, and one that counts the others.
fn first_lines(text: &str, advice: &str) -> String {
    let mut left = RESULT_CHARS - RESERVED_CHARS;
    let mut kept: Vec<Cow<'_, str>> = Vec::new();
    for line in text.lines() {
        match left.checked_sub(line.chars().count() + 1) {
            Some(rest) => left = rest,
            None => break,
        }
        kept.push(line.into());
    }
    let cut = text.lines().count() - kept.len();
    kept.push(format!("cut: {cut} more lines did not fit. {advice}").into());
    kept.join("\n")
}

/// Leaves out the longest fields until the rest fits, and says which and how to read them.
fn without_the_longest(mut fields: Map<String, Value>, mut length: usize, advice: &str) -> Map<String, Value> {
    let mut sizes: Vec<_> =
        fields.iter().map(|(name, value)| (value.to_string().chars().count(), name.clone())).collect();
    sizes.sort();
    let mut cut = Map::new();
    while length > RESULT_CHARS - RESERVED_CHARS
        && let Some((size, name)) = sizes.pop()
    {
        fields.shift_remove(&name);
        length -= size;
        cut.insert(name, size.into());
    }
    fields.insert("cut".to_owned(), Value::Object(cut));
    let next = format!(
        "The fields named in `cut` (with their length in characters) were left out; the call itself was carried out. \
         {advice}"
    );
    fields.insert("next".to_owned(), next.into());
    fields
}

#[cfg(test)]
mod tests {
    use baton_core::code::ErrorCode;
    use serde_json::json;

    use super::*;

    const RADAR: Form = Form::Enveloped(Cow::Borrowed("jobs.radar"));

    fn rendered(form: &Form, answer: Answer) -> Value {
        serde_json::to_value(render(form, answer)).unwrap()
    }

    #[test]
    fn a_result_is_the_same_json_in_both_places() {
        let refusal = Failure::new(ErrorCode::Internal, "It broke.");
        for (form, answer) in [
            (Form::Plain, Ok(json!({"rooms": []}))),
            (Form::Plain, Err(refusal.clone())),
            (RADAR, Ok(json!({"jobs": []}))),
            (RADAR, Err(refusal)),
        ] {
            let is_error = answer.is_err();
            let json = rendered(&form, answer);
            assert_eq!(json["content"][0]["text"], json["structuredContent"].to_string());
            assert_eq!(json["isError"], is_error);
        }
    }

    #[test]
    fn what_somebody_is_interrupted_for_stands_before_all_else() {
        let interrupts = [Interrupt {
            message: baton_core::ids::Seq(7),
            from: "ana".to_owned(),
            sender_kind: Some(SessionKind::Human),
            text: "stop that".to_owned(),
            sent_at: baton_core::time::Timestamp::from_millis(0),
        }];
        let said = "INTERRUPT from ana, a person (message 7): stop that\n";
        for answer in [Ok(json!({"jobs": []})), Err(Failure::new(ErrorCode::Internal, "It broke."))] {
            let plain = rendered(&RADAR, answer.clone());
            let json = serde_json::to_value(interrupted(render(&RADAR, answer), &interrupts)).unwrap();
            let text = json["content"][0]["text"].as_str().unwrap();
            assert_eq!(text, format!("{said}{}", plain["content"][0]["text"].as_str().unwrap()));
            assert_eq!(json["structuredContent"]["interrupt"][0]["text"], "stop that");
            assert_eq!(
                (&json["isError"], &json["structuredContent"]["ok"]),
                (&plain["isError"], &plain["structuredContent"]["ok"])
            );
        }
        let quiet = render(&RADAR, Ok(json!({"jobs": []})));
        assert_eq!(json!(interrupted(quiet.clone(), &[])), json!(quiet));
    }

    #[test]
    fn an_answer_of_nothing_but_lines_is_read_as_lines() {
        let json = rendered(&RADAR, Ok(json!({"lines": "jobs_radar count=1\nJOB-001@5 ? JOB-001"})));
        assert_eq!(json["content"][0]["text"], "jobs_radar count=1\nJOB-001@5 ? JOB-001");
        let data = json!({"lines": "jobs_radar count=1\nJOB-001@5 ? JOB-001"});
        assert_eq!(json["structuredContent"], json!({"ok": true, "command": "jobs.radar", "data": data}));
        let beside = rendered(&RADAR, Ok(json!({"lines": "a line", "has_more": true})));
        assert_eq!(beside["content"][0]["text"], beside["structuredContent"].to_string(), "nothing is kept back");
    }

    #[test]
    fn lines_that_do_not_fit_are_cut_between_lines_and_counted() {
        let line = "ä".repeat(99);
        let json = rendered(&RADAR, Ok(json!({"lines": vec![line.as_str(); 1000].join("\n")})));
        let text = json["content"][0]["text"].as_str().unwrap();
        assert!(text.chars().count() <= RESULT_CHARS);
        let (last, kept) =
            text.lines().collect::<Vec<_>>().split_last().map(|(last, kept)| (*last, kept.len())).unwrap();
        assert_eq!((kept, text.lines().next()), (395, Some(line.as_str())));
        assert_eq!(last, "cut: 605 more lines did not fit. Ask for fewer with `limit`, or for one at a time.");
        assert_eq!(json["structuredContent"]["data"]["lines"], text);
    }

    #[test]
    fn an_answer_that_is_too_long_still_tells_what_was_done() {
        let long = json!({"lease_id": "lease_1", "handoff": {"status": "ä".repeat(RESULT_CHARS)}, "turn_id": 7});
        let plain = rendered(&Form::Plain, Ok(long.clone()));
        let enveloped = rendered(&RADAR, Ok(long));
        for (json, content) in
            [(&plain, &plain["structuredContent"]), (&enveloped, &enveloped["structuredContent"]["data"])]
        {
            assert_eq!(json["isError"], false);
            assert_eq!((&content["lease_id"], &content["turn_id"]), (&json!("lease_1"), &json!(7)));
            assert!(content.get("handoff").is_none() && content["cut"]["handoff"].as_u64() > Some(40_000));
            assert!(json["content"][0]["text"].as_str().unwrap().chars().count() <= RESULT_CHARS);
        }
        assert_eq!(enveloped["structuredContent"]["command"], "jobs.radar");
    }
}
