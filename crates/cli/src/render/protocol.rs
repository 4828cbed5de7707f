//! Protocol events: the contract's labels as a sentence, and what each event says below it.

use baton_core::protocol::ProtocolEvent;
use serde_json::Value;

use super::words::{block, line};

/// What happened between whom, after the contract's label for it.
pub(super) fn sentence(event: &ProtocolEvent) -> String {
    let (label, from, to) =
        (event.label(), addressed(event.from_agent.as_deref()), addressed(event.to_agent.as_deref()));
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

/// Whom a message is from or for, as people say it.
pub(super) fn addressed(agent: Option<&str>) -> String {
    match agent {
        None => "someone".to_owned(),
        Some("broadcast") => "everybody".to_owned(),
        Some(name) => line(name),
    }
}

/// Its subject, if it is a message.
pub(super) fn subject(event: &ProtocolEvent) -> Option<&str> {
    event.payload.get("subject").and_then(Value::as_str)
}

/// What it says besides, indented.
pub(super) fn page(event: &ProtocolEvent) -> String {
    /// The parts of all payloads in the order they are read, and what people call them.
    const PARTS: [(&str, &str); 12] = [
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
            "owner_liveness" => block(label, &format!("{}, {text}", addressed(event.to_agent.as_deref()))),
            "resume_reason" => block(label, reason(text)),
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

/// Why an identity was resumed, as people say it.
fn reason(word: &str) -> &str {
    match word {
        "uncommitted_scope" => "uncommitted changes in its scope",
        "in_progress_ownership" => "work of its own in progress",
        other => other,
    }
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
