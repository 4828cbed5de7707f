//! Folding. No branch here refuses anything: what is in the log has been decided.

use super::{
    Claimed, Event, Granted, Joined, Left, Member, Ownership, Pending, Registered, Released, Reordered, Reservation,
    Rest, Rested, Resumed, Room, Stick, TakenOver, Via, WakeChosen, state::ClaimReason,
};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
    lease::{Fence, Lease},
    time::Timestamp,
};

/// How a turn began.
struct Began {
    received: Option<Pending>,
    reason: ClaimReason,
    taken_from: Option<AgentId>,
}

impl Room {
    /// The room that a `room.create` event opens; any other event opens none.
    pub fn open(first: &Recorded) -> Option<Self> {
        let event::Event::Room(Event::Created(created)) = &first.event else { return None };
        Some(Self {
            id: first.room_id.clone(),
            canonical_path: created.canonical_path.clone(),
            name: created.name.clone(),
            members: Vec::new(),
            sequence_index: 0,
            stick: Stick::Idle(None),
            turn: Fence(0),
            policy: created.policy.clone(),
            last_seq: first.seq,
            created_at: first.at,
            updated_at: first.at,
            earlier_events: created.earlier_events,
        })
    }

    /// Gives an event its place behind the newest one, as done by `actor` at `at`.
    pub fn record(&self, at: Timestamp, actor: AgentId, event: impl Into<event::Event>) -> Recorded {
        let event = event.into();
        let turn = match &event {
            event::Event::Room(Event::Claimed(claimed)) => claimed.grant.turn_id,
            event::Event::Room(Event::TakenOver(taken)) => taken.grant.turn_id,
            _ => self.turn,
        };
        Recorded { room_id: self.id.clone(), seq: self.last_seq.next(), at, actor, overridden: false, turn, event }
    }

    /// Folds an event that was decided on. Cannot fail. What happens to scopes, tasks and inboxes changes nothing here
    /// but the room's place in its log and who was last seen when.
    pub fn apply(&mut self, recorded: &Recorded) {
        debug_assert_eq!(recorded.seq, self.last_seq.next(), "the log has no gaps");
        if let event::Event::Room(event) = &recorded.event {
            self.apply_own(event, recorded);
        }
        self.touch(&recorded.actor, recorded.at);
        self.last_seq = recorded.seq;
        self.updated_at = recorded.at;
    }

    fn apply_own(&mut self, event: &Event, recorded: &Recorded) {
        let (actor, at, seq) = (&recorded.actor, recorded.at, recorded.seq);
        match event {
            // Opening is `open`'s; a second one would be a no-op.
            Event::Created(_) | Event::Noted(_) => {}
            Event::Joined(joined) => self.apply_joined(joined, at),
            Event::Left(left) => self.apply_left(left),
            Event::Rested(rested) => self.apply_rested(rested, seq),
            Event::Reordered(reordered) => self.apply_reordered(reordered),
            Event::Registered(registered) => self.apply_registered(registered),
            Event::Resumed(resumed) => self.apply_resumed(resumed, at),
            Event::WakeChosen(chosen) => self.apply_wake_chosen(chosen),
            Event::Claimed(claimed) => self.apply_claimed(claimed, actor, at),
            Event::Released(released) => self.apply_released(released, actor, seq, Via::Release),
            Event::Passed(released) => self.apply_released(released, actor, seq, Via::Pass),
            Event::TakenOver(taken) => self.apply_taken_over(taken, actor, at),
            Event::PolicySet(set) => self.policy = set.policy.clone(),
            Event::Renamed(renamed) => self.name = Some(renamed.name.clone()),
            Event::Closed(_) => self.stick = Stick::Closed,
        }
    }

    fn apply_joined(&mut self, joined: &Joined, at: Timestamp) {
        match self.members.iter_mut().find(|member| member.agent_id == joined.agent_id) {
            Some(member) => {
                member.session_kind = joined.session_kind;
                member.process = joined.process.clone();
                member.overridden = joined.agent_id_override;
                member.added_by = joined.added_by.clone();
                member.parallel_to = joined.parallel_to.clone();
                member.rest = None;
            }
            None => self.members.push(Member {
                agent_id: joined.agent_id.clone(),
                display_name: joined.display_name.clone(),
                role: joined.role.clone(),
                session_kind: joined.session_kind,
                process: joined.process.clone(),
                overridden: joined.agent_id_override,
                added_by: joined.added_by.clone(),
                parallel_to: joined.parallel_to.clone(),
                wake: None,
                rest: None,
                joined_at: at,
                last_seen_at: at,
            }),
        }
        if joined.keeps_turn
            && let Stick::Owned(ownership) = &mut self.stick
        {
            ownership.process = joined.process.clone();
        }
    }

    fn apply_registered(&mut self, registered: &Registered) {
        if let Some(member) = self.members.iter_mut().find(|member| member.agent_id == registered.agent_id) {
            member.display_name = registered.display_name.clone();
            member.role = registered.role.clone();
        }
    }

    fn apply_wake_chosen(&mut self, chosen: &WakeChosen) {
        if let Some(member) = self.members.iter_mut().find(|member| member.agent_id == chosen.agent_id) {
            member.wake = chosen.wake;
        }
    }

    fn apply_resumed(&mut self, resumed: &Resumed, at: Timestamp) {
        match &resumed.prior_stays_as {
            Some(name) => {
                if let Some(prior) = self.members.iter_mut().find(|m| m.agent_id == resumed.prior_session_agent) {
                    prior.display_name = name.clone();
                    prior.role = None;
                }
            }
            None => {
                let agent_id = resumed.prior_session_agent.clone();
                self.apply_left(&Left { agent_id, reserved_for: None, claim_expires_at: None, retired: None });
            }
        }
        let (display_name, role) = (resumed.adopted_agent.clone(), resumed.role.clone());
        match self.members.iter_mut().find(|member| member.agent_id == resumed.agent_id) {
            Some(member) => (member.display_name, member.role) = (display_name, role),
            None => self.members.push(Member {
                agent_id: resumed.agent_id.clone(),
                display_name,
                role,
                session_kind: resumed.session_kind,
                process: resumed.process.clone(),
                overridden: resumed.agent_id_override,
                added_by: resumed.added_by.clone(),
                parallel_to: resumed.parallel_to.clone(),
                wake: None,
                rest: None,
                joined_at: at,
                last_seen_at: at,
            }),
        }
    }

    fn apply_left(&mut self, left: &Left) {
        let anchor = self.members.get(self.sequence_index).map(|member| member.agent_id.clone());
        self.hand_reservation_on(&left.agent_id, left.reserved_for.as_ref().zip(left.claim_expires_at));
        self.members.retain(|member| member.agent_id != left.agent_id);
        self.sequence_index = match &left.reserved_for {
            Some(next) => self.rank(next).unwrap_or(0),
            None => anchor
                .and_then(|agent| self.rank(&agent))
                .unwrap_or_else(|| self.sequence_index.min(self.members.len().saturating_sub(1))),
        };
    }

    fn apply_rested(&mut self, rested: &Rested, seq: Seq) {
        if rested.proof.is_none() {
            self.hand_reservation_on(&rested.agent_id, rested.reserved_for.as_ref().zip(rested.claim_expires_at));
        }
        if let Some(rank) = rested.reserved_for.as_ref().and_then(|next| self.rank(next)) {
            self.sequence_index = rank;
        }
        if let Some(member) = self.members.iter_mut().find(|member| member.agent_id == rested.agent_id) {
            member.rest = Some(Rest { since: seq, until: rested.until });
        }
    }

    /// Keeps a stick that was kept for `agent` for the next one, or for nobody in particular.
    fn hand_reservation_on(&mut self, agent: &AgentId, next: Option<(&AgentId, Timestamp)>) {
        let Stick::Reserved(reservation) = &mut self.stick else { return };
        if reservation.recipient != *agent {
            return;
        }
        match next {
            Some((next, until)) => {
                reservation.recipient = next.clone();
                reservation.claim_expires_at = until;
                // Nobody chose this recipient: it is the next in sequence, however the stick was let go.
                reservation.pending.via = Via::Release;
            }
            None => self.stick = Stick::Idle(Some(reservation.pending.clone())),
        }
    }

    fn apply_reordered(&mut self, reordered: &Reordered) {
        let anchor = self.members.get(self.sequence_index).map(|member| member.agent_id.clone());
        let place = |agent: &AgentId| reordered.order.iter().position(|ordered| ordered == agent);
        self.members.sort_by_key(|member| place(&member.agent_id));
        if let Some(rank) = anchor.and_then(|agent| self.rank(&agent)) {
            self.sequence_index = rank;
        }
    }

    fn apply_claimed(&mut self, claimed: &Claimed, actor: &AgentId, at: Timestamp) {
        let began = Began { received: self.pending().cloned(), reason: claimed.reason, taken_from: None };
        self.apply_granted(&claimed.grant, actor, at, began);
    }

    fn apply_taken_over(&mut self, taken: &TakenOver, actor: &AgentId, at: Timestamp) {
        // The one revoked wrote no handoff. What it was to act on stays where the new owner looks for it.
        let received = self.ownership().and_then(|lost| lost.received.as_ref()).or_else(|| self.pending()).cloned();
        let taken_from = Some(taken.revoked_agent_id.clone());
        self.apply_granted(&taken.grant, actor, at, Began { received, reason: ClaimReason::Takeover, taken_from });
    }

    fn apply_granted(&mut self, grant: &Granted, actor: &AgentId, at: Timestamp, began: Began) {
        debug_assert!(grant.turn_id > self.turn, "fences only grow");
        self.turn = grant.turn_id;
        if let Some(member) = self.members.iter_mut().find(|member| member.agent_id == *actor) {
            member.process = grant.process.clone().or_else(|| member.process.take());
            member.rest = None;
        }
        self.stick = Stick::Owned(Ownership {
            lease: Lease { holder: actor.clone(), fence: grant.turn_id, expires_at: grant.lease_expires_at },
            lease_id: grant.lease_id.clone(),
            process: grant.process.clone(),
            received: began.received,
            taken_from: began.taken_from,
            reason: began.reason,
            since: at,
        });
    }

    fn apply_released(&mut self, released: &Released, actor: &AgentId, seq: Seq, via: Via) {
        let pending = Pending { seq, from: actor.clone(), via };
        self.stick = match (&released.to_agent_id, released.claim_expires_at) {
            (Some(recipient), Some(claim_expires_at)) => {
                self.sequence_index = self.rank(recipient).unwrap_or(self.sequence_index);
                Stick::Reserved(Reservation { recipient: recipient.clone(), claim_expires_at, pending })
            }
            _ => Stick::Idle(Some(pending)),
        };
    }
}
