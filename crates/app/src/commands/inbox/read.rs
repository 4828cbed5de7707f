//! Reading a message: its recipient has seen it.

use baton_core::{
    event::Recorded,
    ids::{RoomId, Seq},
    inbox::{Item, Refusal, Stage},
    protocol::ProtocolEvent,
    time::Timestamp,
};
use baton_store::log;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MessageRef;
use crate::{
    App, Caller, Failure,
    app::Request,
    change::Change,
    commands::bus::{Delivery, delivery},
    table::{Effect, INBOX, Place, UseCase},
};

/// `inbox.read`
pub struct Read;

/// Which message.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadInput {
    pub room_id: RoomId,
    pub message: MessageRef,
}

/// A message, whole.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReadResult {
    pub room_id: RoomId,
    pub message: Seq,
    pub state: Stage,
    pub requires_ack: bool,
    pub seen_at: Option<Timestamp>,
    pub accepted_at: Option<Timestamp>,
    /// The message as the protocol has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<ProtocolEvent>,
    /// An action or a message of the bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl UseCase for Read {
    const NAME: &'static str = "inbox.read";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Read one of your messages; its sender learns that you have seen it.";
    type Input = ReadInput;
    type Output = ReadResult;

    fn run(app: &App, caller: &Caller, input: ReadInput) -> Result<ReadResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: None };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_known()?;
            let message = input.message.0;
            let (recorded, item) =
                own(change, message, |message, recipients| Refusal::ReadForbidden { message, recipients })?;
            // A room that is over changes no more.
            let turn = change.open_turn(&item.recipient)?.map(|turn| turn.id);
            let seen = if change.is_open() { item.see(turn) } else { None };
            let (state, seen_at) = match seen {
                Some(event) => (Stage::Seen, Some(change.record(event)?.at)),
                None => (item.stage(), item.seen_at),
            };
            let delivery = delivery(change, &recorded)?;
            let awaits = change.is_open() && item.requires_ack && item.accepted_at.is_none();
            Ok(ReadResult {
                room_id: change.room.id.clone(),
                message,
                state,
                requires_ack: item.requires_ack,
                seen_at,
                accepted_at: item.accepted_at,
                event: ProtocolEvent::of(&recorded, change.room.canonical_path.as_deref()),
                next: awaits.then(|| match delivery.as_ref().and_then(|delivery| delivery.action_id.as_ref()) {
                    Some(_) => format!("Say how it went: `inbox ack` {message} with a status and a note."),
                    None => format!("Accept it with `inbox ack` {message} when you take it on."),
                }),
                delivery,
            })
        })
    }
}

/// A message and the caller's own item of it. `forbidden` says what it is that only the recipient may do.
pub(super) fn own(
    change: &mut Change<'_>,
    message: Seq,
    forbidden: impl FnOnce(Seq, Vec<baton_core::ids::AgentId>) -> Refusal,
) -> Result<(Recorded, Item), Failure> {
    let items = change.items_of(message)?;
    let recorded = log::find(change.tx, &change.room.id, message)?.filter(|_| !items.is_empty());
    let recorded = recorded.ok_or(Refusal::NotFound { message })?;
    match items.iter().find(|item| item.recipient == change.actor.agent_id) {
        Some(item) => Ok((recorded, item.clone())),
        None => Err(forbidden(message, items.into_iter().map(|item| item.recipient).collect()).into()),
    }
}
