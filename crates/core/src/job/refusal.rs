//! Why something cannot be done with a job.

use serde::Serialize;

use super::{JobId, Status};
use crate::{
    claimant::in_brackets, code::ErrorCode, ids::AgentId, lease::Fence, reference::Reference, room::Occupant,
    time::Timestamp,
};

/// Why a request about a job was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(untagged)]
pub enum Refusal {
    /// A field says too little, too much, or the wrong thing.
    #[error("{field} {why}.")]
    Invalid {
        /// Which field.
        field: &'static str,
        /// What is wrong with it.
        #[serde(skip)]
        why: String,
    },
    /// Somebody else is at it.
    #[error("{job} is claimed by {runner_id} (revision {revision}) until {claim_expires_at}.")]
    Claimed {
        /// Which.
        job: JobId,
        /// By whom.
        runner_id: AgentId,
        /// Which claim.
        revision: Fence,
        /// Until when.
        claim_expires_at: Timestamp,
    },
    /// The claim has run out, and nobody said that it may be taken for that.
    #[error("{job} is RUNNING, and the claim of {runner_id} ran out at {claim_expires_at}.")]
    Stale {
        /// Which.
        job: JobId,
        /// Whose claim.
        runner_id: AgentId,
        /// Since when.
        claim_expires_at: Timestamp,
    },
    /// The shown claim is not the one in force: the work is somebody else's now, or nobody's.
    #[error("The claim ({shown_runner_id}, {shown_revision}) on {job} is over: {}.", standing(*.status, .runner_id.as_ref(), *.revision))]
    ClaimOver {
        /// Which.
        job: JobId,
        /// As whom it was shown.
        shown_runner_id: AgentId,
        /// Which claim was shown.
        shown_revision: Fence,
        /// How far the job is.
        status: Status,
        /// Who has it now.
        runner_id: Option<AgentId>,
        /// Which claim is the newest.
        revision: Fence,
    },
    /// The claim is in force, and another's.
    #[error("The claim on {job} was made by {claimant}{}, and only they may show it.", in_brackets(.occupant.as_ref()))]
    NotClaimant {
        /// Which.
        job: JobId,
        /// Whose it is.
        claimant: AgentId,
        /// The process or credential that made it.
        #[serde(flatten)]
        occupant: Option<Occupant>,
    },
    /// The claim is in force, and the secret that was shown is not its own.
    #[error("The capability that was shown for {job} is not the one of its claim {revision}.")]
    WrongCapability {
        /// The job.
        job: JobId,
        /// The claim in force.
        revision: Fence,
    },
    /// A job's own agent is not its manager.
    #[error("{job} is the caller's own job: {why}.")]
    OwnJob {
        /// Which.
        job: JobId,
        /// What it cannot do.
        #[serde(skip)]
        why: &'static str,
    },
    /// A job's agent manages the jobs that it created, and no other.
    #[error("{job} is not the caller's to manage: a job's agent manages only jobs that it created.")]
    NotManager {
        /// The job of somebody else.
        job: JobId,
        /// The agent that created it, if one did as part of a job of its own.
        #[serde(skip_serializing_if = "Option::is_none")]
        parent: Option<AgentId>,
    },
    /// It is not at a point where that makes sense.
    #[error("{job} is {status}: {why}.")]
    WrongStatus {
        /// Which.
        job: JobId,
        /// How far it is.
        status: Status,
        /// Why that does not go.
        #[serde(skip)]
        why: &'static str,
    },
    /// It was withdrawn, so no review brings it back.
    #[error("{job} is {status}, and a review does not bring it back.")]
    NotSentBack {
        /// The job.
        job: JobId,
        /// How far it is.
        status: Status,
    },
    /// A review came in that no slice was told of.
    #[error("{job} is not done: {review} sent it back, and no slice was told that.")]
    SentBack {
        /// The job.
        job: JobId,
        /// The review.
        review: Reference,
    },
    /// The runner cannot do it, or is not the one it is for.
    #[error("{job} is not for {runner_id}: {why}.")]
    NotFor {
        /// Which.
        job: JobId,
        /// Who asked.
        runner_id: AgentId,
        /// Why not.
        #[serde(skip)]
        why: String,
        /// Whom it is for.
        #[serde(skip_serializing_if = "Option::is_none")]
        chosen: Option<AgentId>,
    },
}

fn standing(status: Status, runner: Option<&AgentId>, revision: Fence) -> String {
    match runner {
        Some(runner) => format!("it is {status} under ({runner}, {revision})"),
        None => format!("it is {status}, at revision {revision}"),
    }
}

impl Refusal {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Invalid { .. } => ErrorCode::InvalidInput,
            Self::Claimed { .. } | Self::Stale { .. } | Self::ClaimOver { .. } => ErrorCode::Conflict,
            Self::WrongCapability { .. } | Self::NotManager { .. } => ErrorCode::Forbidden,
            Self::NotClaimant { .. }
            | Self::OwnJob { .. }
            | Self::WrongStatus { .. }
            | Self::NotSentBack { .. }
            | Self::SentBack { .. }
            | Self::NotFor { .. } => ErrorCode::PreconditionFailed,
        }
    }

    /// What to do next.
    pub fn next(&self) -> Option<String> {
        match self {
            Self::Claimed { job, .. } => Some(format!("Leave {job} to its runner, or claim another job.")),
            Self::Stale { job, .. } => Some(format!("Claim {job} again with allow_stale: true.")),
            Self::ClaimOver { job, .. } => Some(format!(
                "Stop working on {job}: whatever you still report is refused. Claim it anew if it is free."
            )),
            Self::NotSentBack { job, .. } => {
                Some(format!("Have {job} done again with `jobs requeue`, then tell it with `jobs message`."))
            }
            Self::SentBack { review, .. } => {
                Some(format!("Read it with `open` {review}, begin another turn, and complete the job after it."))
            }
            Self::WrongStatus { job, .. } => Some(format!("Look at it with `open` {job}.")),
            Self::NotFor { chosen: Some(chosen), .. } => Some(format!("Leave it to {chosen}, or claim another job.")),
            Self::OwnJob { .. } => {
                Some("Report with `jobs report`; to be decided on by a manager, report kind question.".to_owned())
            }
            Self::NotManager { job, .. } => Some(format!(
                "Leave {job} to its manager. Report kind question on your own job if something must become of it."
            )),
            Self::NotClaimant { job, .. } => {
                Some(format!("Leave {job} to them, or claim it yourself once it is free."))
            }
            Self::WrongCapability { .. } => Some(
                "Only the program that a runner started for the job has its capability, in BATON_JOB. Unset BATON_JOB to \
                 act as yourself."
                    .to_owned(),
            ),
            Self::Invalid { .. } | Self::NotFor { chosen: None, .. } => None,
        }
    }
}
