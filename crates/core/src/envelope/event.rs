//! What happens to envelopes and edges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Envelope, EnvelopeKind, Expectation};
use crate::{
    event::{Concern, Recorded, events},
    ids::{AgentId, Seq},
    inbox::{Category, Item, Letter},
    process::SessionKind,
};

events! {
    /// An agent handed something to another.
    "envelope.send" => Sent,
    /// What an agent is owed and owes, and its edges, went on with its identity.
    "envelope.forward" => Forwarded,
    /// Two agents may hand things to each other.
    "edge.set" => EdgeSet,
    /// They may not any more.
    "edge.remove" => EdgeRemoved,
}

/// An agent handed something to another.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sent {
    /// What.
    pub envelope: Box<Envelope>,
    /// What its sender is called.
    pub from_name: String,
    /// The kind of session behind its sender, while it sent. It is missing where that is not known, so nobody is taken for
    /// a person by their id.
    pub sender_kind: Option<SessionKind>,
    /// What its recipient is called.
    pub to_name: String,
    /// The envelope that it answers.
    pub answers: Option<Seq>,
}

/// What an agent is owed and owes, and its edges, went on with its identity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Forwarded {
    /// Whose they were.
    pub from: AgentId,
    /// Whose they are.
    pub to: AgentId,
}

/// Two agents may hand things to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeSet {
    /// From whom.
    pub from: AgentId,
    /// To whom.
    pub to: AgentId,
    /// Whether also the other way.
    pub both_ways: bool,
}

/// They may not any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeRemoved {
    /// From whom.
    pub from: AgentId,
    /// To whom.
    pub to: AgentId,
}

impl Sent {
    /// What it puts into the recipient's inbox, once it is recorded.
    pub fn item(&self, recorded: &Recorded) -> Item {
        let category = match self.envelope.kind {
            EnvelopeKind::Handoff => Category::Handoff,
            EnvelopeKind::Signal => Category::Signal,
        };
        let requires_ack = self.envelope.expectation() == Expectation::Required;
        let letter = Letter { category, requires_ack, wakes: true, interrupts: false };
        // Whoever it is from, where somebody else let it be sent.
        let sender = self.envelope.from_node_id.clone();
        Item { sender, ..Item::queued(recorded, &self.envelope.to_node_id, letter) }
    }
}

impl Event {
    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Sent(sent) => Some(&sent.envelope.to_node_id),
            Self::Forwarded(forwarded) => Some(&forwarded.from),
            Self::EdgeSet(set) => Some(&set.to),
            Self::EdgeRemoved(removed) => Some(&removed.to),
        }
    }

    /// Who should hear of it first.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        match self {
            Self::Sent(sent) => Concern::One(&sent.envelope.to_node_id),
            Self::Forwarded(_) | Self::EdgeSet(_) | Self::EdgeRemoved(_) => Concern::Nobody,
        }
    }
}
