//! Messages as callers see them.

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, BeadId, Seq},
    inbox::{self, Category, Item, Sent, Stage, Urgency},
    room::Room,
    time::Timestamp,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
    pub(super) fn of(item: &Item, sent: &Sent) -> Self {
        Self {
            message: item.message,
            category: item.category,
            from_agent: sent.from_agent.clone(),
            from_agent_id: item.sender.clone(),
            to_agent: sent.to_agent.clone(),
            subject: sent.payload.subject().to_owned(),
            bead_id: sent.bead_id.clone(),
            scope: sent.scope.clone(),
            urgency: match &sent.payload {
                inbox::Payload::Blocked { urgency, .. } => Some(*urgency),
                inbox::Payload::Handoff { .. } | inbox::Payload::Text { .. } => None,
            },
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

/// The message in an event that holds one.
pub(super) fn message(recorded: &Recorded) -> Option<&Sent> {
    match &recorded.event {
        Event::Inbox(inbox::Event::Sent(sent)) => Some(sent),
        _ => None,
    }
}
