//! The rules. Every branch about who may do what is here.

use std::collections::HashSet;

use super::{
    Actor, Authority, Call, Claimed, Closed, Closing, Event, Granted, Joined, Left, Member, NewIdentity, Noted,
    Ownership, PolicySet, PolicySetting, Prospect, Refusal, Released, Renamed, Reordered, Room, RoomState, Shown,
    Stick, TakenOver, identity::Called,
};
use crate::{
    handoff::{Handoff, blank_or_long},
    ids::{AgentId, LeaseId},
    lease::{Fence, Lease, Standing, expired},
    limits,
    policy::PolicyChange,
    process::{Liveness, SessionKind, Witness},
    time::Timestamp,
    tree,
};

impl Room {
    /// The return of a member whose recorded process is gone and who now calls from another: a crashed harness
    /// that was resumed, or a person whose guardian has ended. Who is plainly there must not count as gone.
    pub fn comeback(&self, by: &Actor, witness: &dyn Witness) -> Option<Event> {
        let member = self.member(&by.agent_id)?;
        let returns = self.stick != Stick::Closed && came_back(member, by, witness);
        let who = Called { name: member.display_name.clone(), role: member.role.clone() };
        returns.then(|| self.joined(by, who, Rejoin::Yes, witness))
    }

    /// Extends the owner's lease, if the caller shows its fence, and tells until when. A heartbeat is not an event.
    pub fn renew(&mut self, call: Call<'_>, shown: &Shown) -> Result<Timestamp, Refusal> {
        self.require_open()?;
        let mut ownership = self.fenced(call, shown)?.clone();
        let Call { now, by, .. } = call;
        ownership.lease.renew(now, self.policy.owner_lease_ttl_ms);
        let expires_at = ownership.lease.expires_at;
        self.stick = Stick::Owned(ownership);
        self.updated_at = now;
        self.touch(&by.agent_id, now);
        Ok(expires_at)
    }

    /// Makes the caller a member, or notes that it is back as another process.
    pub fn join(&self, call: Call<'_>, identity: &NewIdentity) -> Result<Option<Event>, Refusal> {
        self.require_open()?;
        let Call { now, by, witness } = call;
        let (who, rejoin) = match self.member(&by.agent_id) {
            Some(member) => {
                // A live guardian goes on standing for its person, whose shell speaks beside it.
                let guarded = member.session_kind == SessionKind::HumanGuardian
                    && by.session_kind != SessionKind::HumanGuardian
                    && member.liveness(witness) == Liveness::Alive;
                let moves = member.rest.is_some() || self.changes_process(member, by) || self.moves_turn(by, witness);
                if guarded || !moves {
                    return Ok(None);
                }
                (Called { name: member.display_name.clone(), role: member.role.clone() }, Rejoin::Yes)
            }
            None => {
                self.require_place(now, witness)?;
                self.require_free_id(&by.agent_id, &identity.former)?;
                self.require_own_former_id(by, &identity.former)?;
                (self.first_name(by, identity)?, Rejoin::No)
            }
        };
        Ok(Some(self.joined(by, who, rejoin, witness)))
    }

    /// Refuses another member to a room that is full of members who may be alive: whose process is not gone, or who called
    /// lately where none is known.
    pub(super) fn require_place(&self, now: Timestamp, witness: &dyn Witness) -> Result<(), Refusal> {
        let counts = |member: &&Member| match member.process {
            Some(_) => !member.liveness(witness).is_gone(),
            None => member.is_present(now, &self.policy),
        };
        let is_full =
            self.members.len() >= limits::MEMBERS && self.members.iter().filter(counts).count() >= limits::MEMBERS;
        if is_full { Err(Refusal::TooManyMembers { limit: limits::MEMBERS }) } else { Ok(()) }
    }

    /// Whether joining puts a guardian behind the turn its person has. What is proven gone has nothing to hand on.
    fn moves_turn(&self, by: &Actor, witness: &dyn Witness) -> bool {
        let (Some(ownership), Some(new)) = (self.ownership(), &by.process) else { return false };
        by.session_kind == SessionKind::HumanGuardian
            && ownership.lease.holder == by.agent_id
            && !ownership.process.as_ref().is_some_and(|old| old.same_process(new))
            && !ownership.liveness(witness).is_gone()
    }

    fn joined(&self, by: &Actor, who: Called, rejoin: Rejoin, witness: &dyn Witness) -> Event {
        Event::Joined(Joined {
            agent_id: by.agent_id.clone(),
            display_name: who.name,
            role: who.role,
            session_kind: by.session_kind,
            process: by.process.clone(),
            rejoin: rejoin == Rejoin::Yes,
            agent_id_override: by.is_overridden(),
            added_by: by.via.as_deref().map(str::to_owned),
            parallel_to: by.parallel_to.clone(),
            keeps_turn: self.moves_turn(by, witness),
        })
    }

    /// Grants the stick under a new lease, if it is this member's to take.
    pub fn claim(&self, call: Call<'_>, lease_id: &LeaseId) -> Result<Claimed, Refusal> {
        self.require_open()?;
        let Call { now, by, witness } = call;
        self.require_member(&by.agent_id)?;
        match self.prospect(now, &by.agent_id, by.process.as_ref(), witness) {
            Prospect::Claimable { reason, pending } => Ok(Claimed {
                grant: self.grant(now, by, lease_id),
                reason,
                from_agent_id: pending.as_ref().map(|pending| pending.from.clone()),
                handoff_seq: pending.map(|pending| pending.seq),
            }),
            Prospect::Closed => Err(Refusal::Closed),
            Prospect::Holding | Prospect::Takeover { .. } | Prospect::PriorOwner { .. } | Prospect::NotYet => {
                Err(Refusal::NotYourTurn {
                    room_state: self.stick_state(now, witness),
                    current_owner: self.owner().cloned(),
                    kept_by: self.guardian(),
                    reserved_for: self.reservation().map(|reservation| reservation.recipient.clone()),
                })
            }
        }
    }

    /// Lets the next member have the stick, with the workspace's files where somebody looked.
    pub fn release(
        &self,
        call: Call<'_>,
        shown: &Shown,
        handoff: &Handoff,
        tree: Option<&tree::Record>,
    ) -> Result<Event, Refusal> {
        self.require_open()?;
        self.fenced(call, shown)?;
        handoff.check()?;
        let next = self.next_active_after(call.now, &call.by.agent_id, call.witness);
        Ok(Event::Released(self.released(call.now, next, handoff, tree)))
    }

    /// Lets a chosen member have the stick: `to` is a name or an id.
    pub fn pass(
        &self,
        call: Call<'_>,
        shown: &Shown,
        to: &str,
        handoff: &Handoff,
        tree: Option<&tree::Record>,
    ) -> Result<Event, Refusal> {
        self.require_open()?;
        let Call { now, by, witness } = call;
        self.fenced(call, shown)?;
        handoff.check()?;
        let refuse = |why| Refusal::UnknownMember {
            to_agent_id: to.chars().take(limits::SHOWN_INPUT_CHARS).collect(),
            why,
            active_members: self.active_others(now, &by.agent_id, witness),
        };
        let target = self.named(to).ok_or_else(|| refuse("has not joined it"))?;
        if target.agent_id == by.agent_id {
            return Err(Refusal::PassToSelf { to_agent_id: target.agent_id.clone() });
        }
        // A session at rest is called back by it.
        if !self.is_resting(now, target) {
            if target.liveness(witness).is_gone() {
                return Err(refuse("has exited"));
            }
            if !target.is_present(now, &self.policy) {
                return Err(refuse("has not been seen lately"));
            }
        }
        Ok(Event::Passed(self.released(now, Some(target.agent_id.clone()), handoff, tree)))
    }

    /// Grants the stick under a new lease in place of someone who does not respond.
    pub fn take_over(
        &self,
        call: Call<'_>,
        expected_turn: Fence,
        reason: &str,
        lease_id: &LeaseId,
    ) -> Result<TakenOver, Refusal> {
        self.require_open()?;
        let Call { now, by, witness } = call;
        self.require_turn(call, expected_turn)?;
        self.require_member(&by.agent_id)?;
        check_reason(reason)?;
        let unavailable = |why| {
            Err(Refusal::TakeoverUnavailable {
                why,
                room_state: self.stick_state(now, witness),
                current_turn_id: self.turn,
                current_owner: self.owner().cloned(),
                kept_by: self.guardian(),
                reserved_for: self.reservation().map(|reservation| reservation.recipient.clone()),
                available_at: self.next_deadline(),
            })
        };
        let basis = match self.prospect(now, &by.agent_id, by.process.as_ref(), witness) {
            Prospect::Takeover { reason } => reason,
            Prospect::PriorOwner { candidates } => return Err(Refusal::PriorOwner { candidates }),
            Prospect::Closed => return Err(Refusal::Closed),
            Prospect::Holding => return unavailable("you hold it"),
            Prospect::Claimable { .. } => return unavailable("it is yours to claim with wait_for_turn"),
            Prospect::NotYet if self.caller_is_gone(by, witness) => return unavailable("your own process is gone"),
            Prospect::NotYet => return unavailable("nothing has timed out and nobody is known to be gone"),
        };
        let Some(revoked) = self.expected_holder(witness) else {
            return unavailable("nobody has it");
        };
        Ok(TakenOver {
            grant: self.grant(now, by, lease_id),
            revoked_agent_id: revoked.agent_id,
            basis,
            liveness: revoked.liveness,
            revoked_process: revoked.process,
            expired_at: revoked.expires_at,
            reason: reason.to_owned(),
        })
    }

    /// Leaves a remark that changes no ownership.
    pub fn note(&self, call: Call<'_>, text: &str, authority: Authority) -> Result<Event, Refusal> {
        self.require_open()?;
        self.require_authority(&call.by.agent_id, authority)?;
        match blank_or_long(text, limits::NOTE_BYTES) {
            Some(why) => Err(Refusal::InvalidNote { why, field: "text" }),
            None => Ok(Event::Noted(Noted { text: text.to_owned() })),
        }
    }

    /// Takes a member off the list: the caller itself, or another in whose place it acts.
    pub fn leave(&self, call: Call<'_>, who: &AgentId) -> Result<Event, Refusal> {
        self.require_open()?;
        let Call { now, by, witness } = call;
        self.require_member(who)?;
        if let Some(ownership) = self.ownership().filter(|ownership| ownership.lease.holder == *who) {
            let (current_turn_id, lease_expires_at) = (self.turn, ownership.lease.expires_at);
            return Err(if by.agent_id != *who {
                Refusal::RemovesHolder { current_owner: who.clone(), current_turn_id, lease_expires_at }
            } else if ownership.standing(now, witness) == Standing::Gone {
                self.stale_lease(now, witness, HOLDER_GONE)
            } else {
                Refusal::HoldsStick { current_turn_id }
            });
        }
        let reserved_for = self.next_recipient(now, who, witness);
        Ok(Event::Left(Left {
            agent_id: who.clone(),
            claim_expires_at: reserved_for.as_ref().map(|_| now.plus(self.policy.claim_ttl_ms)),
            reserved_for,
            retired: None,
        }))
    }

    /// The member whom a reservation goes to that was kept for `who`.
    pub(super) fn next_recipient(&self, now: Timestamp, who: &AgentId, witness: &dyn Witness) -> Option<AgentId> {
        let is_theirs = self.reservation().is_some_and(|reservation| reservation.recipient == *who);
        is_theirs.then(|| self.next_active_after(now, who, witness)).flatten()
    }

    /// Takes a member off the list whose process is proven gone or whose rest is over, unless the stick is its own or kept
    /// for it: then a takeover comes first.
    pub fn retire(&self, call: Call<'_>, who: &AgentId) -> Result<Option<Event>, Refusal> {
        self.require_open()?;
        let Some(member) = self.member(who) else { return Ok(None) };
        let recipient = self.reservation().map(|reservation| &reservation.recipient);
        if !self.has_ended(call.now, member, call.witness) || self.owner() == Some(who) || recipient == Some(who) {
            return Ok(None);
        }
        let (agent_id, retired) = (who.clone(), member.liveness(call.witness).proof());
        Ok(Some(Event::Left(Left { agent_id, reserved_for: None, claim_expires_at: None, retired })))
    }

    /// Gives the room another name.
    pub fn rename(&self, name: &str) -> Result<Option<Event>, Refusal> {
        self.require_open()?;
        check_name(name)?;
        if self.name.as_deref() == Some(name) {
            return Ok(None);
        }
        Ok(Some(Event::Renamed(Renamed { name: name.to_owned() })))
    }

    /// A stick that is kept for somebody, with its handoff, concerns that member and whoever handed it on. Nobody else ends
    /// the room while the claim is in force, except a person who steers.
    fn require_not_kept_from(&self, call: Call<'_>, authority: Authority) -> Result<(), Refusal> {
        let Call { now, by, witness } = call;
        if let Some(reservation) = self.reservation()
            && ![&reservation.recipient, &reservation.pending.from].contains(&&by.agent_id)
            && authority != Authority::Operator
            && !expired(reservation.claim_expires_at, now)
            && !self.is_recipient_gone(now, reservation, witness)
        {
            return Err(Refusal::KeptForAnother {
                reserved_for: reservation.recipient.clone(),
                from_agent_id: reservation.pending.from.clone(),
                claim_expires_at: reservation.claim_expires_at,
                current_turn_id: self.turn,
                room_state: RoomState::Reserved,
            });
        }
        Ok(())
    }

    /// The owner closes under its fence. Nobody else may while its lease is in force; once the stick is free or open to
    /// takeover, any member may.
    pub fn close(&self, call: Call<'_>, closing: &Closing, authority: Authority) -> Result<Event, Refusal> {
        self.require_open()?;
        let Call { now, by, witness } = call;
        let Closing { expected_turn, lease_id, reason } = closing;
        self.require_authority(&by.agent_id, authority)?;
        self.require_turn(call, *expected_turn)?;
        self.require_not_kept_from(call, authority)?;
        if let Some(ownership) = self.ownership() {
            let recoverable = ownership.standing(now, witness) != Standing::Held;
            match lease_id {
                Some(lease_id) => {
                    let shown = Shown { turn: *expected_turn, lease_id: lease_id.clone() };
                    self.fenced(call, &shown)?;
                }
                None if recoverable && ownership.lease.holder != by.agent_id => {}
                None if ownership.belongs_to(by) => {
                    let why = "You hold the stick; show its lease to close the room, or release the stick first.";
                    return Err(self.stale_lease(now, witness, why));
                }
                None => return Err(self.stale_lease(now, witness, "The room is held; only its owner may close it.")),
            }
        }
        if let Some(reason) = reason {
            check_reason(reason)?;
        }
        Ok(Event::Closed(Closed { reason: reason.clone() }))
    }

    /// Changes the turn order: every member, once, by name or id.
    pub fn reorder(&self, call: Call<'_>, order: &[String], authority: Authority) -> Result<Option<Event>, Refusal> {
        self.require_open()?;
        self.require_authority(&call.by.agent_id, authority)?;
        let unknown: Vec<_> = order.iter().filter(|word| self.named(word).is_none()).cloned().collect();
        let order: Vec<&AgentId> =
            order.iter().filter_map(|word| self.named(word)).map(|known| &known.agent_id).collect();
        let mut seen = HashSet::new();
        let repeated: Vec<_> =
            order.iter().filter(|agent| !seen.insert(**agent)).map(|agent| (*agent).clone()).collect();
        let current = self.members.iter().map(|member| &member.agent_id);
        let missing: Vec<_> = current.clone().filter(|agent| !seen.contains(agent)).cloned().collect();
        if !(repeated.is_empty() && unknown.is_empty() && missing.is_empty()) {
            return Err(Refusal::InvalidOrder { missing, unknown, repeated });
        }
        if current.eq(order.iter().copied()) {
            return Ok(None);
        }
        Ok(Some(Event::Reordered(Reordered { order: order.into_iter().cloned().collect() })))
    }

    /// Changes the timings.
    pub fn set_policy(
        &self,
        call: Call<'_>,
        setting: &PolicySetting,
        authority: Authority,
    ) -> Result<Option<Event>, Refusal> {
        self.require_open()?;
        let PolicySetting { change, expected_turn, lease_id } = setting;
        self.require_turn(call, expected_turn.unwrap_or(self.turn))?;
        self.require_policy_right(call, change, authority)?;
        if let Some(lease_id) = lease_id {
            self.fenced(call, &Shown { turn: self.turn, lease_id: lease_id.clone() })?;
        }
        let policy = self.policy.changed(change)?;
        Ok((policy != self.policy).then_some(Event::PolicySet(PolicySet { policy })))
    }

    /// Timings belong to the owner, lest another shortens its lease and takes over. An idle room has no owner, and so
    /// nobody but an operator changes them. Spawning and edges decide what agents may do, so no agent changes them.
    fn require_policy_right(&self, call: Call<'_>, change: &PolicyChange, authority: Authority) -> Result<(), Refusal> {
        let Call { now, by, witness } = call;
        if authority == Authority::Operator {
            return Ok(());
        }
        if let Some(field) = change.steering_field() {
            return Err(Refusal::OperatorOnly { field, needs: "operator" });
        }
        self.require_member(&by.agent_id)?;
        match self.ownership() {
            Some(ownership) if ownership.lease.holder == by.agent_id => {
                let shown = Shown { turn: self.turn, lease_id: ownership.lease_id.clone() };
                self.fenced(call, &shown).map(|_| ())
            }
            Some(_) | None => Err(Refusal::OwnerOnly {
                needs: "owner",
                current_owner: self.owner().cloned(),
                current_turn_id: self.turn,
                room_state: self.stick_state(now, witness),
            }),
        }
    }

    /// The contract's order of errors for owner mutations: first the turn, then the owner's token.
    fn fenced(&self, call: Call<'_>, shown: &Shown) -> Result<&Ownership, Refusal> {
        let Call { now, by, witness } = call;
        self.require_turn(call, shown.turn)?;
        let stale = |why| self.stale_lease(now, witness, why);
        let Some(ownership) = self.ownership() else {
            return Err(stale("The supplied lease ended with its turn; nobody holds the stick."));
        };
        if ownership.lease_id != shown.lease_id {
            return Err(stale("The supplied lease is no longer current for this room."));
        }
        if ownership.lease.holder != by.agent_id {
            return Err(stale("The supplied lease is its holder's alone, and you are another agent."));
        }
        if ownership.standing(now, witness) == Standing::Gone {
            return Err(stale(HOLDER_GONE));
        }
        if !ownership.belongs_to(by) {
            return Err(stale("The stick was granted to another process of this agent, which may still work."));
        }
        Ok(ownership)
    }

    fn require_turn(&self, call: Call<'_>, expected: Fence) -> Result<(), Refusal> {
        if expected == self.turn {
            return Ok(());
        }
        Err(Refusal::TurnMismatch {
            expected_turn_id: expected,
            current_turn_id: self.turn,
            current_owner: self.owner().cloned(),
            kept_by: self.guardian(),
            room_state: self.stick_state(call.now, call.witness),
        })
    }

    /// Refuses everybody once the room is closed.
    pub(super) fn require_open(&self) -> Result<(), Refusal> {
        if self.stick == Stick::Closed { Err(Refusal::Closed) } else { Ok(()) }
    }

    /// A person who steers and the agent of a job need not be members; everybody else must.
    fn require_authority(&self, agent: &AgentId, authority: Authority) -> Result<(), Refusal> {
        match authority {
            Authority::Member => self.require_member(agent),
            Authority::JobAgent | Authority::Operator => Ok(()),
        }
    }

    /// Refuses a caller who is not, or no longer, a member.
    pub fn require_member(&self, agent: &AgentId) -> Result<(), Refusal> {
        match self.rank(agent) {
            Some(_) => Ok(()),
            None => Err(Refusal::NotAMember { agent_id: agent.clone() }),
        }
    }

    fn stale_lease(&self, now: Timestamp, witness: &dyn Witness, why: &'static str) -> Refusal {
        Refusal::StaleLease {
            why,
            current_owner: self.owner().cloned(),
            kept_by: self.guardian(),
            current_turn_id: self.turn,
            room_state: self.stick_state(now, witness),
        }
    }

    fn caller_is_gone(&self, by: &Actor, witness: &dyn Witness) -> bool {
        by.process.as_ref().is_some_and(|process| witness.liveness(process).is_gone())
    }

    fn grant(&self, now: Timestamp, by: &Actor, lease_id: &LeaseId) -> Granted {
        let lease = Lease::grant(by.agent_id.clone(), self.turn, now, self.policy.owner_lease_ttl_ms);
        Granted {
            turn_id: lease.fence,
            lease_id: lease_id.clone(),
            lease_expires_at: lease.expires_at,
            process: by.process.clone(),
        }
    }

    fn released(
        &self,
        now: Timestamp,
        to: Option<AgentId>,
        handoff: &Handoff,
        tree: Option<&tree::Record>,
    ) -> Released {
        Released {
            turn_id: self.turn,
            claim_expires_at: to.as_ref().map(|_| now.plus(self.policy.claim_ttl_ms)),
            to_agent_id: to,
            handoff: handoff.clone(),
            tree: tree.cloned(),
        }
    }

    /// The first active member behind `agent` in the current list, going round.
    pub fn next_active_after(&self, now: Timestamp, agent: &AgentId, witness: &dyn Witness) -> Option<AgentId> {
        let start = self.rank(agent).map_or(self.sequence_index, |rank| rank + 1);
        let count = self.members.len();
        (0..count)
            .map(|step| &self.members[(start + step) % count])
            .filter(|member| member.agent_id != *agent)
            .find(|member| member.is_active(now, &self.policy, witness))
            .map(|member| member.agent_id.clone())
    }

    fn active_others(&self, now: Timestamp, agent: &AgentId, witness: &dyn Witness) -> Vec<AgentId> {
        self.members
            .iter()
            .filter(|member| member.agent_id != *agent && member.is_active(now, &self.policy, witness))
            .map(|member| member.agent_id.clone())
            .collect()
    }
}

/// Whether a join is somebody's first.
#[derive(PartialEq, Eq)]
enum Rejoin {
    Yes,
    No,
}

/// Whether `member`, whose process is gone, is plainly there in another process.
fn came_back(member: &Member, by: &Actor, witness: &dyn Witness) -> bool {
    let Some(old) = &member.process else { return false };
    let is_there = by.process.as_ref().is_some_and(|new| !old.same_process(new) && !witness.liveness(new).is_gone());
    is_there && witness.liveness(old).is_gone()
}

/// Told to an agent whose turn was another process's, which is gone.
const HOLDER_GONE: &str = "The process that held this lease is gone; take the stick over to go on.";

fn check_reason(reason: &str) -> Result<(), Refusal> {
    match blank_or_long(reason, limits::REASON_BYTES) {
        Some(why) => Err(Refusal::InvalidReason { why, field: "reason" }),
        None => Ok(()),
    }
}

/// Refuses a name that says nothing, is too long, or that a terminal could not show.
pub fn check_name(name: &str) -> Result<(), Refusal> {
    let problem = if name.trim().is_empty() {
        Some("must say something".to_owned())
    } else if name.chars().count() > limits::SESSION_NAME_CHARS {
        Some(format!("must have at most {} characters", limits::SESSION_NAME_CHARS))
    } else if name.chars().any(char::is_control) {
        Some("must not have control characters".to_owned())
    } else {
        None
    };
    match problem {
        Some(why) => Err(Refusal::InvalidName { why, field: "name" }),
        None => Ok(()),
    }
}
