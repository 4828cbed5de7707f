//! Messages: those that came, one of them whole, and what became of those that were sent.

use baton_app::commands::inbox::{DeliveryView, ItemView, ReadResult, SendResult, SentView};
use baton_core::{
    ids::BeadId,
    inbox::{Stage, Urgency},
    protocol::{ACCEPTED_LABEL, SEEN_LABEL},
    reference::Reference,
    time::Timestamp,
};

use super::{
    bus,
    envelope::envelope_body,
    protocol,
    words::{ago, block, columns, line, listing},
};

/// Items of an inbox, a line each.
pub(crate) fn item_lines(items: &[ItemView], now: Timestamp) -> String {
    let row = |item: &ItemView| {
        let category = match item.urgency {
            Some(Urgency::High) => format!("{} (high)", item.category.as_str()),
            Some(Urgency::Low) => format!("{} (low)", item.category.as_str()),
            Some(Urgency::Medium) | None => item.category.as_str().to_owned(),
        };
        let is_envelope = matches!(item.reference, Some(Reference::Payload(_)));
        let to_accept = match (awaits(item.requires_ack, item.state), is_envelope) {
            (true, true) => ", to answer",
            (true, false) => ", to accept",
            (false, _) if item.interrupts && item.state < Stage::Seen => ", an interrupt",
            (false, _) => "",
        };
        [
            format!("{:>5}", item.message.0),
            line(&item.from_agent),
            category,
            format!("{}{to_accept}", label(item.state)),
            format!("sent {}", ago(item.sent_at, now)),
            subject(&item.subject, item.bead_id.as_ref()),
        ]
    };
    let lines = columns(&items.iter().map(row).collect::<Vec<_>>());
    let mut text = String::new();
    for (item, head) in items.iter().zip(lines.lines()) {
        text.push_str(head);
        text.push('\n');
        for said in item.body.iter().flat_map(|body| body.lines()).map(line).filter(|said| !said.is_empty()) {
            text.push_str(&format!("         {said}\n"));
        }
    }
    text
}

/// A message, whole, and what is left to do about it.
pub(crate) fn message_page(read: &ReadResult, now: Timestamp) -> String {
    let Some(event) = &read.event else { return page_of_others(read, now) };
    let next = match (read.accepted_at, read.requires_ack) {
        (Some(at), _) => format!("{ACCEPTED_LABEL} {}.\n", ago(at, now)),
        (None, true) => {
            format!("{SEEN_LABEL}. Its sender waits for you to accept it.\nnext: baton ack {}\n", read.message)
        }
        (None, false) => format!("{SEEN_LABEL}.\n"),
    };
    format!(
        "{} (message {}, sent {})\n{}{}\n{next}",
        protocol::sentence(event),
        read.message,
        ago(event.created_at, now),
        protocol::subject(event).map_or_else(String::new, |subject| block("subject", subject)),
        protocol::page(event)
    )
}

/// An envelope, or what a person or a manager said, whole.
fn page_of_others(read: &ReadResult, now: Timestamp) -> String {
    let (from, message) = (line(&read.from_agent), read.message);
    let head = |what: &str| format!("{from} {what} (message {message})\n");
    if let Some(envelope) = &read.envelope {
        let owes = read.requires_ack && read.accepted_at.is_none();
        let next = match owes {
            true => format!(
                "{SEEN_LABEL}. {from} waits for a response.\nnext: baton handoff {} … --in-reply-to {}\n",
                envelope.reply_to(),
                envelope.id
            ),
            false => format!("{SEEN_LABEL}.\n"),
        };
        return head(&format!("hands you a {}", envelope.kind))
            + &envelope_body(envelope, &read.from_agent)
            + "\n"
            + &next;
    }
    if let Some(text) = &read.text {
        let refs: Vec<String> = read.refs.iter().map(ToString::to_string).collect();
        let refs = if refs.is_empty() { String::new() } else { block("refs", &refs.join(", ")) };
        return format!("{}{}{refs}\n{SEEN_LABEL}.\n", head("says"), block("text", text));
    }
    page_of_bus(read, now)
}

/// An action or a message of the bus, whole, and how to report on it.
fn page_of_bus(read: &ReadResult, now: Timestamp) -> String {
    let Some(delivery) = &read.delivery else { return String::new() };
    let accepted = read.accepted_at.map(|at| format!("{ACCEPTED_LABEL} {}.\n", ago(at, now)));
    let next = match (&delivery.action_id, accepted) {
        (Some(_), None) => format!("next: baton ack {} --status completed  (or rejected, error)\n", read.message),
        (_, Some(accepted)) => accepted,
        (None, None) => format!("{SEEN_LABEL}.\n"),
    };
    format!(
        "{} (message {}, sent {})\n{}\n{next}",
        bus::delivery_sentence(delivery),
        read.message,
        ago(delivery.created_at, now),
        bus::delivery_body(delivery)
    )
}

/// That a message was sent, and to whom.
pub(crate) fn sent_sentence(sent: &SendResult) -> String {
    let requires_ack = sent.event.payload.get("requires_ack").and_then(serde_json::Value::as_bool) == Some(true);
    let to_accept = match (requires_ack, sent.recipients.len()) {
        (false, _) => "",
        (true, 1) => ", who has to accept it",
        (true, _) => ", who have to accept it",
    };
    let recipients: Vec<_> = sent.recipients.iter().map(|name| line(name)).collect();
    format!(
        "Message {} is queued for {}{to_accept}.\nnext: baton inbox sent  (what becomes of it)\n",
        sent.message,
        listing(&recipients)
    )
}

/// A message that was sent, and how far it is with each recipient.
pub(crate) fn sent_page(sent: &SentView, now: Timestamp) -> String {
    let mut page = format!(
        "{:>5}  {} to {}, sent {}: {}\n",
        sent.message.0,
        sent.category.as_str(),
        protocol::addressed(Some(&sent.to_agent)),
        ago(sent.sent_at, now),
        subject(&sent.subject, sent.bead_id.as_ref())
    );
    let row = |delivery: &DeliveryView| {
        let at = match delivery.state {
            Stage::Queued => None,
            Stage::Delivered => delivery.delivered_at,
            Stage::Seen => delivery.seen_at,
            Stage::Accepted => delivery.accepted_at,
        };
        let when = at.map_or_else(String::new, |at| format!(" {}", ago(at, now)));
        let open = if awaits(sent.requires_ack, delivery.state) { ", not accepted yet" } else { "" };
        let note = delivery.note.as_ref().map_or_else(String::new, |note| format!(": {}", line(note)));
        // What became of an action says more than that it was accepted.
        let state =
            delivery.result.map_or_else(|| label(delivery.state).to_string(), |result| result.as_str().to_owned());
        [" ".repeat(5), line(&delivery.agent), format!("{state}{when}{open}{note}")]
    };
    page.push_str(&columns(&sent.deliveries.iter().map(row).collect::<Vec<_>>()));
    page
}

/// A subject, and what the message is about.
pub(super) fn subject(text: &str, bead: Option<&BeadId>) -> String {
    let bead = bead.map_or_else(String::new, |bead| format!(" ({bead})"));
    line(text) + &bead
}

fn awaits(requires_ack: bool, stage: Stage) -> bool {
    requires_ack && stage < Stage::Accepted
}

/// How far a message is, in the contract's words for people.
fn label(stage: Stage) -> &'static str {
    match stage {
        Stage::Queued => "Queued",
        Stage::Delivered => "Delivered",
        Stage::Seen => SEEN_LABEL,
        Stage::Accepted => ACCEPTED_LABEL,
    }
}
