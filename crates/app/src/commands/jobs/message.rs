//! A manager's word: to whoever works on a job, and as a review that gives the job another slice.

use baton_core::{
    ids::{RoomId, Seq},
    job::{JobId, Review, agent_of, salvage},
    reference::Reference,
    turn,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Happened;
use crate::{
    App, Caller, Failure,
    app::Request,
    patches::find_patch,
    refs,
    table::{Access, Effect, JOBS, Place, UseCase},
    unit::Change,
};

/// `jobs.message`
pub struct Message;

/// What to tell whom.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageInput {
    pub room_id: RoomId,
    pub job: JobId,
    /// At most 400 characters; the rest belongs into a card
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Message {
    const NAME: &'static str = "jobs.message";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_jobs("jobs it created");
    const ABOUT: &'static str = "Answer or steer the agent that works on a job.";
    type Input = MessageInput;
    type Output = Happened;

    fn perform(app: &App, caller: &Caller, input: MessageInput) -> Result<Happened, Failure> {
        let given = refs::parse(&input.refs)?;
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let told = app.change(caller, &request, &input.room_id, |change| {
            let seq = tell(change, caller, input.job, &input.message, &given)?;
            Happened::now(change, input.job, Some(seq))
        })?;
        app.see_to_jobs_now_and_then(&input.room_id);
        Ok(told)
    }
}

/// Records a manager's word.
pub(super) fn tell(
    change: &mut Change<'_>,
    caller: &Caller,
    id: JobId,
    message: &str,
    given: &[Reference],
) -> Result<Seq, Failure> {
    let job = change.managed_job(caller, id, "it cannot answer itself")?;
    let references = pointers(change, message, given)?;
    Ok(change.record(job.message(message, &references, change.actor.sender_kind())?)?.seq)
}

/// The references that a word comes with. Pointers in it count, where none are given.
fn pointers(change: &mut Change<'_>, word: &str, given: &[Reference]) -> Result<Vec<Reference>, Failure> {
    let (tx, room) = (change.store.tx()?, &change.room.id);
    if given.is_empty() {
        return refs::resolving(tx, room, salvage(word));
    }
    refs::require(tx, room, given)?;
    Ok(given.to_vec())
}

/// `jobs.send_back`
pub struct SendBack;

/// Which job, and what is to be done differently.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendBackInput {
    pub room_id: RoomId,
    pub job: JobId,
    /// At most 400 characters; the rest belongs into a card
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for SendBack {
    const NAME: &'static str = "jobs.send_back";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_jobs("jobs it created");
    const ABOUT: &'static str = "Send a job back with a review: it gets another slice and goes on from its own result.";
    type Input = SendBackInput;
    type Output = Happened;

    fn perform(app: &App, caller: &Caller, input: SendBackInput) -> Result<Happened, Failure> {
        let given = refs::parse(&input.refs)?;
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let sent = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let job = change.managed_job(caller, input.job, "its manager reviews it")?;
            let room = change.room.id.clone();
            let refs = pointers(change, &input.message, &given)?;
            let patch = find_patch(change.store.tx()?, &room, &job, None)?.filter(|kept| kept.origin.is_some());
            let events = job.send_back(&Review {
                message: input.message.clone(),
                refs,
                sender_kind: change.actor.sender_kind(),
                patch: patch.map(|kept| kept.reference()),
            })?;
            if !job.status.is_active() {
                // Turns end with their job; one that is open nevertheless is nobody's.
                change.end_turn_of(&agent_of(&room, job.id), turn::Outcome::Lost, "its job was sent back")?;
            }
            let mut seq: Option<Seq> = None;
            for event in events {
                seq = Some(change.record(event)?.seq);
            }
            Happened::now(change, input.job, seq)
        })?;
        app.job_was_queued(&sent.room_id);
        Ok(sent)
    }
}
