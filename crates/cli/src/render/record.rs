//! The stream of a session: each event of the bus as a sentence. What the bus has no words for is told as in the timeline.

use baton_app::{bus::Record, view::RoomEvent};
use baton_core::ids::AgentId;
use serde_json::Value;

use super::{
    event::{Names, row, told},
    words::line,
};

/// An event as a row.
pub(crate) fn record_line(record: &Record, names: &Names) -> String {
    let head = format!("{:>5}  {}  ", record.seq, record.ts);
    match said(record, names) {
        Some(sentence) => row(&head, &sentence, ""),
        None => match of_room(record) {
            Some(event) => {
                let (sentence, below) = told(&event, names);
                row(&head, &sentence, &below)
            }
            None => row(&head, &format!("{} {}", name(names, &record.src), record.kind), ""),
        },
    }
}

fn name(names: &Names, agent: &AgentId) -> String {
    names.get(agent).map_or_else(|| agent.to_string(), |name| line(name))
}

/// What happened in the bus's own words.
fn said(record: &Record, names: &Names) -> Option<String> {
    let Record { dst, payload, .. } = record;
    let src = name(names, &record.src);
    let field = |name: &str| payload.get(name).and_then(Value::as_str);
    let action = field("action_id").map_or_else(String::new, |action| format!(" ({action})"));
    let with = |word: &str, name: &str| field(name).map_or_else(String::new, |text| format!("{word}{text}"));
    let to = dst.as_ref().map_or_else(|| "everybody".to_owned(), |agent| name(names, agent));
    let called = field("name").map(line).unwrap_or_default();
    let id = field("id").unwrap_or_default();
    let task = field("task_id").unwrap_or_default();
    Some(match record.kind.as_str() {
        "message.created" if field("category").is_some() => {
            format!("{src} told {to} ({}): {}", field("category")?, field("text")?)
        }
        "message.created" if field("kind") == Some("reply") => {
            format!("{src} replies to {to}{action}: {}", field("text")?)
        }
        "message.created" if field("action_id").is_some() => format!("{src} asks {to}{action}: {}", field("text")?),
        "message.created" => format!("{src} told {to}: {}", field("text")?),
        "action.submitted" => format!("{src} asks {to}{action}: /{}{}", field("command")?, with(" ", "args")),
        "action.result" => {
            let data = payload.get("data");
            let begun = data.and_then(|data| data.get("new_context_id")).and_then(Value::as_str);
            let begun = begun.map_or_else(String::new, |context| format!(", begins {context}"));
            format!("{src} to {to}{action}: {}{begun}{}", field("status")?, with(": ", "detail"))
        }
        "envelope.sent" => {
            let envelope = payload.get("envelope")?;
            let message = envelope.get("payload")?.get("message")?.as_str()?;
            format!("{src} handed payload://{} to {to}: {message}", envelope.get("id")?.as_str()?)
        }
        "task.updated" => format!("{src}: {task} is {}{}", field("status")?, with(": ", "title")),
        "task.done" => format!("{src}: {task} is done{}", with(": ", "summary")),
        "agent.added" => format!("{id} joined as {called}"),
        "agent.removed" => format!("{} left", id.parse().map_or_else(|_| id.to_owned(), |id| name(names, &id))),
        "agent.updated" => match (field("status"), field("previous_name")) {
            (Some(status), _) => format!("{id} is {status}{}", with(": ", "detail")),
            (None, Some(was)) => format!("{id} is called {called} from now on: was {}", line(was)),
            (None, None) => format!("{id} is back as {called}"),
        },
        "session.created" => format!("{src} opened the session{}", with(" ", "name")),
        "session.updated" => format!("{src} called the session {called}"),
        "session.closed" => format!("{src} closed the session{}", with(": ", "reason")),
        _ => return None,
    })
}

/// The event as a room tells it: what the bus has in its envelope is put back.
fn of_room(record: &Record) -> Option<RoomEvent> {
    let mut event = record.payload.as_object()?.clone();
    event.insert("event_seq".to_owned(), serde_json::to_value(record.seq).ok()?);
    event.insert("event_id".to_owned(), record.id.clone().into());
    event.insert("event_type".to_owned(), RoomEvent::word(&record.kind).into());
    event.insert("created_at".to_owned(), serde_json::to_value(record.ts).ok()?);
    serde_json::from_value(event.into()).ok()
}

#[cfg(test)]
mod tests;
