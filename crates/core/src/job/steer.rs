//! What a manager does with a job: answer, cancel, have it done again. A runner can only give back what it has.

use super::{
    Canceled, Event, Job, Manager, Refusal, Requeued, Shown, Status, agent_of,
    draft::{check_refs, check_text},
};
use crate::{
    handoff::blank_or_long,
    ids::{AgentId, RoomId},
    limits,
    process::SessionKind,
    reference::Reference,
};

impl Job {
    /// Refuses a job's agent that does not manage this job of `room`. `by` is the agent of the job that the caller works for,
    /// where that can be told; `why` says what the job's own agent leaves to its manager.
    pub fn require_manager(&self, room: &RoomId, by: Option<&AgentId>, why: &'static str) -> Result<(), Refusal> {
        match by {
            Some(by) if *by == agent_of(room, self.id) => Err(Refusal::OwnJob { job: self.id, why }),
            Some(by) if self.lineage.parent.as_ref() == Some(by) => Ok(()),
            Some(_) | None => Err(Refusal::NotManager { job: self.id, parent: self.lineage.parent.clone() }),
        }
    }

    /// Decides that a manager said `message`.
    pub fn message(
        &self,
        message: &str,
        refs: &[Reference],
        sender_kind: Option<SessionKind>,
    ) -> Result<Event, Refusal> {
        if !self.status.is_active() {
            return Err(self.wrong("nobody would read it; requeue the job first"));
        }
        check_text("message", message, limits::JOB_MESSAGE_CHARS)?;
        check_refs(refs)?;
        // A manager's word counts whoever made what it points to.
        let proves = refs.iter().any(|reference| reference.can_prove(self.id));
        let (message, refs) = (message.trim().to_owned(), refs.to_vec());
        Ok(Event::Manager(Manager { job: self.id, sender_kind, message, refs, proves, sends_back: false }))
    }

    /// Decides that the job is not wanted any more. `None` means that it is so already.
    pub fn cancel(&self, reason: &str) -> Result<Option<Event>, Refusal> {
        check_reason(reason)?;
        match self.status {
            Status::Canceled => Ok(None),
            Status::Queued | Status::Running => Ok(Some(Event::Canceled(Canceled {
                job: self.id,
                reason: reason.trim().to_owned(),
                runner_id: self.claim.as_ref().map(|claim| claim.lease.holder.clone()),
            }))),
            Status::Done | Status::Failed => Err(self.wrong("it is over already")),
        }
    }

    /// Decides that the job is to be done again, or by somebody else. `None` means that it is queued already.
    pub fn requeue(&self, reason: &str) -> Result<Option<Event>, Refusal> {
        check_reason(reason)?;
        match self.status {
            Status::Queued => Ok(None),
            Status::Running | Status::Done | Status::Failed | Status::Canceled => {
                Ok(Some(Event::Requeued(self.requeued(reason))))
            }
        }
    }

    pub(super) fn requeued(&self, reason: &str) -> Requeued {
        Requeued {
            job: self.id,
            reason: reason.trim().to_owned(),
            runner_id: self.claim.as_ref().map(|claim| claim.lease.holder.clone()),
            given_back: false,
            sent_back: false,
            patch: None,
        }
    }

    /// Decides that whoever is at the job stops working on it, so that another can begin at once. It takes the claim in
    /// force: who lost it would take the job from somebody else, or have done again what is done.
    pub fn give_back(&self, shown: &Shown, reason: &str) -> Result<Option<Event>, Refusal> {
        self.require_claim(shown)?;
        check_reason(reason)?;
        Ok(Some(Event::Requeued(Requeued { given_back: true, ..self.requeued(reason) })))
    }
}

fn check_reason(reason: &str) -> Result<(), Refusal> {
    match blank_or_long(reason, limits::REASON_BYTES) {
        Some(why) => Err(Refusal::Invalid { field: "reason", why }),
        None => Ok(()),
    }
}
