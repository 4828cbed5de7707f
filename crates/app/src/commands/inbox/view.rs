//! Messages as callers see them.

use std::borrow::Cow;

use baton_core::{
    bus::Status,
    event::Recorded,
    ids::{AgentId, BROADCAST, BeadId, Seq},
    inbox::{Category, Content, Item, Payload, Stage, Urgency},
    process::SessionKind,
    reference::Reference,
    room::Room,
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{bounds::first_line, commands::envelope::called};

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

/// The words of an event that holds a message.
pub(crate) fn words(recorded: &Recorded, room: &Room) -> Option<Words> {
    let mail = recorded.mail()?;
    let words = match mail.content {
        Content::Text(text) => Words { subject: first_line(text), ..Words::default() },
        Content::Parts(sent) => Words {
            subject: sent.payload.subject().to_owned(),
            bead_id: sent.bead_id.clone(),
            scope: sent.scope.clone(),
            urgency: match &sent.payload {
                Payload::Blocked { urgency, .. } => Some(*urgency),
                Payload::Handoff { .. } | Payload::Text { .. } => None,
            },
            ..Words::default()
        },
        Content::Command(command, None) => Words { subject: format!("/{}", command.as_str()), ..Words::default() },
        Content::Command(command, Some(args)) => {
            Words { subject: first_line(&format!("/{} {args}", command.as_str())), ..Words::default() }
        }
    };
    let named = || recorded.event.subject().map_or_else(|| BROADCAST.to_owned(), |agent| called(room, agent));
    Some(Words {
        from_agent: mail.from_name.map_or_else(|| called(room, &recorded.actor), str::to_owned),
        to_agent: mail.to_name.map_or_else(named, Cow::into_owned),
        reference: mail.reference,
        sender_kind: mail.sender_kind,
        ..words
    })
}

/// All that a message says besides its subject.
pub(crate) fn body(recorded: &Recorded) -> Option<String> {
    let text = match recorded.mail()?.content {
        Content::Text(text) => text.to_owned(),
        Content::Parts(sent) => match &sent.payload {
            Payload::Handoff { summary, next_action, .. } => format!("{summary}\nnext: {next_action}"),
            Payload::Blocked { blocker, requested_action, .. } => format!("{blocker}\nrequest: {requested_action}"),
            Payload::Text { body, .. } => body.clone(),
        },
        Content::Command(..) => return None,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
