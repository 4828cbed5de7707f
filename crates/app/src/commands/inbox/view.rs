//! Messages as callers see them.

use baton_core::{
    agent::sender_kind,
    bus::{Status, What},
    envelope,
    event::{Event, Recorded},
    ids::{AgentId, BeadId, Seq},
    inbox::{self, Category, Item, Stage, Urgency},
    job,
    process::SessionKind,
    reference::Reference,
    room::Room,
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    bounds::first_line,
    commands::{bus::Delivery, envelope::called},
};

/// An item of an inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ItemView {
    /// Its number, to read and accept it by.
    pub message: Seq,
    pub category: Category,
    /// What people call the sender.
    pub from_agent: String,
    pub from_agent_id: AgentId,
    /// The kind of session behind the sender, while it sent; missing where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_kind: Option<SessionKind>,
    /// As it was addressed: a name, `role:x` or `broadcast`.
    pub to_agent: String,
    pub subject: String,
    /// The body, or its beginning. Only in a listing of your own inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Where the rest of it is, if it was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
    pub bead_id: Option<BeadId>,
    pub scope: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urgency: Option<Urgency>,
    pub requires_ack: bool,
    /// Whether what you do stops for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupts: bool,
    /// Where to open it.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    /// How far up the ladder it is.
    pub state: Stage,
    pub sent_at: Timestamp,
}

impl ItemView {
    pub(crate) fn of(item: &Item, words: Words) -> Self {
        Self {
            message: item.message,
            category: item.category,
            from_agent: words.from_agent,
            from_agent_id: item.sender.clone(),
            sender_kind: words.sender_kind,
            to_agent: words.to_agent,
            subject: words.subject,
            body: None,
            rest: None,
            bead_id: words.bead_id,
            scope: words.scope,
            urgency: words.urgency,
            requires_ack: item.requires_ack,
            interrupts: item.interrupts,
            reference: words.reference,
            state: item.stage(),
            sent_at: item.queued_at,
        }
    }
}

/// What became of a message with one recipient.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryView {
    pub agent_id: AgentId,
    /// What people call them.
    pub agent: String,
    pub state: Stage,
    pub delivered_at: Option<Timestamp>,
    pub seen_at: Option<Timestamp>,
    pub accepted_at: Option<Timestamp>,
    /// The note with which they accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The last that they said of an action of the bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Status>,
}

impl DeliveryView {
    pub(super) fn of(item: &Item, agent: String) -> Self {
        Self {
            agent_id: item.recipient.clone(),
            agent,
            state: item.stage(),
            delivered_at: item.delivered_at,
            seen_at: item.seen_at,
            accepted_at: item.accepted_at,
            note: item.note.clone(),
            result: None,
        }
    }
}

/// What a listing tells of a message.
#[derive(Default)]
pub(crate) struct Words {
    pub(crate) from_agent: String,
    pub(crate) to_agent: String,
    pub(crate) subject: String,
    pub(crate) bead_id: Option<BeadId>,
    scope: Option<String>,
    urgency: Option<Urgency>,
    pub(crate) reference: Option<Reference>,
    sender_kind: Option<SessionKind>,
}

/// The words of an event that holds a message: by the protocol, on the bus, in an envelope, or somebody's word.
pub(crate) fn words(recorded: &Recorded, room: &Room) -> Option<Words> {
    Some(Words { sender_kind: sender_kind(&recorded.event), ..text_of(recorded, room)? })
}

fn text_of(recorded: &Recorded, room: &Room) -> Option<Words> {
    match &recorded.event {
        Event::Inbox(inbox::Event::Sent(sent)) => Some(Words {
            from_agent: sent.from_agent.clone(),
            to_agent: sent.to_agent.clone(),
            subject: sent.payload.subject().to_owned(),
            bead_id: sent.bead_id.clone(),
            scope: sent.scope.clone(),
            urgency: match &sent.payload {
                inbox::Payload::Blocked { urgency, .. } => Some(*urgency),
                inbox::Payload::Handoff { .. } | inbox::Payload::Text { .. } => None,
            },
            ..Words::default()
        }),
        Event::Inbox(inbox::Event::Told(told)) => Some(Words {
            from_agent: told.from_name.clone(),
            to_agent: told.to_name.clone(),
            subject: first_line(&told.text),
            ..Words::default()
        }),
        Event::Envelope(envelope::Event::Sent(sent)) => Some(Words {
            from_agent: sent.from_name.clone(),
            to_agent: sent.to_name.clone(),
            subject: first_line(&sent.envelope.payload.message),
            reference: Some(Reference::Payload(sent.envelope.id.clone())),
            ..Words::default()
        }),
        Event::Job(job::Event::Manager(said)) => Some(Words {
            from_agent: called(room, &recorded.actor),
            to_agent: said.job.to_string(),
            subject: first_line(&said.message),
            reference: Some(Reference::JobEvent(said.job, recorded.seq)),
            ..Words::default()
        }),
        _ => of_bus(recorded, room),
    }
}

/// All that a message says besides its subject.
pub(crate) fn body(recorded: &Recorded) -> Option<String> {
    let text = match &recorded.event {
        Event::Inbox(inbox::Event::Sent(sent)) => match &sent.payload {
            inbox::Payload::Handoff { summary, next_action, .. } => format!("{summary}\nnext: {next_action}"),
            inbox::Payload::Blocked { blocker, requested_action, .. } => {
                format!("{blocker}\nrequest: {requested_action}")
            }
            inbox::Payload::Text { body, .. } => body.clone(),
        },
        Event::Inbox(inbox::Event::Told(told)) => told.text.clone(),
        Event::Envelope(envelope::Event::Sent(sent)) => sent.envelope.payload.message.clone(),
        Event::Job(job::Event::Manager(said)) => said.message.clone(),
        _ => match Delivery::of(recorded, None)?.what {
            What::Message { text, .. } => text,
            What::Control { .. } => return None,
        },
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn of_bus(recorded: &Recorded, room: &Room) -> Option<Words> {
    let delivery = Delivery::of(recorded, None)?;
    let to = recorded.event.subject().map(|agent| called(room, agent));
    let subject = match &delivery.what {
        What::Message { text, .. } => first_line(text),
        What::Control { command, args: None } => format!("/{}", command.as_str()),
        What::Control { command, args: Some(args) } => first_line(&format!("/{} {args}", command.as_str())),
    };
    Some(Words {
        from_agent: delivery.sender_name.clone(),
        to_agent: to.unwrap_or_else(|| baton_core::ids::BROADCAST.to_owned()),
        subject,
        ..Words::default()
    })
}
