//! What does not fit together between what runners say and what jobs are. Facts only: nothing is guessed.

use std::collections::BTreeSet;

use super::{Capabilities, Phase, Runner, Standing, TroubleKind};
use crate::{
    ids::AgentId,
    job::{Job, JobId, Status, line_text, radar::moves},
    lease::expired,
    time::Timestamp,
    words::words,
};

words! {
    /// What does not fit.
    DiagnosisKind {
        /// It says it is at a job, and not at which.
        LiveMissingActiveJob "live_missing_active_job",
        /// It says it is idle, and at a job.
        IdleHasActiveJob "idle_has_active_job",
        /// The job it says it is at does not exist.
        ActiveJobUnknown "active_job_unknown",
        /// The job it says it is at is not being done.
        ActiveJobNotRunning "active_job_not_running",
        /// The job it says it is at is another runner's.
        JobRunnerMismatch "job_runner_mismatch",
        /// Its claim on the job it is at has run out.
        JobClaimExpired "job_claim_expired",
        /// Two runners say they are at the same job.
        DuplicateActiveJob "duplicate_active_job",
        /// A job is claimed, and its runner is gone.
        JobRunnerOffline "job_runner_offline",
        /// It cannot use one of its executors.
        ExecutorTrouble "executor_trouble",
    }
}

impl DiagnosisKind {
    /// What it means, for a person.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::LiveMissingActiveJob => "says that it is at work, and not at which job",
            Self::IdleHasActiveJob => "says that it is idle, and names a job that it is at",
            Self::ActiveJobUnknown => "says that it is at a job that does not exist",
            Self::ActiveJobNotRunning => "says that it is at a job that nobody is doing",
            Self::JobRunnerMismatch => "says that it is at a job that another runner has claimed",
            Self::JobClaimExpired => "is at a job whose claim has run out",
            Self::DuplicateActiveJob => "is at a job that another runner says it is at, too",
            Self::JobRunnerOffline => "is gone, and its claim on a job is still in force",
            Self::ExecutorTrouble => "cannot use one of its executors, and takes no jobs for it",
        }
    }

    /// What to do about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::LiveMissingActiveJob | Self::IdleHasActiveJob | Self::ActiveJobUnknown => {
                "Start the runner again: what it says of itself is wrong."
            }
            Self::ActiveJobNotRunning => "It stops by itself at its next report. If it does not, end that runner.",
            Self::JobRunnerMismatch | Self::DuplicateActiveJob => {
                "Only the claim counts: end the runner that does not have it. What it reports is refused."
            }
            Self::JobClaimExpired => "Any runner may claim the job again. Requeue it to have that now.",
            Self::JobRunnerOffline => "Wait until the claim runs out, or requeue the job to have it done by another.",
            Self::ExecutorTrouble => {
                "It tries again by itself. Mend the cause and say so with `baton job runner reset` to have that now."
            }
        }
    }
}

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// What.
    pub kind: DiagnosisKind,
    /// Which runner.
    pub runner: Option<AgentId>,
    /// Which job.
    pub job: Option<JobId>,
    /// The particulars, in a line.
    pub about: Option<String>,
}

impl Diagnosis {
    /// Its line on the radar.
    pub fn line(&self) -> String {
        let sign = if self.kind == DiagnosisKind::JobClaimExpired { '~' } else { '!' };
        let runner = self.runner.as_ref().map_or(String::new(), |runner| format!(" runner={runner}"));
        let job = self.job.map_or(String::new(), |job| format!(" job={job}"));
        let about = self.about.as_deref().map_or(String::new(), |about| format!(" | {}", line_text(about)));
        format!("{sign} diag {}{runner}{job}{}{about}", self.kind, moves(self.runner.as_ref(), self.job))
    }
}

/// What does not fit between `runners` and `jobs`, which has those that the runners name or have claimed, where they exist.
/// In the order of runners, whatever the order in which they are given.
pub fn diagnose(now: Timestamp, runners: &[Runner], jobs: &[Job]) -> Vec<Diagnosis> {
    let mut found = Vec::new();
    let mut sorted: Vec<&Runner> = runners.iter().collect();
    sorted.sort_by(|one, other| one.id.cmp(&other.id));
    for runner in sorted {
        let mut say = |kind, job| found.push(Diagnosis { kind, runner: Some(runner.id.clone()), job, about: None });
        if runner.standing(now) == Standing::Offline {
            // What it last said does not count: it may have claimed a job after that, or signed off.
            let left: BTreeSet<JobId> =
                jobs.iter().filter(|job| is_claimed_by(job, runner, now)).map(|job| job.id).collect();
            left.into_iter().for_each(|job| say(DiagnosisKind::JobRunnerOffline, Some(job)));
            continue;
        }
        match (runner.phase, runner.active.first()) {
            (Phase::Live, None) => say(DiagnosisKind::LiveMissingActiveJob, None),
            (Phase::Idle, Some(job)) => say(DiagnosisKind::IdleHasActiveJob, Some(*job)),
            (Phase::Live, Some(_)) | (Phase::Idle, None) => {}
        }
        for id in &runner.active {
            let job = jobs.iter().find(|job| job.id == *id);
            if let Some(kind) = contradiction(now, runner, job, runners) {
                say(kind, Some(*id));
            }
        }
        found.extend(troubles(runner));
    }
    found
}

/// The executors that a runner cannot use. Programs that are not there concern only a job that asks for one, which says so
/// itself ([`super::blocked`]).
fn troubles(runner: &Runner) -> impl Iterator<Item = Diagnosis> {
    let troubles = runner.capabilities.iter().flat_map(Capabilities::troubles);
    troubles.filter(|(_, trouble)| trouble.kind != TroubleKind::Missing).map(|(executor, trouble)| {
        let probe = trouble.next_probe_at.map_or(String::new(), |next| format!(" next try {next}"));
        let about = Some(format!("{}{probe}", trouble.words(executor)));
        Diagnosis { kind: DiagnosisKind::ExecutorTrouble, runner: Some(runner.id.clone()), job: None, about }
    })
}

/// What is wrong with a runner that is there saying that it is at `job`.
fn contradiction(now: Timestamp, runner: &Runner, job: Option<&Job>, runners: &[Runner]) -> Option<DiagnosisKind> {
    let Some(job) = job else { return Some(DiagnosisKind::ActiveJobUnknown) };
    let Some(claim) = job.claim.as_ref().filter(|_| job.status == Status::Running) else {
        return Some(DiagnosisKind::ActiveJobNotRunning);
    };
    let another = |other: &&Runner| {
        other.id != runner.id && other.standing(now) != Standing::Offline && other.active.contains(&job.id)
    };
    match () {
        () if runners.iter().any(|other| another(&other)) => Some(DiagnosisKind::DuplicateActiveJob),
        () if claim.lease.holder != runner.id => Some(DiagnosisKind::JobRunnerMismatch),
        () if expired(claim.lease.expires_at, now) => Some(DiagnosisKind::JobClaimExpired),
        () => None,
    }
}

/// Whether the runner still has a claim in force on the job.
fn is_claimed_by(job: &Job, runner: &Runner, now: Timestamp) -> bool {
    let by_it = |claim: &crate::job::Claim| claim.lease.holder == runner.id && !expired(claim.lease.expires_at, now);
    job.status == Status::Running && job.claim.as_ref().is_some_and(by_it)
}
