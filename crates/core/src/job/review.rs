//! What becomes of a job's result: it is used, or the job is sent back with a review.

use super::{
    Applied, Branched, Event, Job, Manager, Refusal, Requeued, Status,
    draft::{check_refs, check_text},
};
use crate::{limits, process::SessionKind, reference::Reference};

/// A review that gives a job another slice.
#[derive(Clone, Debug)]
pub struct Review {
    /// What is to be done differently.
    pub message: String,
    /// What it points to. They lead somewhere.
    pub refs: Vec<Reference>,
    /// The kind of session behind the reviewer.
    pub sender_kind: Option<SessionKind>,
    /// The newest patch of the job, which it goes on from.
    pub patch: Option<Reference>,
}

/// The patch of a job, and what it was made against.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Where it is kept.
    pub patch: Reference,
    /// The commit that it was made against.
    pub base: String,
}

impl Job {
    /// Decides that the job gets another slice, which is told the review. A job that is over is queued again and goes on from
    /// its own result; one that is not hears the review in its next slice, and does not end before.
    pub fn send_back(&self, review: &Review) -> Result<Vec<Event>, Refusal> {
        check_text("message", &review.message, limits::JOB_MESSAGE_CHARS)?;
        check_refs(&review.refs)?;
        let told = Event::Manager(Manager {
            job: self.id,
            sender_kind: review.sender_kind,
            message: review.message.trim().to_owned(),
            refs: review.refs.clone(),
            // A review asks for more; it never says that the work is shown to be done.
            proves: false,
            sends_back: true,
        });
        match self.status {
            Status::Queued | Status::Running => Ok(vec![told]),
            Status::Done | Status::Failed => {
                let patch = review.patch.clone();
                let queued = Requeued { sent_back: true, patch, ..self.requeued("It was sent back with a review.") };
                Ok(vec![Event::Requeued(queued), told])
            }
            Status::Canceled => Err(Refusal::NotSentBack { job: self.id, status: self.status }),
        }
    }

    /// Decides that the job is not done: a review came in that no slice was told of.
    pub fn require_reviewed(&self, pending: Option<&Reference>) -> Result<(), Refusal> {
        match pending {
            Some(review) => Err(Refusal::SentBack { job: self.id, review: review.clone() }),
            None => Ok(()),
        }
    }

    /// The event that the job's patch was applied to a workspace at `head`, where it changed `files`.
    pub fn applied(&self, patch: &Patch, head: &str, files: u32) -> Event {
        let Patch { patch, base } = patch.clone();
        let plural = if files == 1 { "" } else { "s" };
        let message = format!("{patch} was applied to the workspace at {}: {files} file{plural}.", short(head));
        Event::Applied(Applied { job: self.id, patch, base, head: head.to_owned(), files, message })
    }

    /// The event that a branch was made of the job's patch.
    pub fn branched(&self, patch: &Patch, branch: &str, commit: &str) -> Event {
        let Patch { patch, base } = patch.clone();
        let message = format!("The branch {branch} has {patch}, as {}.", short(commit));
        let (branch, commit) = (branch.to_owned(), commit.to_owned());
        Event::Branched(Branched { job: self.id, patch, base, branch, commit, message })
    }
}

/// The beginning of a commit's id, as people write it.
fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}
