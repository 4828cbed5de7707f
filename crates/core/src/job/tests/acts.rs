//! What runners and managers do with a job, written as one would say it: `claim("r1")`, `done("r1", 1)`.

use serde_json::Value;

use super::scene::{JOB, agent, refs};
use crate::{
    claimant::{Backing, Claimant},
    ids::AgentId,
    job::{Capability, Claiming, Completion, Force, Outcome, Proven, Report, ReportKind, Shown, Standing, clamp},
    lease::Fence,
    limits,
    reference::Reference,
};

/// What somebody does with a job.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Claim(Claiming),
    Report(Shown, Report),
    Complete(Shown, Completion),
    Message(String, Vec<Reference>),
    Cancel(String),
    Requeue(String),
}

/// Claims what is queued, for as long as is usual.
pub(super) fn claim(runner: &str) -> Act {
    let ttl = clamp(None, limits::CLAIM_TTL);
    Act::Claim(Claiming {
        runner: agent(runner),
        ttl,
        executor: None,
        allow_stale: false,
        force: Force::No,
        backing: Backing::default(),
        capability_sha256: Some(secret(runner).digest()),
    })
}

/// The secret of every claim of a runner. Real ones are random.
pub(super) fn secret(runner: &str) -> Capability {
    format!("cap_{runner:0<26}").parse().unwrap()
}

/// Claims also what was left behind.
pub(super) fn claim_stale(runner: &str) -> Act {
    match claim(runner) {
        Act::Claim(claiming) => Act::Claim(Claiming { allow_stale: true, ..claiming }),
        act => act,
    }
}

/// Claims what another has.
pub(super) fn claim_by_force(runner: &str, force: Force) -> Act {
    match claim(runner) {
        Act::Claim(claiming) => Act::Claim(Claiming { force, ..claiming }),
        act => act,
    }
}

/// A claim as its runner shows it.
pub(super) fn shown(runner: &str, revision: u64) -> Shown {
    Shown { runner: agent(runner), revision: Fence(revision), by: agent(runner).into(), capability: None }
}

pub(super) fn report(kind: ReportKind, runner: &str, revision: u64, message: &str) -> Act {
    let report = Report {
        kind,
        message: message.to_owned(),
        percent: None,
        refs: Vec::new(),
        proof: Vec::new(),
        meta: Default::default(),
    };
    Act::Report(shown(runner, revision), report)
}

pub(super) fn progress(runner: &str, revision: u64, message: &str) -> Act {
    report(ReportKind::Progress, runner, revision, message)
}

pub(super) fn checkpoint(runner: &str, revision: u64, message: &str) -> Act {
    report(ReportKind::Checkpoint, runner, revision, message)
}

pub(super) fn question(runner: &str, revision: u64, message: &str) -> Act {
    report(ReportKind::Question, runner, revision, message)
}

pub(super) fn proof_gate(runner: &str, revision: u64) -> Act {
    report(ReportKind::ProofGate, runner, revision, "Nothing shows it")
}

pub(super) fn error(runner: &str, revision: u64, message: &str) -> Act {
    report(ReportKind::Error, runner, revision, message)
}

pub(super) fn heartbeat(runner: &str, revision: u64) -> Act {
    report(ReportKind::Heartbeat, runner, revision, "")
}

pub(super) fn complete(outcome: Outcome, runner: &str, revision: u64, summary: &str) -> Act {
    let (summary, meta) = (summary.to_owned(), serde_json::Map::new());
    let completion = Completion { outcome, summary, refs: Vec::new(), proof: None, meta };
    Act::Complete(shown(runner, revision), completion)
}

pub(super) fn done(runner: &str, revision: u64) -> Act {
    complete(Outcome::Done, runner, revision, "It was the cache.")
}

pub(super) fn failed(runner: &str, revision: u64) -> Act {
    complete(Outcome::Failed, runner, revision, "It cannot be built.")
}

pub(super) fn say(message: &str) -> Act {
    Act::Message(message.to_owned(), Vec::new())
}

pub(super) fn cancel(reason: &str) -> Act {
    Act::Cancel(reason.to_owned())
}

pub(super) fn requeue(reason: &str) -> Act {
    Act::Requeue(reason.to_owned())
}

impl Act {
    /// The same, pointing to something. Whatever can be proof was made during the job.
    pub(super) fn with(mut self, texts: &[&str]) -> Self {
        if let Self::Report(_, Report { proof, .. }) = &mut self {
            let can_prove = refs(texts).into_iter().filter(|reference| reference.can_prove(JOB));
            *proof = can_prove.map(|reference| Proven { reference, standing: Standing::Made }).collect();
        }
        match &mut self {
            Self::Report(_, Report { refs: pointing, .. })
            | Self::Complete(_, Completion { refs: pointing, .. })
            | Self::Message(_, pointing) => *pointing = refs(texts),
            Self::Claim(_) | Self::Cancel(_) | Self::Requeue(_) => panic!("{self:?} points to nothing"),
        }
        self
    }

    /// The same, with something to be noted.
    pub(super) fn noting(mut self, json: Value) -> Self {
        match &mut self {
            Self::Report(_, Report { meta, .. }) | Self::Complete(_, Completion { meta, .. }) => {
                *meta = json.as_object().unwrap().clone();
            }
            Self::Claim(_) | Self::Message(..) | Self::Cancel(_) | Self::Requeue(_) => panic!("{self:?} notes nothing"),
        }
        self
    }

    /// The same, so far along.
    pub(super) fn at_percent(mut self, percent: u8) -> Self {
        match &mut self {
            Self::Report(_, report) => report.percent = Some(percent),
            _ => panic!("{self:?} is no report"),
        }
        self
    }

    /// A report shown by another agent; with the secret of a runner's claim, where that is said.
    pub(super) fn shown_by(mut self, by: impl Into<Claimant>, secret_of: Option<&str>) -> Self {
        match &mut self {
            Self::Report(shown, _) | Self::Complete(shown, _) => {
                (shown.by, shown.capability) = (by.into(), secret_of.map(secret));
            }
            _ => panic!("{self:?} shows no claim"),
        }
        self
    }

    /// Who does it.
    pub(super) fn actor(&self) -> AgentId {
        match self {
            Self::Claim(claiming) => claiming.runner.clone(),
            Self::Report(shown, _) | Self::Complete(shown, _) => shown.by.agent.clone(),
            Self::Message(..) | Self::Cancel(_) | Self::Requeue(_) => agent("boss"),
        }
    }
}
