//! A manager's word to whoever works on a job.

use baton_core::{
    ids::{RoomId, Seq},
    job::{JobId, salvage},
    reference::Reference,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Happened;
use crate::{
    App, Caller, Failure,
    app::Request,
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

/// Records a manager's word. Pointers in it count, where none are given.
pub(super) fn tell(
    change: &mut Change<'_>,
    caller: &Caller,
    id: JobId,
    message: &str,
    given: &[Reference],
) -> Result<Seq, Failure> {
    let job = change.managed_job(caller, id, "it cannot answer itself")?;
    let references = if given.is_empty() {
        refs::resolving(change.store.tx()?, &change.room.id, salvage(message))?
    } else {
        refs::require(change.store.tx()?, &change.room.id, given)?;
        given.to_vec()
    };
    Ok(change.record(job.message(message, &references, change.actor.sender_kind())?)?.seq)
}
