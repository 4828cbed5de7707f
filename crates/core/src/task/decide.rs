//! The rules of tasks.

use super::{Assigned, Created, Done, Event, Refusal, Started, State, Task, TaskId};
use crate::{handoff::blank_or_long, ids::AgentId, limits};

/// A task that is to be written down.
#[derive(Clone, Debug)]
pub struct Drafted {
    /// What is to be done.
    pub title: String,
    /// Where.
    pub scopes: Vec<String>,
    /// By whom.
    pub assignee: Option<AgentId>,
    /// When it is done.
    pub definition_of_done: Option<String>,
    /// How to make sure of that, step by step.
    pub verification: Vec<String>,
}

impl Drafted {
    /// Decides to write it down as number `id`.
    pub fn create(&self, id: TaskId) -> Result<Event, Refusal> {
        if let Some(why) = blank_or_long(&self.title, limits::TASK_TITLE_BYTES) {
            return Err(Refusal::InvalidTitle { why, field: "title" });
        }
        if self.title.chars().any(char::is_control) {
            let why = "must be one line, without control characters".to_owned();
            return Err(Refusal::InvalidTitle { why, field: "title" });
        }
        let texts = self.definition_of_done.iter().map(|text| ("definition_of_done", text));
        for (field, text) in texts.chain(self.verification.iter().map(|step| ("verification", step))) {
            if let Some(why) = blank_or_long(text, limits::DEFINITION_BYTES) {
                return Err(Refusal::InvalidTitle { why, field });
            }
            if text.contains('\0') {
                // Not every store can hold it.
                return Err(Refusal::InvalidTitle { why: "must not hold a NUL character".to_owned(), field });
            }
        }
        if self.verification.len() > limits::VERIFICATION_STEPS {
            let why = format!("has {} steps; at most {}", self.verification.len(), limits::VERIFICATION_STEPS);
            return Err(Refusal::InvalidTitle { why, field: "verification" });
        }
        Ok(Event::Created(Created {
            task: id,
            title: self.title.trim().to_owned(),
            scopes: self.scopes.clone(),
            assignee: self.assignee.clone(),
            definition_of_done: self.definition_of_done.clone(),
            verification: self.verification.clone(),
        }))
    }
}

impl Task {
    /// Decides that `by` begins it. `None` means that it is at it already.
    pub fn start(&self, by: &AgentId, scopes: &[String]) -> Result<Option<Event>, Refusal> {
        self.require_assignee(by)?;
        match self.state {
            State::Done => Err(self.wrong("it is over; create another")),
            State::InProgress if scopes.is_empty() || scopes == self.scopes => Ok(None),
            State::Open | State::InProgress => {
                Ok(Some(Event::Started(Started { task: self.id, assignee: by.clone(), scopes: scopes.to_vec() })))
            }
        }
    }

    /// Decides that it is done, as `by` says. `None` means that it is so already.
    pub fn finish(&self, by: &AgentId) -> Result<Option<Event>, Refusal> {
        self.require_assignee(by)?;
        Ok((self.state != State::Done).then_some(Event::Done(Done { task: self.id })))
    }

    /// Decides whose it is. `None` means that it is so already.
    pub fn assign(&self, to: Option<&AgentId>) -> Result<Option<Event>, Refusal> {
        if self.state == State::Done {
            return Err(self.wrong("it cannot be assigned any more"));
        }
        if self.assignee.as_ref() == to {
            return Ok(None);
        }
        let assigned = Assigned { task: self.id, from: self.assignee.clone(), to: to.cloned() };
        Ok(Some(Event::Assigned(assigned)))
    }

    /// Refuses anybody but the assignee, where there is one.
    fn require_assignee(&self, by: &AgentId) -> Result<(), Refusal> {
        match &self.assignee {
            Some(assignee) if assignee != by => Err(Refusal::NotYours { task: self.id, assignee: assignee.clone() }),
            Some(_) | None => Ok(()),
        }
    }

    fn wrong(&self, why: &'static str) -> Refusal {
        Refusal::WrongState { task: self.id, state: self.state, why }
    }
}
