//! Whether a session may resume the identity of another: only on evidence that its work is still there.
//!
//! Evidence is gathered outside ([`Evidence`]) and weighed here, inside the transaction that records the answer. The
//! same evidence always gives the same answer and the same reason.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Former, Presence, StaleAfter};
use crate::{
    ids::{AgentId, BeadId},
    process::{Liveness, ProcessIdentity},
    room::{Actor, Room},
};

/// Why an identity was resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ResumeReason {
    /// There are uncommitted changes in its scope.
    UncommittedScope,
    /// It owns work in progress.
    InProgressOwnership,
    /// There is neither, and a person at a terminal said so.
    ConfirmedByPerson,
}

/// What was found that speaks for an adoption.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// The scopes that the identity has or had: where changes count.
    pub scopes: Vec<String>,
    /// Uncommitted files inside them.
    pub changed: Vec<String>,
    /// Tasks and beads in progress that the identity owns and that are relevant to the scopes.
    pub in_progress: Vec<BeadId>,
    /// What could not be looked at, and why.
    pub gaps: Vec<String>,
    /// Whether a person at a terminal confirmed it, whatever was found.
    pub confirmed: bool,
}

/// Whose identity is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Whose it was last.
    pub agent_id: AgentId,
    /// Its name.
    pub name: String,
}

/// A request to resume an identity.
#[derive(Clone, Debug)]
pub struct Adopting {
    /// Which.
    pub target: Target,
    /// On what grounds.
    pub evidence: Evidence,
    /// When agents count as stale.
    pub stale_after: StaleAfter,
    /// Names that are not in use, and not free either.
    pub former: Vec<Former>,
}

/// Why an adoption is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Rejection {
    /// Nothing speaks for it.
    NoEvidence,
    /// Its own session is alive.
    IdentityInUse,
    /// It is the caller's own.
    OwnIdentity,
    /// The caller holds the stick under its present name.
    AdopterHoldsStick,
}

impl Evidence {
    /// The contract's reason, if there is one. Changes come before tasks.
    pub fn reason(&self) -> Option<ResumeReason> {
        if !self.changed.is_empty() {
            Some(ResumeReason::UncommittedScope)
        } else if !self.in_progress.is_empty() {
            Some(ResumeReason::InProgressOwnership)
        } else {
            self.confirmed.then_some(ResumeReason::ConfirmedByPerson)
        }
    }

    /// A sentence on why it passes, or on what is missing.
    pub fn summary(&self) -> String {
        /// Names that a summary lists.
        const LISTED: usize = 5;
        let list = |names: &[String]| {
            let shown = names.iter().take(LISTED).cloned().collect::<Vec<_>>().join(", ");
            let more = names.len().saturating_sub(LISTED);
            if more == 0 { shown } else { format!("{shown} and {more} more") }
        };
        let scope = list(&self.scopes);
        let mut parts = Vec::new();
        match self.changed.len() {
            0 => {}
            1 => parts.push(format!("1 uncommitted file in {scope}: {}", list(&self.changed))),
            count => parts.push(format!("{count} uncommitted files in {scope}: {}", list(&self.changed))),
        }
        if !self.in_progress.is_empty() {
            let ids: Vec<String> = self.in_progress.iter().map(|id| id.as_str().to_owned()).collect();
            parts.push(format!("in progress: {}", list(&ids)));
        }
        if parts.is_empty() {
            parts.push(match self.scopes.is_empty() {
                true => "it has claimed no scope".to_owned(),
                false => format!("no uncommitted changes in {scope}"),
            });
            parts.push("no task of its own in progress".to_owned());
            parts.extend(self.gaps.iter().cloned());
            parts.extend(self.confirmed.then(|| "confirmed by a person at a terminal".to_owned()));
        }
        parts.join("; ")
    }
}

/// What is known about the session that had the identity last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prior {
    pub(crate) presence: Presence,
    pub(crate) liveness: Liveness,
    pub(crate) process: Option<ProcessIdentity>,
}

impl Adopting {
    /// Whether the evidence lets `by` resume the target, and why.
    pub(crate) fn weigh(&self, room: &Room, by: &Actor, prior: &Prior) -> Result<ResumeReason, Rejection> {
        if self.target.agent_id == by.agent_id {
            return Err(Rejection::OwnIdentity);
        }
        if room.owner() == Some(&by.agent_id) {
            return Err(Rejection::AdopterHoldsStick);
        }
        let is_active = prior.presence == Presence::Active;
        // A session of the caller's own process is over once it has been silent: a conversation that was cleared. Before
        // that it may be another conversation of a program that has several.
        let same_process = match (&prior.process, &by.process) {
            (Some(old), Some(new)) => old.same_process(new),
            _ => false,
        };
        // A live process that has not called for so long may be all that is left of a conversation.
        let is_alive = prior.liveness == Liveness::Alive && !same_process && prior.presence != Presence::Evicted;
        if is_active || is_alive {
            return Err(Rejection::IdentityInUse);
        }
        self.evidence.reason().ok_or(Rejection::NoEvidence)
    }
}
