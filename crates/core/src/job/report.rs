//! What whoever is at a job says about it, until it is over.

use serde_json::{Map, Value};

use super::{
    Ended, Event, Job, Proven, Refusal, Reported, Shown,
    draft::{check_meta, check_refs},
    proof::is_shown_by,
    state::cut,
};
use crate::{handoff::blank_or_long, limits, redact::redact, reference::Reference, words::words};

words! {
    /// What sort of report it is.
    ReportKind {
        /// It goes on.
        Progress "progress",
        /// Something was reached.
        Checkpoint "checkpoint",
        /// Somebody has to decide.
        Question "question",
        /// It was said to be done, and nothing shows it.
        ProofGate "proof_gate",
        /// Something went wrong.
        Error "error",
        /// It is alive. This renews the claim and is no event.
        Heartbeat "heartbeat",
    }
}

words! {
    /// How a job ends by a runner's word.
    Outcome {
        /// It was done.
        Done "DONE",
        /// It could not be done.
        Failed "FAILED",
    }
}

/// A report.
#[derive(Clone, Debug)]
pub struct Report {
    /// What sort.
    pub kind: ReportKind,
    /// What is said. A heartbeat says nothing.
    pub message: String,
    /// How much is done.
    pub percent: Option<u8>,
    /// What it points to. They lead somewhere.
    pub refs: Vec<Reference>,
    /// How they stand as proof, by [`Job::weigh`].
    pub proof: Vec<Proven>,
    /// What is to be noted beside the job.
    pub meta: Map<String, Value>,
}

/// The end of a job.
#[derive(Clone, Debug)]
pub struct Completion {
    /// How it ended.
    pub outcome: Outcome,
    /// What came of it.
    pub summary: String,
    /// Where that is kept. They lead somewhere.
    pub refs: Vec<Reference>,
    /// How they stand as proof, by [`Job::weigh`]. Nobody asks that of a job that failed.
    pub proof: Option<Vec<Proven>>,
    /// What is to be noted beside the job.
    pub meta: Map<String, Value>,
}

impl Job {
    /// Decides on a report. A heartbeat is no event.
    pub fn report(&self, shown: &Shown, report: &Report) -> Result<Option<Event>, Refusal> {
        self.require_claim(shown)?;
        if report.percent.is_some_and(|percent| percent > 100) {
            return Err(Refusal::Invalid { field: "percent", why: "must be from 0 to 100".to_owned() });
        }
        check_refs(&report.refs)?;
        check_meta(&self.meta, &report.meta)?;
        if report.kind == ReportKind::Heartbeat {
            return Ok(None);
        }
        if crate::handoff::is_blank(&report.message) {
            return Err(Refusal::Invalid { field: "message", why: "must say something".to_owned() });
        }
        let reported = Reported {
            job: self.id,
            revision: shown.revision,
            // Before it is cut: a part of a secret is not recognised.
            message: cut(redact(&report.message).trim(), limits::JOB_MESSAGE_CHARS),
            percent: report.percent,
            refs: report.refs.clone(),
            proves: report.kind == ReportKind::Checkpoint && is_shown_by(&report.proof),
            meta: report.meta.clone(),
        };
        Ok(Some(match report.kind {
            ReportKind::Progress | ReportKind::Heartbeat => Event::Progress(reported),
            ReportKind::Checkpoint => Event::Checkpoint(reported),
            ReportKind::Question => Event::Question(reported),
            ReportKind::ProofGate => Event::ProofGate(reported),
            ReportKind::Error => Event::Error(reported),
        }))
    }

    /// Decides that the job is over.
    pub fn complete(&self, shown: &Shown, completion: &Completion) -> Result<Event, Refusal> {
        self.require_claim(shown)?;
        if shown.is_own_agent() {
            return Err(Refusal::OwnJob { job: self.id, why: "its runner ends it, once the answer has come" });
        }
        if let Some(why) = blank_or_long(&completion.summary, limits::JOB_SUMMARY_BYTES) {
            return Err(Refusal::Invalid { field: "summary", why });
        }
        check_refs(&completion.refs)?;
        check_meta(&self.meta, &completion.meta)?;
        let ended = Ended {
            job: self.id,
            revision: shown.revision,
            summary: completion.summary.trim().to_owned(),
            refs: completion.refs.clone(),
            proof: completion.proof.clone(),
            meta: completion.meta.clone(),
        };
        Ok(match completion.outcome {
            Outcome::Done => Event::Completed(ended),
            Outcome::Failed => Event::Failed(ended),
        })
    }
}
