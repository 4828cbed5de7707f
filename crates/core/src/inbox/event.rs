//! What happens to messages and their items.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Category, Item, Letter, Payload};
use crate::{
    event::{Concern, Recorded, events},
    ids::{AgentId, BeadId, Seq},
    process::SessionKind,
    turn::TurnId,
};

events! {
    /// A message was sent.
    "message.send" => Sent,
    /// A recipient was told of items.
    "inbox.deliver" => Delivered,
    /// A recipient read an item.
    "inbox.see" => Seen,
    /// A recipient accepted an item.
    "inbox.accept" => Accepted,
    /// Items went on with the identity they were for.
    "inbox.forward" => Forwarded,
    /// A person said something to an agent.
    "message.tell" => Told,
}

/// A message was sent.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sent {
    /// What sort of message it is.
    pub category: Category,
    /// What its sender is called.
    pub from_agent: String,
    /// The kind of session behind its sender, while it sent. It is missing where that is not known, so nobody is taken for
    /// a person by their id.
    pub sender_kind: Option<SessionKind>,
    /// Whom it was addressed to: a name, `role:x` or `broadcast`.
    pub to_agent: String,
    /// Who gets it.
    pub recipients: Vec<Recipient>,
    /// What it is about.
    pub bead_id: Option<BeadId>,
    /// Which paths it is about.
    pub scope: Option<String>,
    /// What it says.
    pub payload: Payload,
}

/// Who gets a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recipient {
    /// Who.
    pub agent_id: AgentId,
    /// What they are called.
    pub name: String,
    /// Whether it ends their wait.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wakes: bool,
}

/// A recipient was told of items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Delivered {
    /// The messages.
    pub items: Vec<Seq>,
}

/// A recipient read an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// The message.
    pub item: Seq,
    /// Who sent it.
    pub sender: AgentId,
    /// In which turn of the recipient's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
}

/// A recipient accepted an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Accepted {
    /// The message.
    pub item: Seq,
    /// Who sent it.
    pub sender: AgentId,
    /// What the recipient said to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Items went on with the identity they were for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Forwarded {
    /// The messages.
    pub items: Vec<Seq>,
    /// Whose they were.
    pub from: AgentId,
    /// Whose they are.
    pub to: AgentId,
}

/// A person said something to an agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Told {
    /// To whom.
    pub to: AgentId,
    /// What they are called.
    pub to_name: String,
    /// What the person is called.
    pub from_name: String,
    /// The kind of session behind its sender, while it sent. It is missing where that is not known, so nobody is taken for
    /// a person by their id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_kind: Option<SessionKind>,
    /// What.
    pub text: String,
    /// Whether what the agent does is stopped for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupts: bool,
}

impl Told {
    /// What it puts into the agent's inbox, once it is recorded.
    pub fn item(&self, recorded: &Recorded) -> Item {
        let (category, interrupts) = (Category::User, self.interrupts);
        let letter = Letter { category, requires_ack: false, wakes: true, interrupts };
        Item::queued(recorded, &self.to, letter)
    }
}

impl Sent {
    /// The items that it puts into inboxes, once it is recorded.
    pub fn items(&self, recorded: &Recorded) -> Vec<Item> {
        let (category, requires_ack) = (self.category, self.payload.requires_ack());
        let letter = |wakes| Letter { category, requires_ack, wakes, interrupts: false };
        let item = |recipient: &Recipient| Item::queued(recorded, &recipient.agent_id, letter(recipient.wakes));
        self.recipients.iter().map(item).collect()
    }
}

impl Event {
    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Sent(sent) => match sent.recipients.as_slice() {
                [one] => Some(&one.agent_id),
                _ => None,
            },
            Self::Delivered(_) => None,
            Self::Seen(seen) => Some(&seen.sender),
            Self::Accepted(accepted) => Some(&accepted.sender),
            Self::Forwarded(forwarded) => Some(&forwarded.from),
            Self::Told(told) => Some(&told.to),
        }
    }

    /// Who should hear of it first: those whose wait it ends.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        let sent = match self {
            Self::Sent(sent) => sent,
            Self::Told(told) => return Concern::One(&told.to),
            Self::Delivered(_) | Self::Seen(_) | Self::Accepted(_) | Self::Forwarded(_) => return Concern::Nobody,
        };
        let mut woken = sent.recipients.iter().filter(|recipient| recipient.wakes);
        match (woken.next(), woken.next()) {
            (None, _) => Concern::Nobody,
            (Some(one), None) => Concern::One(&one.agent_id),
            (Some(_), Some(_)) => Concern::Everyone,
        }
    }
}
