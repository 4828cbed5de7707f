//! Why a command was not carried out, in the one form every surface shows.
//!
//! A [`Failure`] is a stable code, a sentence, whatever the caller needs to act, and the next step. It is made
//! from refusals and store errors here, so that no adapter knows either.

use std::borrow::Cow;

use baton_core::{
    agent::Rejection,
    bus,
    code::ErrorCode,
    envelope,
    ids::RoomId,
    inbox, job, library, limits,
    redact::{redact, redact_json},
    room::Refusal,
    runner, scope, spawn, task, turn,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::commands::room::POLICY_BY_HAND;

/// A "no", ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The stable code.
    pub code: ErrorCode,
    /// What was wrong.
    pub message: String,
    /// What the caller needs to act: the current owner, the field at fault, the candidates.
    pub details: Box<Map<String, Value>>,
    /// What to do next.
    pub next: String,
}

impl Failure {
    /// A failure with the code's usual advice.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: clean(message.into()), details: Box::default(), next: code.remedy().to_owned() }
    }

    /// Adds a fact.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), redact_json(None, &value.into()));
        self
    }

    /// Gives advice of its own.
    #[must_use]
    pub fn advising(mut self, next: impl Into<String>) -> Self {
        self.next = clean(next.into());
        self
    }

    /// The contract's form: `error`, `message`, the facts, and `next`.
    pub fn to_json(&self) -> Value {
        let mut json = Map::new();
        json.insert("error".to_owned(), self.code.as_str().into());
        json.insert("message".to_owned(), self.message.clone().into());
        // Whatever a fact is called, it does not take the place of the code and the sentence.
        for (fact, value) in self.details.iter() {
            json.entry(fact.clone()).or_insert_with(|| value.clone());
        }
        json.insert("next".to_owned(), self.next.clone().into());
        Value::Object(json)
    }

    pub(crate) fn unknown_agent(named: &str) -> Self {
        let shown: String = named.chars().take(limits::SHOWN_INPUT_CHARS).collect();
        Self::new(ErrorCode::AgentNotFound, format!("No agent of this room is called {shown:?}.")).with("agent", shown)
    }

    pub(crate) fn unknown_task(task: &str) -> Self {
        Self::new(ErrorCode::UnknownId, format!("There is no {task} in this room.")).with("task", task)
    }

    /// There is nothing with this id.
    pub(crate) fn unknown_id(id: impl std::fmt::Display) -> Self {
        let shown: String = id.to_string().chars().take(limits::SHOWN_INPUT_CHARS).collect();
        Self::new(ErrorCode::UnknownId, format!("There is no {shown} in this room.")).with("id", shown)
    }

    pub(crate) fn unknown_room(room: &RoomId) -> Self {
        Self::new(ErrorCode::UnknownRoom, format!("There is no room {room}.")).with("room_id", room.as_str())
    }
}

/// A text as it may be shown: refusals repeat what they refuse.
fn clean(text: String) -> String {
    match redact(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(clean) => clean,
    }
}

fn without_secrets((fact, value): (String, Value)) -> (String, Value) {
    let value = redact_json(None, &value);
    (fact, value)
}

/// A refusal with its code, its sentence, and its fields as facts.
fn refused(code: ErrorCode, refusal: &(impl std::fmt::Display + Serialize)) -> Failure {
    let details = match serde_json::to_value(refusal) {
        Ok(Value::Object(fields)) => Box::new(fields.into_iter().map(without_secrets).collect()),
        _ => Box::default(),
    };
    Failure { details, ..Failure::new(code, refusal.to_string()) }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        match &refusal {
            Refusal::AdoptionRejected { reason: Rejection::OwnIdentity, .. } => {
                failure.advising("You go by that name already; go on.")
            }
            Refusal::AdoptionRejected { reason: Rejection::IdentityInUse, .. } => failure.advising(
                "Register under a name of your own with `agent register`, or ask again once it has left, has been silent \
                 for the stale time, or its process is gone.",
            ),
            Refusal::AdoptionRejected { reason: Rejection::AdopterHoldsStick, .. } => {
                failure.advising("Hand the stick on first, with `release_stick`.")
            }
            Refusal::OwnerOnly { .. } => failure.advising(format!(
                "Set them while you hold the stick (`wait_for_turn`), or ask a person: {POLICY_BY_HAND}."
            )),
            Refusal::KeptForAnother { .. } => failure.advising(
                "Wait with `wait_for_turn` until it is your turn, or until the claim runs out; a person may close the room at any time.",
            ),
            Refusal::RemovesHolder { .. } => failure.advising(
                "Take the stick over once that is open to you (`wait_for_turn` says when), then remove it.",
            ),
            Refusal::OperatorOnly { .. } => failure.advising(format!("Ask a person: {POLICY_BY_HAND}.")),
            _ => failure,
        }
    }
}

impl From<scope::Refusal> for Failure {
    fn from(refusal: scope::Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        if let scope::Refusal::StickNeeded { is_own, .. } = &refusal {
            return failure.advising(if *is_own {
                "Extend your lease with `heartbeat` from the process that holds the stick, then try again."
            } else {
                "Wait for your turn with `wait_for_turn`, or reserve the paths with `scope reserve`, then try again."
            });
        }
        match refusal.hint() {
            Some(command) => failure.advising(format!("Work elsewhere, or run: {command}")),
            None => failure,
        }
    }
}

impl From<task::Refusal> for Failure {
    fn from(refusal: task::Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        match &refusal {
            task::Refusal::NotYours { task, .. } => failure
                .advising(format!("Leave it to them, or assign {task} to your own name with `tasks assign` first.")),
            task::Refusal::InvalidTitle { .. } | task::Refusal::WrongState { .. } => failure,
        }
    }
}

impl From<job::Refusal> for Failure {
    fn from(refusal: job::Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        match refusal.next() {
            Some(next) => failure.advising(next),
            None => failure,
        }
    }
}

impl From<turn::Refusal> for Failure {
    fn from(refusal: turn::Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        match refusal.next() {
            Some(next) => failure.advising(next),
            None => failure,
        }
    }
}

impl From<runner::Refusal> for Failure {
    fn from(refusal: runner::Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        match refusal.next() {
            Some(next) => failure.advising(next),
            None => failure,
        }
    }
}

impl From<library::Refusal> for Failure {
    fn from(refusal: library::Refusal) -> Self {
        refused(refusal.code(), &refusal)
    }
}

impl From<bus::Refusal> for Failure {
    fn from(refusal: bus::Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        match &refusal {
            // No role helps: an action is ended by whom it was submitted to.
            bus::Refusal::NotTarget { target, .. } => failure.advising(format!("Leave it to {target}.")),
            _ => failure,
        }
    }
}

impl From<envelope::Refusal> for Failure {
    fn from(refusal: envelope::Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        match refusal.next() {
            Some(next) => failure.advising(next),
            None => failure,
        }
    }
}

impl From<spawn::Refusal> for Failure {
    fn from(refusal: spawn::Refusal) -> Self {
        let failure = refused(refusal.code(), &refusal);
        match refusal.next() {
            Some(next) => failure.advising(next),
            None => failure,
        }
    }
}

impl From<inbox::Refusal> for Failure {
    fn from(refusal: inbox::Refusal) -> Self {
        refused(refusal.code(), &refusal)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl From<baton_store::StoreError> for Failure {
    fn from(error: baton_store::StoreError) -> Self {
        let message = error.to_string();
        Self::new(error.code(), format!("{}.", capitalized(&message)))
    }
}

/// `text` with a capital letter, unless it begins with an address, which is shown as it is written.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) if !text.starts_with("postgres://") => first.to_uppercase().chain(letters).collect(),
        Some(_) | None => text.to_owned(),
    }
}
