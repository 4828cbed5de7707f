//! What a member may do about the stick right now. Only looks; `decide` asks the same question again
//! inside the transaction that acts on the answer.

use super::{ClaimReason, Pending, Room, Stick, Via, resting::calls_back};
use crate::{
    ids::AgentId,
    lease::{Standing, expired},
    process::{Liveness, ProcessIdentity, Witness},
    time::Timestamp,
    words::words,
};

words! {
    /// What makes a takeover possible.
    TakeoverReason {
        /// The recipient did not claim in time.
        ClaimTimeout "claim_timeout",
        /// The owner's lease ran out.
        OwnerTimeout "owner_timeout",
        /// The owner's process is gone.
        OwnerGone "owner_gone",
        /// The recipient's process is gone.
        RecipientGone "recipient_gone",
    }
}

/// A member's position towards the stick.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Prospect {
    /// It is theirs already.
    Holding,
    /// They may claim it.
    Claimable {
        /// On what ground.
        reason: ClaimReason,
        /// The handoff they would receive.
        pending: Option<Pending>,
    },
    /// They may take it over.
    Takeover {
        /// On what ground.
        reason: TakeoverReason,
    },
    /// It is open to takeover, but others come first because this member was the last to hold it.
    PriorOwner {
        /// Who may take over.
        candidates: Vec<AgentId>,
    },
    /// They must wait.
    NotYet,
    /// There is nothing to wait for.
    Closed,
}

impl Room {
    /// Where `agent`, running as `process`, stands towards the stick at `now`.
    pub fn prospect(
        &self,
        now: Timestamp,
        agent: &AgentId,
        process: Option<&ProcessIdentity>,
        witness: &dyn Witness,
    ) -> Prospect {
        if process.is_some_and(|process| witness.liveness(process).is_gone()) {
            // A call that outlived its own harness acts for nobody.
            return if self.stick == Stick::Closed { Prospect::Closed } else { Prospect::NotYet };
        }
        match &self.stick {
            Stick::Closed => Prospect::Closed,
            Stick::Idle(pending) => Prospect::Claimable { reason: ClaimReason::OpenClaim, pending: pending.clone() },
            Stick::Owned(ownership) => match ownership.standing(now, witness) {
                Standing::Gone => Prospect::Takeover { reason: TakeoverReason::OwnerGone },
                Standing::Held | Standing::Expired
                    if ownership.lease.holder == *agent && ownership.is_process(process) =>
                {
                    Prospect::Holding
                }
                Standing::Expired => Prospect::Takeover { reason: TakeoverReason::OwnerTimeout },
                Standing::Held => Prospect::NotYet,
            },
            Stick::Reserved(reservation) if reservation.recipient == *agent => Prospect::Claimable {
                reason: match reservation.pending.via {
                    Via::Pass => ClaimReason::DirectPass,
                    Via::Release => ClaimReason::Sequence,
                },
                pending: Some(reservation.pending.clone()),
            },
            Stick::Reserved(reservation) if self.is_recipient_gone(now, reservation, witness) => {
                Prospect::Takeover { reason: TakeoverReason::RecipientGone }
            }
            Stick::Reserved(reservation) if expired(reservation.claim_expires_at, now) => {
                let prior = self.prior_owner(&reservation.pending.from);
                if !prior.is(agent, process) {
                    return Prospect::Takeover { reason: TakeoverReason::ClaimTimeout };
                }
                match self.claim_timeout_candidates(now, &reservation.recipient, &prior, witness) {
                    candidates if candidates.is_empty() => Prospect::Takeover { reason: TakeoverReason::ClaimTimeout },
                    candidates => Prospect::PriorOwner { candidates },
                }
            }
            Stick::Reserved(_) => Prospect::NotYet,
        }
    }

    /// The active members who could take over a missed claim in place of the prior owner.
    fn claim_timeout_candidates(
        &self,
        now: Timestamp,
        recipient: &AgentId,
        prior: &PriorOwner<'_>,
        witness: &dyn Witness,
    ) -> Vec<AgentId> {
        self.members
            .iter()
            .filter(|member| member.agent_id != *recipient && !prior.is(&member.agent_id, member.process.as_ref()))
            .filter(|member| member.is_active(now, &self.policy, witness))
            .map(|member| member.agent_id.clone())
            .collect()
    }

    fn prior_owner<'a>(&'a self, agent_id: &'a AgentId) -> PriorOwner<'a> {
        PriorOwner { agent_id, process: self.member(agent_id).and_then(|member| member.process.as_ref()) }
    }

    /// Whom a takeover would revoke, with what is known of their process, and when their time is up.
    pub(super) fn expected_holder(&self, witness: &dyn Witness) -> Option<ExpectedHolder> {
        match &self.stick {
            Stick::Owned(ownership) => Some(ExpectedHolder {
                agent_id: ownership.lease.holder.clone(),
                process: ownership.process.clone(),
                liveness: ownership.liveness(witness),
                expires_at: ownership.lease.expires_at,
            }),
            Stick::Reserved(reservation) => {
                let member = self.member(&reservation.recipient);
                Some(ExpectedHolder {
                    agent_id: reservation.recipient.clone(),
                    process: member.and_then(|member| member.process.clone()),
                    liveness: member.map_or(Liveness::Unknown, |member| member.liveness(witness)),
                    expires_at: reservation.claim_expires_at,
                })
            }
            Stick::Idle(_) | Stick::Closed => None,
        }
    }

    /// When time alone next changes what somebody may do.
    pub fn next_deadline(&self) -> Option<Timestamp> {
        match &self.stick {
            Stick::Owned(ownership) => Some(ownership.lease.expires_at),
            Stick::Reserved(reservation) => Some(reservation.claim_expires_at),
            Stick::Idle(_) | Stick::Closed => None,
        }
    }

    /// The processes behind this room: the owner's and the members', which may be the same.
    pub fn processes(&self) -> impl Iterator<Item = &ProcessIdentity> {
        let owners = self.ownership().and_then(|ownership| ownership.process.as_ref());
        owners.into_iter().chain(self.members.iter().filter_map(|member| member.process.as_ref()))
    }

    /// The process whose end would open a takeover.
    pub fn awaited_process(&self) -> Option<&ProcessIdentity> {
        match &self.stick {
            Stick::Owned(ownership) => ownership.process.as_ref(),
            Stick::Reserved(reservation) => {
                let recipient = self.member(&reservation.recipient);
                // One that was at rest already has no process whose end could open anything.
                recipient.filter(|member| !calls_back(reservation, member))?.process.as_ref()
            }
            Stick::Idle(_) | Stick::Closed => None,
        }
    }
}

/// The last to hold the stick. A process does not come before others by taking another id.
struct PriorOwner<'a> {
    agent_id: &'a AgentId,
    process: Option<&'a ProcessIdentity>,
}

impl PriorOwner<'_> {
    fn is(&self, agent_id: &AgentId, process: Option<&ProcessIdentity>) -> bool {
        let is_process = || self.process.zip(process).is_some_and(|(own, other)| own.stands_for(other));
        agent_id == self.agent_id || is_process()
    }
}

/// The one a takeover would revoke.
pub(super) struct ExpectedHolder {
    pub(super) agent_id: AgentId,
    pub(super) process: Option<ProcessIdentity>,
    pub(super) liveness: Liveness,
    pub(super) expires_at: Timestamp,
}
