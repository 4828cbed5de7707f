//! An envelope is put into its recipient's inbox, once everything that it points to is there.

use baton_core::{
    envelope::{self, Draft, Edge, Ends, Known, Sending, Sent, check_context_ref},
    event::Event,
    ids::{AgentId, Seq},
    inbox::Item,
    part::Rows,
    policy::Edges,
};
use baton_store::{envelopes, log};

use super::party::called;
use crate::{Failure, app::internal, refs, unit::Change};

/// Along what an envelope goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Along {
    /// The room's edges, as its policy has it.
    Edges,
    /// Whatever the edges are: somebody decided that it is to be sent.
    Decision,
}

/// An envelope that was sent.
#[derive(Clone, Debug)]
pub(crate) struct PostedNow {
    pub(crate) message: Seq,
    pub(crate) sent: Sent,
    /// Whether that was before.
    pub(crate) again: bool,
}

/// Sends an envelope between two agents. What was sent before under its id is told again.
pub(crate) fn post(change: &mut Change<'_>, draft: &Draft, ends: &Ends, along: Along) -> Result<PostedNow, Failure> {
    draft.check()?;
    let before = sent_as(change, draft)?;
    if before.is_none() {
        require_refs(change, draft)?;
    }
    let named = match draft.in_reply_to() {
        Some(id) => envelopes::by_id(change.store.tx()?, &change.room.id, &id)?,
        None => None,
    };
    let oldest = envelopes::owed_between(change.store.tx()?, &change.room.id, &ends.from.agent_id, &ends.to.agent_id)?;
    let policy = match along {
        Along::Edges => change.room.policy.edges,
        Along::Decision => Edges::Mesh,
    };
    let edges = match policy {
        Edges::Explicit => change.store.current::<Edge>()?.clone(),
        Edges::Mesh => Rows::default(),
    };
    let room = &change.room;
    let name = |agent: &AgentId| called(room, agent);
    let known = Known {
        policy,
        edges: &edges,
        named: named.as_ref(),
        oldest: oldest.as_ref(),
        before: before.as_ref().map(|(seq, sent)| (*seq, &*sent.envelope)),
        name: &name,
    };
    match draft.send(change.now, ends, &known)? {
        Sending::Again(message) => {
            let sent = before.map(|(_, sent)| sent).ok_or_else(|| internal("what was sent before is known"))?;
            Ok(PostedNow { message, sent, again: true })
        }
        Sending::New(sent) => {
            let message = change.record(envelope::Event::Sent(sent.clone()))?.seq;
            if let Some(answered) = sent.answers {
                accept(change, answered, &ends.from.agent_id)?;
            }
            Ok(PostedNow { message, sent, again: false })
        }
    }
}

/// Who answers a request has taken it on.
fn accept(change: &mut Change<'_>, answered: Seq, by: &AgentId) -> Result<(), Failure> {
    if change.actor.agent_id != *by {
        return Ok(());
    }
    match change.store.find::<Item>(&(answered, by.clone()))?.and_then(|item| item.accept(None)) {
        Some(event) => change.record(event).map(|_| ()),
        None => Ok(()),
    }
}

/// What was sent under the same id.
pub(super) fn sent_as(change: &mut Change<'_>, draft: &Draft) -> Result<Option<(Seq, Sent)>, Failure> {
    let Some(posted) = envelopes::by_id(change.store.tx()?, &change.room.id, &draft.id)? else { return Ok(None) };
    match log::find(change.store.tx()?, &change.room.id, posted.seq)?.map(|recorded| recorded.event) {
        Some(Event::Envelope(envelope::Event::Sent(sent))) => Ok(Some((posted.seq, sent))),
        Some(_) | None => Err(internal("an envelope is in the log")),
    }
}

/// Refuses what points to nothing.
fn require_refs(change: &mut Change<'_>, draft: &Draft) -> Result<(), Failure> {
    let room = change.room.id.clone();
    refs::require(change.store.tx()?, &room, &draft.payload.references()?)
        .map_err(|failure| failure.with("field", "payload.artifacts"))?;
    let pack: Vec<_> = check_context_ref(draft.context_ref.as_deref())?.into_iter().collect();
    refs::require(change.store.tx()?, &room, &pack).map_err(|failure| {
        failure
            .with("field", "contextRef")
            .advising("Build a pack with `context build`, and use the ref that it answers.")
    })
}
