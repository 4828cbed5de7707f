//! What a turn consumes, in full.

use baton_core::{
    envelope::Envelope,
    event::Recorded,
    ids::{AgentId, Seq},
    inbox::{Category, Content, Item, Payload},
    process::SessionKind,
    reference::Reference,
    room::Room,
    time::Timestamp,
};
use baton_store::log;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Failure,
    commands::{
        bus::{Delivery, delivery},
        envelope::sent,
    },
    packs::called,
    unit::Change,
};

/// An item of an inbox that a turn has, with all that it says.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Taken {
    /// Its number.
    pub message: Seq,
    /// What opens it, where it is more than a message.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    pub from: AgentId,
    /// What people call the sender.
    pub from_name: String,
    /// The kind of session behind the sender, while it sent; missing where that is not known.
    pub sender_kind: Option<SessionKind>,
    pub category: Category,
    /// Whether what the agent did was stopped for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupts: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_ack: bool,
    pub sent_at: Timestamp,
    /// What it says, in words.
    pub text: String,
    /// The envelope that it is.
    pub envelope: Option<Envelope>,
    /// The parts of a protocol message.
    pub payload: Option<Payload>,
    /// An action or a message of the bus.
    pub delivery: Option<Delivery>,
    /// What else it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
}

/// Items with all that they say, in their order. The log has it.
pub(crate) fn taken(change: &mut Change<'_>, items: &[Item]) -> Result<Vec<Taken>, Failure> {
    let messages: Vec<Seq> = items.iter().map(|item| item.message).collect();
    let events = log::find_all(change.store.tx()?, &change.room.id, &messages)?;
    let mut told = Vec::with_capacity(items.len());
    for item in items {
        let Some(recorded) = events.iter().find(|recorded| recorded.seq == item.message) else { continue };
        let delivery = delivery(change, recorded)?;
        told.extend(Taken::of(item, recorded, delivery, &change.room));
    }
    Ok(told)
}

impl Taken {
    /// An item and the event that holds it. Nothing, if the event holds no message. `delivery` is what it is on the bus.
    pub(crate) fn of(item: &Item, recorded: &Recorded, delivery: Option<Delivery>, room: &Room) -> Option<Self> {
        let mail = recorded.mail()?;
        let (text, payload) = match mail.content {
            Content::Text(text) => (text.to_owned(), None),
            Content::Parts(sent) => (in_words(&sent.payload), Some(sent.payload.clone())),
            Content::Command(command, _) => (format!("/{}", command.as_str()), None),
        };
        Some(Self {
            message: item.message,
            reference: mail.reference,
            from: item.sender.clone(),
            from_name: mail.from_name.map_or_else(|| called(room, &item.sender), str::to_owned),
            sender_kind: mail.sender_kind,
            category: item.category,
            interrupts: item.interrupts,
            requires_ack: item.requires_ack,
            sent_at: item.queued_at,
            text,
            envelope: sent(recorded).map(|sent| (*sent.envelope).clone()),
            payload,
            delivery,
            refs: mail.refs.to_vec(),
        })
    }
}

/// A protocol message as it is read.
fn in_words(payload: &Payload) -> String {
    match payload {
        Payload::Handoff { subject, summary, next_action, .. } => {
            format!("{subject}\n\n{summary}\n\nWhat to do first: {next_action}")
        }
        Payload::Blocked { subject, blocker, requested_action, .. } => {
            format!("{subject}\n\n{blocker}\n\nWhat would help: {requested_action}")
        }
        Payload::Text { subject, body, .. } => format!("{subject}\n\n{body}"),
    }
}
