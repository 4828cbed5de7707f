//! Protocol events: the contract's labels as a sentence, and what each event says below it.

use baton_core::protocol::ProtocolEvent;
use serde_json::Value;

use super::words::{block, line};

/// What happened between whom, after the contract's label for it.
pub(super) fn sentence(event: &ProtocolEvent) -> String {
    let name = |agent: &Option<String>| agent.as_deref().map_or_else(|| "someone".to_owned(), line);
    let (label, from, to) = (event.label(), name(&event.from_agent), name(&event.to_agent));
    match event.event_type.as_str() {
        "HANDOFF" => format!("{label} {to} by {from}"),
        "BLOCKED" => format!("{label}: {from} asks {to}"),
        "DECISION" => format!("{label} by {from}, for {to}"),
        "INFO" => format!("{label} to {to} by {from}"),
        "INCURSION" => format!("{label}: {from} came upon {to} in {}", line(event.scope.as_deref().unwrap_or("/"))),
        "RESUME" => format!("{label}: {from} goes on as {to}"),
        _ => format!("{label}: {from} to {to}"),
    }
}

/// What it says, indented.
pub(super) fn page(event: &ProtocolEvent) -> String {
    /// The parts of all payloads in the order they are read, and what people call them.
    const PARTS: [(&str, &str); 13] = [
        ("subject", "subject"),
        ("summary", "summary"),
        ("next_action", "next"),
        ("blocker", "blocker"),
        ("requested_action", "request"),
        ("urgency", "urgency"),
        ("body", "text"),
        ("incursion_kind", "overlap"),
        ("owner_liveness", "owner"),
        ("prior_session_agent", "before"),
        ("resume_reason", "reason"),
        ("evidence", "evidence"),
        ("resolution_hint", "next"),
    ];
    let said = |(part, label): &(&str, &str)| {
        let text = event.payload.get(part).and_then(Value::as_str)?;
        Some(match *part {
            "owner_liveness" => block(label, &format!("{}, {text}", event.to_agent.as_deref().unwrap_or("someone"))),
            "resume_reason" => block(label, &text.replace('_', " ")),
            _ => block(label, text),
        })
    };
    let mut page: String = PARTS.iter().filter_map(said).collect();
    let about = about(event);
    if !about.is_empty() {
        page.push_str(&block("about", &about.join(", ")));
    }
    page
}

/// Which work and which paths it is about.
fn about(event: &ProtocolEvent) -> Vec<String> {
    let beads = event.payload.get("bead_ids").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let all = beads.iter().filter_map(Value::as_str).map(str::to_owned);
    let mut about: Vec<String> = all.collect();
    if about.is_empty() {
        about.extend(event.bead_id.as_ref().map(ToString::to_string));
    }
    // Of an incursion the sentence says it.
    about.extend(event.scope.clone().filter(|_| event.event_type != "INCURSION"));
    about
}
