//! Claiming a job, and showing the claim.

use super::{
    Capability, CapabilityDigest, Claim, Claimed, Event, Job, Reclaimed, Refusal, Status,
    event::{ReclaimMeta, ReclaimReason},
    spec::Executor,
};
use crate::{
    claimant::{Backing, Claimant},
    ids::AgentId,
    lease::{Fence, expired},
    limits,
    process::{Proof, Witness},
    time::{Timestamp, Ttl},
};

/// A runner wants a job.
#[derive(Clone, Debug)]
pub struct Claiming {
    /// Who.
    pub runner: AgentId,
    /// For how long, unless it reports.
    pub ttl: Ttl,
    /// With which program, where that is known.
    pub executor: Option<Executor>,
    /// Whether a job whose claim ran out may be taken.
    pub allow_stale: bool,
    /// Whether a job may be taken while its claim is in force.
    pub force: Force,
    /// The claimant's process or credential.
    pub backing: Backing,
    /// The digest of the secret that the claim is given.
    pub capability_sha256: Option<CapabilityDigest>,
}

/// Whether a claim in force is respected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// It is.
    No,
    /// Somebody decided to take the job from its runner.
    Manual,
    /// The same, and what runners say about themselves contradicts the claim.
    Conflict,
}

/// A claim as it is shown with a report.
#[derive(Clone, Debug)]
pub struct Shown {
    /// In whose name.
    pub runner: AgentId,
    /// Which claim.
    pub revision: Fence,
    /// The caller that shows it.
    pub by: Claimant,
    /// The secret of the claim, if the caller is the job's own agent.
    pub capability: Option<Capability>,
}

impl Shown {
    /// Whether the job's own agent shows it, and not its claimant.
    pub const fn is_own_agent(&self) -> bool {
        self.capability.is_some()
    }
}

impl Claim {
    /// Why the process that made the claim is certainly gone, if it is.
    pub fn proof_of_end(&self, witness: &dyn Witness) -> Option<Proof> {
        witness.liveness(self.claimant.backing.process.as_deref()?).proof()
    }
}

impl Job {
    /// Decides that `claiming` gets the job. One that has lost its runner too often is over instead: then the event is its end.
    pub fn claim(&self, now: Timestamp, claiming: &Claiming, witness: &dyn Witness) -> Result<Event, Refusal> {
        let revision = self.revision.next();
        let (runner_id, expires_at) = (claiming.runner.clone(), now.plus(claiming.ttl));
        let (job, executor) = (self.id, claiming.executor);
        let (backing, capability_sha256) = (claiming.backing.clone(), claiming.capability_sha256.clone());
        match (self.status, &self.claim) {
            (Status::Queued, _) => Ok(Event::Claimed(Claimed {
                job,
                runner_id,
                revision,
                expires_at,
                executor,
                backing,
                capability_sha256,
            })),
            (Status::Running, Some(claim)) => {
                let (reason, proof) = self.takeover(now, claim, claiming, witness)?;
                if reason.is_loss() && self.losses >= limits::JOB_LOSSES {
                    return Ok(self.lost(claim));
                }
                let previous_runner_id = Some(claim.lease.holder.clone());
                let meta = ReclaimMeta { previous_runner_id, reason, proof };
                Ok(Event::Reclaimed(Reclaimed {
                    job,
                    runner_id,
                    revision,
                    expires_at,
                    executor,
                    backing,
                    capability_sha256,
                    meta,
                }))
            }
            (Status::Running | Status::Done | Status::Failed | Status::Canceled, _) => {
                Err(self.wrong("it is over; requeue it to have it done again"))
            }
        }
    }

    /// Why a claim may be taken over, if it may. A claim whose process is proven gone needs no waiting for its end.
    fn takeover(
        &self,
        now: Timestamp,
        claim: &Claim,
        claiming: &Claiming,
        witness: &dyn Witness,
    ) -> Result<(ReclaimReason, Option<Proof>), Refusal> {
        let proof = claim.proof_of_end(witness);
        let over = expired(claim.lease.expires_at, now) || proof.is_some();
        let (runner_id, claim_expires_at) = (claim.lease.holder.clone(), claim.lease.expires_at);
        match claiming.force {
            _ if over && claiming.allow_stale => match proof {
                Some(_) => Ok((ReclaimReason::RunnerGone, proof)),
                None => Ok((ReclaimReason::TtlExpired, None)),
            },
            Force::Manual => Ok((ReclaimReason::Manual, None)),
            Force::Conflict => Ok((ReclaimReason::ConflictResolved, None)),
            Force::No if over => Err(Refusal::Stale { job: self.id, runner_id, claim_expires_at }),
            Force::No => Err(Refusal::Claimed { job: self.id, runner_id, revision: self.revision, claim_expires_at }),
        }
    }

    /// How long from `now` a program of an earlier claim may still run. Nobody starts another one before.
    pub fn start_after(&self, now: Timestamp) -> Option<Ttl> {
        let end = self.earlier_claim_ends_at?.plus(limits::PROGRAM_GRACE);
        (end > now).then(|| end.since(now))
    }

    /// The end of a job that takes its runners with it.
    fn lost(&self, claim: &Claim) -> Event {
        let summary = format!(
            "Lost its runner {} times in a row, last {}. Requeue it to try again.",
            self.losses + 1,
            claim.lease.holder
        );
        let (refs, proof, meta) = (Vec::new(), None, serde_json::Map::new());
        Event::Failed(super::Ended { job: self.id, revision: self.revision, summary, refs, proof, meta })
    }

    /// Refuses a caller that does not show the claim in force, or that neither made it nor has its secret. Runner and
    /// revision can be read in the log, so knowing them is not enough.
    pub fn require_claim(&self, shown: &Shown) -> Result<(), Refusal> {
        let in_force = self.claim.as_ref().filter(|claim| {
            self.status == Status::Running && claim.lease.holder == shown.runner && claim.lease.fence == shown.revision
        });
        match (in_force, &shown.capability) {
            (Some(claim), Some(secret)) => match &claim.capability {
                Some(digest) if digest.is_of(secret) => Ok(()),
                Some(_) | None => Err(Refusal::WrongCapability { job: self.id, revision: self.revision }),
            },
            (Some(claim), None) if claim.claimant.is_same(&shown.by) => Ok(()),
            (Some(claim), None) => Err(Refusal::NotClaimant {
                job: self.id,
                claimant: claim.claimant.agent.clone(),
                occupant: claim.claimant.backing.occupant(),
            }),
            (None, _) => Err(Refusal::ClaimOver {
                job: self.id,
                shown_runner_id: shown.runner.clone(),
                shown_revision: shown.revision,
                status: self.status,
                runner_id: self.claim.as_ref().map(|claim| claim.lease.holder.clone()),
                revision: self.revision,
            }),
        }
    }

    /// Whether a runner has it and its claim has run out.
    pub fn is_stale(&self, now: Timestamp) -> bool {
        let over = |claim: &Claim| expired(claim.lease.expires_at, now);
        self.status == Status::Running && self.claim.as_ref().is_some_and(over)
    }

    pub(super) fn wrong(&self, why: &'static str) -> Refusal {
        Refusal::WrongStatus { job: self.id, status: self.status, why }
    }
}

/// The span that was asked for, or `default`, brought within the bounds of leases.
pub fn clamp(asked_ms: Option<u64>, default: Ttl) -> Ttl {
    let (least, most) = limits::LEASE_TTL;
    asked_ms.map_or(default, Ttl::from_millis).clamp(least, most)
}
