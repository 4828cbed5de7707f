//! Which envelopes were sent, which of them are owed a response, and which edges there are.

use super::{EdgeRemoved, EdgeSet, EnvelopeKind, Event, Expectation, Forwarded, PayloadId, Sent};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
    part::{Part, Rows, Touched},
    room::Room,
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

impl Part for Posted {
    type Key = Seq;

    fn key(&self) -> Seq {
        self.seq
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<Seq> {
        match &event.event {
            event::Event::Envelope(Event::Sent(sent)) => Touched::maybe(sent.answers),
            event::Event::Envelope(Event::Forwarded(_)) => Touched::Current,
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Envelope(Event::Sent(sent)) => {
                if let Some(answered) = sent.answers {
                    rows.change(&answered, |posted| posted.answered_by = Some(event.seq));
                }
                rows.put(Self::of(event, sent));
            }
            // What was answered stays as it was.
            event::Event::Envelope(Event::Forwarded(Forwarded { from, to })) => {
                let concerned =
                    |posted: &&Self| posted.is_owed() && [&posted.recipient, &posted.reply_to].contains(&from);
                let owed: Vec<Seq> = rows.iter().filter(concerned).map(|posted| posted.seq).collect();
                for seq in owed {
                    rows.change(&seq, |posted| {
                        for agent in [&mut posted.recipient, &mut posted.reply_to] {
                            rename(agent, from, to);
                        }
                    });
                }
            }
            _ => {}
        }
    }
}

impl Part for Edge {
    type Key = (AgentId, AgentId);

    fn key(&self) -> (AgentId, AgentId) {
        (self.from.clone(), self.to.clone())
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<(AgentId, AgentId)> {
        match &event.event {
            event::Event::Envelope(
                Event::EdgeSet(EdgeSet { from, to, .. }) | Event::EdgeRemoved(EdgeRemoved { from, to }),
            ) => Touched::row((from.clone(), to.clone())),
            event::Event::Envelope(Event::Forwarded(_)) => Touched::Current,
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Envelope(Event::EdgeSet(set)) => {
                let EdgeSet { from, to, both_ways } = set.clone();
                rows.put(Self { from, to, both_ways, seq: event.seq });
            }
            event::Event::Envelope(Event::EdgeRemoved(EdgeRemoved { from, to })) => {
                rows.remove(&(from.clone(), to.clone()));
            }
            event::Event::Envelope(Event::Forwarded(forwarded)) => rows.forward(forwarded),
            _ => {}
        }
    }
}

impl Rows<Edge> {
    /// Whether an edge leads from one agent to another. All edges must be at hand.
    pub fn leads(&self, from: &AgentId, to: &AgentId) -> bool {
        self.iter().any(|edge| {
            (&edge.from, &edge.to) == (from, to) || (edge.both_ways && (&edge.from, &edge.to) == (to, from))
        })
    }

    /// Edges go on with another agent. Of two that then lead along one path, the one that is passed second goes into the first.
    fn forward(&mut self, forwarded: &Forwarded) {
        let Forwarded { from, to } = forwarded;
        let before: Vec<Edge> = self.iter().cloned().collect();
        let mut after: Vec<Edge> = Vec::new();
        for mut edge in before.iter().cloned() {
            rename(&mut edge.from, from, to);
            rename(&mut edge.to, from, to);
            if edge.from == edge.to {
                continue;
            }
            match after.iter_mut().find(|known| known.key() == edge.key()) {
                Some(known) => known.both_ways |= edge.both_ways,
                None => after.push(edge),
            }
        }
        for gone in before.iter().filter(|edge| !after.contains(edge)) {
            self.remove(&gone.key());
        }
        for edge in after.into_iter().filter(|edge| !before.contains(edge)) {
            self.put(edge);
        }
    }
}

fn rename(agent: &mut AgentId, from: &AgentId, to: &AgentId) {
    if agent == from {
        *agent = to.clone();
    }
}
