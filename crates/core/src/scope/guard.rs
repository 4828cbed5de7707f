//! The guard's rule: may an agent change these files now?
//!
//! Files are changed by the holder of the stick or under one's own scopes ([`Scopes::may_edit`]). The guard adds when that
//! is asked at all: never alone in a room, and never of a command that only reads. It knows no agent program and no
//! shell; both are read before it is asked ([`crate::guard`]).

use super::{Refusal, ScopePath, Scopes, View};
use crate::{
    ids::AgentId,
    lease::Standing,
    policy::Guard,
    room::{Actor, Ownership, Prospect, Stick},
};

/// The part of a tool call that the guard asks about. Paths outside of the room are left out by the caller.
#[derive(Clone, Copy, Debug)]
pub enum Intent<'a> {
    /// Files that will be changed.
    Edit(&'a [ScopePath]),
    /// The index or the branch of the repository, and no file.
    Index,
    /// A command whose writes cannot be told.
    Unread,
}

/// The guard's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Nothing is in the way.
    Free,
    /// The agent is alone, and the stick is its own to take before the edit.
    Take(Taking),
    /// A command that may write where the agent may not: it is to be confined, or compared before and after.
    Watch(Watch),
    /// The edit is not the agent's to make.
    Refused(Refusal),
}

/// The places that a watched command must not write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The whole room.
    Room,
    /// Scopes of others: the agent holds the stick.
    ForeignScopes,
}

/// How an agent that is alone comes by the stick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    /// It lies free, or is kept for the agent.
    Claim,
    /// The holder does not respond any more.
    Takeover,
}

impl Scopes {
    /// Decides about a tool call of `by`: the agent itself, and after it the agent it works for, as sub-agents do.
    pub fn guard(&self, view: View<'_>, by: &[Actor], intent: Intent<'_>) -> Verdict {
        let room = view.room;
        if room.policy.guard == Guard::Off || room.stick == Stick::Closed {
            return Verdict::Free;
        }
        let paths = match intent {
            Intent::Edit([]) => return Verdict::Free,
            Intent::Edit(paths) => paths,
            // A commit touches nobody's files, and belongs to whoever has the turn.
            Intent::Index if holds(view, by) => return Verdict::Free,
            Intent::Index => std::slice::from_ref(view.root),
            Intent::Unread => return self.guard_unread(view, by),
        };
        let Some(refusal) = refusal(by.iter().map(|actor| self.may_edit(view, actor, paths).err())) else {
            return Verdict::Free;
        };
        if !is_alone(view, by) {
            return Verdict::Refused(refusal);
        }
        // Alone, nobody is in the way: also not the scopes of those who are gone.
        let first =
            by.first().map(|actor| room.prospect(view.now, &actor.agent_id, actor.process.as_ref(), view.witness));
        match first {
            Some(Prospect::Claimable { .. }) => Verdict::Take(Taking::Claim),
            Some(Prospect::Takeover { .. }) => Verdict::Take(Taking::Takeover),
            Some(Prospect::Holding | Prospect::PriorOwner { .. } | Prospect::NotYet | Prospect::Closed) | None => {
                Verdict::Free
            }
        }
    }

    fn guard_unread(&self, view: View<'_>, by: &[Actor]) -> Verdict {
        if is_alone(view, by) {
            return Verdict::Free;
        }
        let is_own = |agent: &AgentId| by.iter().any(|actor| actor.agent_id == *agent);
        let has_foreign = self.iter().any(|scope| scope.is_live(view.now) && !is_own(&scope.lease.holder));
        match (holds(view, by), has_foreign) {
            (true, false) => Verdict::Free,
            (true, true) => Verdict::Watch(Watch::ForeignScopes),
            (false, _) => Verdict::Watch(Watch::Room),
        }
    }
}

/// The first refusal, if nobody of them may.
fn refusal(answers: impl Iterator<Item = Option<Refusal>>) -> Option<Refusal> {
    let mut first = None;
    for answer in answers {
        first.get_or_insert(answer?);
    }
    first
}

fn holds(view: View<'_>, by: &[Actor]) -> bool {
    holder(view).is_some_and(|held| by.iter().any(|actor| held.belongs_to(actor)))
}

/// Whether no other member is there, and no other holds the stick.
pub fn is_alone(view: View<'_>, by: &[Actor]) -> bool {
    let is_own = |agent: &AgentId| by.iter().any(|actor| actor.agent_id == *agent);
    let mut others = view.room.members.iter().filter(|member| !is_own(&member.agent_id));
    let is_somebody_there = others.any(|member| member.is_active(view.now, &view.room.policy, view.witness));
    !is_somebody_there && holder(view).is_none_or(|held| is_own(&held.lease.holder))
}

fn holder<'a>(view: View<'a>) -> Option<&'a Ownership> {
    view.room.ownership().filter(|held| held.standing(view.now, view.witness) == Standing::Held)
}
