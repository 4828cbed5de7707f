//! Which envelopes were sent, which of them are owed a response, and which edges there are.

use super::{EdgeRemoved, EdgeSet, EnvelopeKind, Event, Expectation, Forwarded, PayloadId, Sent};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
    time::Timestamp,
};

/// An envelope that was sent, less what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Its event.
    pub seq: Seq,
    /// Its name.
    pub id: PayloadId,
    /// What sort of envelope.
    pub kind: EnvelopeKind,
    /// Who sent it.
    pub sender: AgentId,
    /// Who got it.
    pub recipient: AgentId,
    /// Whether a response is expected.
    pub expectation: Expectation,
    /// By whom.
    pub reply_to: AgentId,
    /// The pack that came with it.
    pub context_ref: Option<String>,
    /// The event of the response, once there is one.
    pub answered_by: Option<Seq>,
    /// When it was sent.
    pub sent_at: Timestamp,
}

impl Posted {
    /// Whether a response is required and has not come.
    pub fn is_owed(&self) -> bool {
        self.expectation == Expectation::Required && self.answered_by.is_none()
    }

    fn of(recorded: &Recorded, sent: &Sent) -> Self {
        let envelope = &sent.envelope;
        Self {
            seq: recorded.seq,
            id: envelope.id.clone(),
            kind: envelope.kind,
            sender: envelope.from_node_id.clone(),
            recipient: envelope.to_node_id.clone(),
            expectation: envelope.expectation(),
            reply_to: envelope.reply_to().clone(),
            context_ref: envelope.context_ref.clone(),
            answered_by: None,
            sent_at: recorded.at,
        }
    }
}

/// A path along which envelopes may go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// From whom.
    pub from: AgentId,
    /// To whom.
    pub to: AgentId,
    /// Whether also the other way.
    pub both_ways: bool,
    /// Since which event.
    pub seq: Seq,
}

/// The envelopes and edges of a room, as folding its log gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelopes {
    /// In the order of their events.
    pub posted: Vec<Posted>,
    /// By who they lead from and to.
    pub edges: Vec<Edge>,
}

impl Envelopes {
    /// Folds an event that was decided on. Events of other parts change nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Envelope(event) = &recorded.event else { return };
        match event {
            Event::Sent(sent) => {
                let answered = sent.answers.and_then(|seq| self.at(seq));
                if let Some(answered) = answered {
                    answered.answered_by = Some(recorded.seq);
                }
                self.posted.push(Posted::of(recorded, sent));
            }
            Event::Forwarded(forwarded) => self.forward(forwarded),
            Event::EdgeSet(set) => self.set_edge(set, recorded.seq),
            Event::EdgeRemoved(EdgeRemoved { from, to }) => {
                self.edges.retain(|edge| (&edge.from, &edge.to) != (from, to));
            }
        }
    }

    /// Whether an edge leads from one agent to another.
    pub fn leads(&self, from: &AgentId, to: &AgentId) -> bool {
        self.edges.iter().any(|edge| {
            (&edge.from, &edge.to) == (from, to) || (edge.both_ways && (&edge.from, &edge.to) == (to, from))
        })
    }

    fn at(&mut self, seq: Seq) -> Option<&mut Posted> {
        let place = self.posted.binary_search_by_key(&seq, |posted| posted.seq).ok()?;
        self.posted.get_mut(place)
    }

    fn set_edge(&mut self, set: &EdgeSet, seq: Seq) {
        let EdgeSet { from, to, both_ways } = set.clone();
        let edge = Edge { from, to, both_ways, seq };
        match self.edges.binary_search_by(|known| (&known.from, &known.to).cmp(&(&edge.from, &edge.to))) {
            Ok(place) => self.edges[place] = edge,
            Err(place) => self.edges.insert(place, edge),
        }
    }

    /// Edges, and responses that are owed, go on with another. What was answered stays as it was.
    fn forward(&mut self, forwarded: &Forwarded) {
        let Forwarded { from, to } = forwarded;
        let renamed = |agent: &mut AgentId| {
            if agent == from {
                *agent = to.clone();
            }
        };
        for posted in self.posted.iter_mut().filter(|posted| posted.is_owed()) {
            renamed(&mut posted.recipient);
            renamed(&mut posted.reply_to);
        }
        for mut edge in std::mem::take(&mut self.edges) {
            renamed(&mut edge.from);
            renamed(&mut edge.to);
            if edge.from == edge.to {
                continue;
            }
            match self.edges.iter_mut().find(|known| (&known.from, &known.to) == (&edge.from, &edge.to)) {
                Some(known) => known.both_ways |= edge.both_ways,
                None => self.edges.push(edge),
            }
        }
        self.edges.sort_by(|one, other| (&one.from, &one.to).cmp(&(&other.from, &other.to)));
    }
}
