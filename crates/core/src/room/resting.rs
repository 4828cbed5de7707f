//! Rest: a session ended, and a runner may resume it.
//!
//! With the policy `resume: on` a session that ends stays a member, so that it can be written to and the stick can be passed to
//! it. A member at rest is not there: it is no second member for the guard, gets no turn in sequence, and its process counts for
//! nothing. Only the stick that somebody passes to it while it rests is kept for it, as for anybody, until the claim's time is
//! up. The session's next process ends the rest by joining.
//!
//! Invariant: rest is bounded, by [`limits::RESTING_SESSIONS`] and [`limits::REST_TTL`]; a member whose rest is
//! over, or whose room's policy changed, is retired like any other that is gone.

use super::{Call, Event, Member, Refusal, Reservation, Rested, Room};
use crate::{
    ids::AgentId,
    lease::expired,
    limits,
    policy::Resume,
    process::{Liveness, SessionKind, Witness},
    time::Timestamp,
};

impl Room {
    /// Whether a member's session ended and may be resumed now.
    pub fn is_resting(&self, now: Timestamp, member: &Member) -> bool {
        self.policy.resume == Resume::On && member.rest.is_some_and(|rest| !expired(rest.until, now))
    }

    /// The members at rest, the one that rests the longest first.
    pub fn resting(&self, now: Timestamp) -> Vec<&Member> {
        let mut found: Vec<&Member> = self.members.iter().filter(|member| self.is_resting(now, member)).collect();
        found.sort_by_key(|member| member.rest.map(|rest| rest.since));
        found
    }

    /// Whether `agent` may rest once its session ended: others must have left a place.
    pub fn may_rest(&self, now: Timestamp, agent: &AgentId) -> bool {
        let is_program = |member: &Member| member.session_kind == SessionKind::McpHarness && member.added_by.is_none();
        let others = self.resting(now).iter().filter(|member| member.agent_id != *agent).count();
        self.policy.resume == Resume::On
            && self.member(agent).is_some_and(is_program)
            && others < limits::RESTING_SESSIONS
    }

    /// Whether a member is not coming back by itself: its process is proven gone, or its rest is over.
    pub fn has_ended(&self, now: Timestamp, member: &Member, witness: &dyn Witness) -> bool {
        let liveness = member.liveness(witness);
        let is_over = member.rest.is_some() && liveness != Liveness::Alive;
        (liveness.is_gone() || is_over) && !self.is_resting(now, member)
    }

    /// Has a member rest whose session said that it ended, or whose process is proven gone. One that rests already stays so.
    pub fn rest(&self, call: Call<'_>, who: &AgentId) -> Result<Option<Event>, Refusal> {
        self.require_open()?;
        let Call { now, by, witness } = call;
        self.require_member(who)?;
        let Some(member) = self.member(who) else { return Ok(None) };
        let said_so = by.agent_id == *who;
        let proof = member.liveness(witness).proof().filter(|_| !said_so);
        if !self.may_rest(now, who) || self.is_resting(now, member) || !(said_so || proof.is_some()) {
            return Ok(None);
        }
        let reserved_for = if said_so { self.next_recipient(now, who, witness) } else { None };
        Ok(Some(Event::Rested(Rested {
            agent_id: who.clone(),
            until: now.plus(limits::REST_TTL),
            claim_expires_at: reserved_for.as_ref().map(|_| now.plus(self.policy.claim_ttl_ms)),
            reserved_for,
            proof,
        })))
    }

    /// Whether a stick is kept for somebody whose process is proven gone and whom it does not call back.
    pub(super) fn is_recipient_gone(&self, now: Timestamp, kept: &Reservation, witness: &dyn Witness) -> bool {
        let is_gone = |member: &Member| {
            member.liveness(witness).is_gone() && !(calls_back(kept, member) && self.is_resting(now, member))
        };
        self.member(&kept.recipient).is_some_and(is_gone)
    }
}

/// Whether a stick was passed to a member that was at rest already.
pub(super) fn calls_back(kept: &Reservation, member: &Member) -> bool {
    member.rest.is_some_and(|rest| kept.pending.seq > rest.since)
}
