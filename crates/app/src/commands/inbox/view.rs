//! Messages as callers see them.

use baton_core::{
    bus::What,
    event::{Event, Recorded},
    ids::{AgentId, BeadId, Seq},
    inbox::{self, Category, Item, Stage, Urgency},
    limits,
    room::Room,
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::commands::bus::Delivery;

/// An item of an inbox, less the text of its message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ItemView {
    /// Its number, to read and accept it by.
    pub message: Seq,
    pub category: Category,
    /// What people call the sender.
    pub from_agent: String,
    pub from_agent_id: AgentId,
    /// As it was addressed: a name, `role:x` or `broadcast`.
    pub to_agent: String,
    pub subject: String,
    pub bead_id: Option<BeadId>,
    pub scope: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urgency: Option<Urgency>,
    pub requires_ack: bool,
    /// How far up the ladder it is.
    pub state: Stage,
    pub sent_at: Timestamp,
}

impl ItemView {
    pub(super) fn of(item: &Item, words: Words) -> Self {
        Self {
            message: item.message,
            category: item.category,
            from_agent: words.from_agent,
            from_agent_id: item.sender.clone(),
            to_agent: words.to_agent,
            subject: words.subject,
            bead_id: words.bead_id,
            scope: words.scope,
            urgency: words.urgency,
            requires_ack: item.requires_ack,
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
}

impl DeliveryView {
    pub(super) fn of(item: &Item, room: &Room) -> Self {
        let name = room.member(&item.recipient).map(|member| member.display_name.clone());
        Self {
            agent_id: item.recipient.clone(),
            agent: name.unwrap_or_else(|| item.recipient.to_string()),
            state: item.stage(),
            delivered_at: item.delivered_at,
            seen_at: item.seen_at,
            accepted_at: item.accepted_at,
        }
    }
}

/// What a listing tells of a message.
pub(super) struct Words {
    pub(super) from_agent: String,
    pub(super) to_agent: String,
    pub(super) subject: String,
    pub(super) bead_id: Option<BeadId>,
    scope: Option<String>,
    urgency: Option<Urgency>,
}

/// The words of an event that holds a message, by the protocol or on the bus.
pub(super) fn words(recorded: &Recorded) -> Option<Words> {
    if let Event::Inbox(inbox::Event::Sent(sent)) = &recorded.event {
        return Some(Words {
            from_agent: sent.from_agent.clone(),
            to_agent: sent.to_agent.clone(),
            subject: sent.payload.subject().to_owned(),
            bead_id: sent.bead_id.clone(),
            scope: sent.scope.clone(),
            urgency: match &sent.payload {
                inbox::Payload::Blocked { urgency, .. } => Some(*urgency),
                inbox::Payload::Handoff { .. } | inbox::Payload::Text { .. } => None,
            },
        });
    }
    let delivery = Delivery::of(recorded, None)?;
    let to = recorded.event.subject().map(ToString::to_string);
    Some(Words {
        from_agent: delivery.sender_name.clone(),
        to_agent: to.unwrap_or_else(|| baton_core::ids::BROADCAST.to_owned()),
        subject: first_line(&delivery.what),
        bead_id: None,
        scope: None,
        urgency: None,
    })
}

/// What an action asks for, in a line.
fn first_line(what: &What) -> String {
    let line = match what {
        What::Message { text, .. } => text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned(),
        What::Control { command, args: None } => format!("/{}", command.as_str()),
        What::Control { command, args: Some(args) } => format!("/{} {args}", command.as_str()),
    };
    line.trim().chars().take(limits::SUBJECT_BYTES).collect()
}
