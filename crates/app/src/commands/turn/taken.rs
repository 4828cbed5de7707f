//! What a turn consumes, in full.

use baton_core::{
    agent::sender_kind,
    bus::What,
    envelope::{self, Envelope},
    event::{Event, Recorded},
    ids::{AgentId, Seq},
    inbox::{self, Category, Item, Payload},
    job,
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
    commands::bus::{Delivery, delivery},
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
    /// An item and the event that holds it. Nothing, if no event of that kind lies in inboxes. `delivery` is what it is on
    /// the bus.
    pub(crate) fn of(item: &Item, recorded: &Recorded, delivery: Option<Delivery>, room: &Room) -> Option<Self> {
        let name = room.member(&item.sender).map(|member| member.display_name.clone());
        let taken = Self {
            message: item.message,
            reference: None,
            from: item.sender.clone(),
            from_name: name.unwrap_or_else(|| item.sender.to_string()),
            sender_kind: sender_kind(&recorded.event),
            category: item.category,
            interrupts: item.interrupts,
            requires_ack: item.requires_ack,
            sent_at: item.queued_at,
            text: String::new(),
            envelope: None,
            payload: None,
            delivery: None,
            refs: Vec::new(),
        };
        match &recorded.event {
            Event::Inbox(inbox::Event::Sent(sent)) => Some(Self {
                from_name: sent.from_agent.clone(),
                text: in_words(&sent.payload),
                payload: Some(sent.payload.clone()),
                ..taken
            }),
            Event::Inbox(inbox::Event::Told(told)) => {
                Some(Self { from_name: told.from_name.clone(), text: told.text.clone(), ..taken })
            }
            Event::Envelope(envelope::Event::Sent(sent)) => Some(Self {
                reference: Some(Reference::Payload(sent.envelope.id.clone())),
                from_name: sent.from_name.clone(),
                text: sent.envelope.payload.message.clone(),
                envelope: Some((*sent.envelope).clone()),
                ..taken
            }),
            Event::Job(job::Event::Manager(said)) => Some(Self {
                reference: Some(Reference::JobEvent(said.job, recorded.seq)),
                text: said.message.clone(),
                refs: said.refs.clone(),
                ..taken
            }),
            _ => delivery.map(|delivery| Self {
                from_name: delivery.sender_name.clone(),
                text: match &delivery.what {
                    What::Message { text, .. } => text.clone(),
                    What::Control { command, .. } => format!("/{}", command.as_str()),
                },
                delivery: Some(delivery),
                ..taken
            }),
        }
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
