//! Accepting a message. An item that was not read is read by it.

use baton_core::{
    bus::{self, Report, Status},
    code::ErrorCode,
    event::{Event, Recorded},
    ids::{RoomId, Seq},
    inbox::{Refusal, Stage},
    limits,
    time::Timestamp,
};
use baton_store::bus as store;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    MessageRef,
    read::{own, require_recipient},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, INBOX, Place, UseCase},
    unit::Change,
};

/// `inbox.ack`
pub struct Ack;

/// Which message.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AckInput {
    pub room_id: RoomId,
    pub message: MessageRef,
    /// What you say to it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Of an action: how far you are; default accepted; completed, rejected and error are the end
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// That it is accepted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AckResult {
    pub room_id: RoomId,
    pub message: Seq,
    pub state: Stage,
    pub seen_at: Timestamp,
    pub accepted_at: Timestamp,
}

/// What an action's target says of it. Merely accepting one that something was said of already says nothing more.
fn reported(change: &mut Change<'_>, recorded: &Recorded, input: &AckInput) -> Result<Option<bus::Event>, Failure> {
    let Event::Bus(bus::Event::Submitted(submitted)) = &recorded.event else {
        return match input.status {
            None => Ok(None),
            Some(_) => {
                let message =
                    "status: goes with an action of the bus; this is a message, which is accepted without it.";
                Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "status"))
            }
        };
    };
    let report = Report { status: input.status.unwrap_or(Status::Accepted), detail: input.note.clone(), data: None };
    let action = store::action_by_id(change.store.tx()?, &change.room.id, &submitted.action_id)?;
    let action = action.filter(|action| input.status.is_some() || action.status.is_none());
    Ok(action.map(|action| action.report(change.actor, &report, None, None)).transpose()?)
}

impl UseCase for Ack {
    const NAME: &'static str = "inbox.ack";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Accept one of your messages; its sender learns of it.";
    type Input = AckInput;
    type Output = AckResult;

    fn perform(app: &App, caller: &Caller, input: AckInput) -> Result<AckResult, Failure> {
        if input.note.as_ref().is_some_and(|note| note.len() > limits::REASON_BYTES) {
            let message = format!("note may have at most {} bytes.", limits::REASON_BYTES);
            return Err(Failure::new(ErrorCode::InvalidMessage, message).with("field", "note"));
        }
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            require_recipient(change, caller)?;
            let message = input.message.place(&change.room);
            let (recorded, item) =
                own(change, message, |message, recipients| Refusal::AckForbidden { message, recipients })?;
            // What is said of an action is told on the bus, too.
            let decided = match reported(change, &recorded, &input)? {
                Some(result) => Some(Event::from(result)),
                None => item.accept(input.note.as_deref()).map(Event::from),
            };
            change.record(decided)?;
            Ok(AckResult {
                room_id: change.room.id.clone(),
                message,
                state: Stage::Accepted,
                seen_at: item.seen_at.unwrap_or(change.now),
                accepted_at: item.accepted_at.unwrap_or(change.now),
            })
        })
    }
}
