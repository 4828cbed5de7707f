//! The rules of envelopes: along which edges they go, what they answer, and what became of an id before.

use super::{Draft, Edge, EdgeRemoved, EdgeSet, Ends, Envelope, Event, Expectation, Party, Posted, Refusal, Sent};
use crate::{
    ids::{AgentId, Seq},
    limits,
    part::Rows,
    policy::Edges,
    time::Timestamp,
};

/// What has to be known to decide on an envelope.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Between whom envelopes may go.
    pub policy: Edges,
    /// The edges that there are.
    pub edges: &'a Rows<Edge>,
    /// The envelope that it says it answers.
    pub named: Option<&'a Posted>,
    /// The oldest request that the sender owes a response to the recipient for.
    pub oldest: Option<&'a Posted>,
    /// What was sent under its id before, and as which event.
    pub before: Option<(Seq, &'a Envelope)>,
    /// What people call an agent.
    pub name: &'a dyn Fn(&AgentId) -> String,
}

/// What comes of sending an envelope.
#[derive(Clone, Debug, PartialEq)]
pub enum Sending {
    /// It is sent.
    New(Sent),
    /// It was sent before, as this event.
    Again(Seq),
}

impl Draft {
    /// Decides to send it between `ends`.
    pub fn send(&self, now: Timestamp, ends: &Ends, known: &Known<'_>) -> Result<Sending, Refusal> {
        self.check()?;
        let (from, to) = (&ends.from, &ends.to);
        if let Some(shown) =
            self.from.as_ref().filter(|shown| shown.as_str() != from.agent_id.as_str() && **shown != from.name)
        {
            let (shown, agent_id) = (shown.chars().take(limits::SHOWN_INPUT_CHARS).collect(), from.agent_id.clone());
            return Err(Refusal::NotYours { field: "fromNodeId", shown, agent_id });
        }
        let envelope = self.seal(ends, now)?;
        if let Some((message, before)) = known.before {
            return match self.is_same(&envelope, before) {
                true => Ok(Sending::Again(message)),
                false => Err(Refusal::Taken { id: self.id.clone(), message }),
            };
        }
        let answers = self.answers(ends, known)?;
        if answers.is_none() {
            known.require_edge("toNodeId", from, to)?;
        }
        if let Some(reply_to) = &ends.reply_to
            && envelope.expectation() != Expectation::None
            && reply_to.agent_id != from.agent_id
        {
            known.require_edge("payload.response.replyTo", to, reply_to)?;
        }
        Ok(Sending::New(Sent {
            envelope: Box::new(envelope),
            from_name: from.name.clone(),
            sender_kind: ends.sender_kind,
            to_name: to.name.clone(),
            answers: answers.map(|answered| answered.seq),
        }))
    }

    /// The request that it answers. An answer needs no edge: whoever asks for one opens the way back.
    fn answers<'a>(&self, ends: &Ends, known: &Known<'a>) -> Result<Option<&'a Posted>, Refusal> {
        let Some(id) = self.in_reply_to() else { return Ok(known.oldest) };
        let Some(named) = known.named else {
            return Err(Refusal::invalid(
                "meta.inReplyTo",
                format!("names an envelope of this room, and there is no {id}"),
            ));
        };
        let is_asked = named.recipient == ends.from.agent_id && named.reply_to == ends.to.agent_id;
        let is_open = named.expectation != Expectation::None && named.answered_by.is_none();
        Ok((is_asked && is_open).then_some(named))
    }

    /// Whether it is what was sent before. When that was made counts only where it is said again.
    fn is_same(&self, envelope: &Envelope, before: &Envelope) -> bool {
        let mut again = envelope.clone();
        if self.created_at.is_none() {
            again.created_at = before.created_at.clone();
        }
        again == *before
    }
}

impl Known<'_> {
    fn require_edge(&self, field: &'static str, from: &Party, to: &Party) -> Result<(), Refusal> {
        if self.policy == Edges::Mesh || self.edges.leads(&from.agent_id, &to.agent_id) {
            return Ok(());
        }
        let (may_write_to, from, to) = (self.edges.reached_from(&from.agent_id), from.name.clone(), to.name.clone());
        Err(Refusal::NoEdge { field, from, to, may_write_to: may_write_to.into_iter().map(self.name).collect() })
    }
}

impl Rows<Edge> {
    /// Whom an agent may write to along the edges there are.
    pub fn reached_from(&self, agent: &AgentId) -> Vec<&AgentId> {
        let mut found: Vec<&AgentId> = self
            .iter()
            .filter_map(|edge| match (edge.from == *agent, edge.both_ways && edge.to == *agent) {
                (true, _) => Some(&edge.to),
                (false, true) => Some(&edge.from),
                (false, false) => None,
            })
            .collect();
        found.sort();
        found.dedup();
        found
    }

    /// Decides that envelopes may go from one agent to another. `None` means that they may already.
    pub fn add_edge(&self, from: &Party, to: &Party, both_ways: bool) -> Result<Option<Event>, Refusal> {
        if from.agent_id == to.agent_id {
            return Err(Refusal::invalid("to", "is the same agent as from; an edge leads to another"));
        }
        let there = self.leads(&from.agent_id, &to.agent_id);
        let back = self.leads(&to.agent_id, &from.agent_id);
        if there && (back || !both_ways) {
            return Ok(None);
        }
        if self.iter().count() >= limits::EDGES {
            return Err(Refusal::invalid("to", format!("does not fit: a room has at most {} edges", limits::EDGES)));
        }
        let (from, to) = (from.agent_id.clone(), to.agent_id.clone());
        Ok(Some(Event::EdgeSet(EdgeSet { from, to, both_ways })))
    }

    /// Decides that envelopes may not go from one agent to another any more. Where an edge led both ways, the other way stays.
    pub fn remove_edge(&self, from: &Party, to: &Party) -> Result<Vec<Event>, Refusal> {
        let find = |one: &Party, other: &Party| {
            self.iter().find(|edge| (&edge.from, &edge.to) == (&one.agent_id, &other.agent_id))
        };
        let (own, other) = (find(from, to), find(to, from).filter(|edge| edge.both_ways));
        if own.is_none() && other.is_none() {
            return Err(Refusal::UnknownEdge { from: from.name.clone(), to: to.name.clone() });
        }
        let (from, to) = (from.agent_id.clone(), to.agent_id.clone());
        let mut events = Vec::new();
        let back = own.is_some_and(|edge| edge.both_ways) || other.is_some();
        if own.is_some() {
            events.push(Event::EdgeRemoved(EdgeRemoved { from: from.clone(), to: to.clone() }));
        }
        if back {
            events.push(Event::EdgeSet(EdgeSet { from: to, to: from, both_ways: false }));
        }
        Ok(events)
    }
}
