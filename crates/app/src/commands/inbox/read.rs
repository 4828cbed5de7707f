//! Reading a message, which its recipient has then seen, and accepting it.

use baton_core::{
    bus::{self, Report, Status},
    code::ErrorCode,
    envelope::Envelope,
    event::{Event, Recorded},
    ids::{AgentId, RoomId, Seq},
    inbox::{Content, Item, Refusal, Stage},
    limits,
    protocol::ProtocolEvent,
    reference::Reference,
    time::Timestamp,
};
use baton_store::{bus::action_by_id, inbox as store, log, turns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MessageRef, view::words};
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::{
        bus::{Delivery, delivery},
        envelope::{sender, sent},
    },
    table::{Effect, INBOX, Place, UseCase},
    unit::Change,
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
    /// What people call the sender.
    pub from_agent: String,
    pub from_agent_id: AgentId,
    /// An envelope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envelope: Option<Envelope>,
    /// What a person or a manager said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
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

    fn perform(app: &App, caller: &Caller, input: ReadInput) -> Result<ReadResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: None };
        app.change(caller, &request, &input.room_id, |change| {
            require_recipient(change, caller)?;
            let message = input.message.place(&change.room);
            let (recorded, item) =
                own(change, message, |message, recipients| Refusal::ReadForbidden { message, recipients })?;
            // A room that is over changes no more.
            let turn = turns::open_of(change.store.tx()?, &change.room.id, &item.recipient)?.map(|turn| turn.id);
            let seen = if change.is_open() { item.see(turn) } else { None };
            let (state, seen_at) = match seen {
                Some(event) => (Stage::Seen, Some(change.record(event)?.at)),
                None => (item.stage(), item.seen_at),
            };
            let delivery = delivery(change, &recorded)?;
            let awaits = change.is_open() && item.requires_ack && item.accepted_at.is_none();
            let from_agent = words(&recorded, &change.room).map(|words| words.from_agent);
            let envelope = sent(&recorded).map(|sent| (*sent.envelope).clone());
            let mail = recorded.mail();
            // An envelope and a delivery are told whole.
            let text = match mail.as_ref().map(|mail| mail.content) {
                Some(Content::Text(text)) if envelope.is_none() && delivery.is_none() => Some(text.to_owned()),
                _ => None,
            };
            Ok(ReadResult {
                room_id: change.room.id.clone(),
                message,
                state,
                requires_ack: item.requires_ack,
                seen_at,
                accepted_at: item.accepted_at,
                from_agent: from_agent.unwrap_or_else(|| item.sender.to_string()),
                from_agent_id: item.sender,
                next: awaits.then(|| next(message, envelope.as_ref(), delivery.as_ref())),
                envelope,
                text,
                refs: mail.map_or_else(Vec::new, |mail| mail.refs.to_vec()),
                event: ProtocolEvent::of(&recorded, (&change.room).into()),
                delivery,
            })
        })
    }
}

/// What to do with a message that waits for it.
fn next(message: Seq, envelope: Option<&Envelope>, delivery: Option<&Delivery>) -> String {
    if let Some(envelope) = envelope {
        let (to, id) = (envelope.reply_to(), &envelope.id);
        return format!("A response is expected: `send_handoff` to {to} with meta {{\"inReplyTo\": \"{id}\"}}.");
    }
    match delivery.and_then(|delivery| delivery.action_id.as_ref()) {
        Some(_) => format!("Say how it went: `inbox ack` {message} with a status and a note."),
        None => format!("Accept it with `inbox ack` {message} when you take it on."),
    }
}

/// Refuses whoever has no inbox in the room: it is no agent of it, and not the agent of a job that it works on.
pub(super) fn require_recipient(change: &mut Change<'_>, caller: &Caller) -> Result<(), Failure> {
    match caller.own_job_in(&change.room.id) {
        Some(_) => sender(change, caller).map(|_| ()),
        None => change.require_known(),
    }
}

/// A message and the caller's own item of it. `forbidden` says what it is that only the recipient may do.
pub(super) fn own(
    change: &mut Change<'_>,
    message: Seq,
    forbidden: impl FnOnce(Seq, Vec<AgentId>) -> Refusal,
) -> Result<(Recorded, Item), Failure> {
    let items = store::of_message(change.store.tx()?, &change.room.id, message)?;
    let recorded = log::find(change.store.tx()?, &change.room.id, message)?.filter(|_| !items.is_empty());
    let recorded = recorded.ok_or(Refusal::NotFound { message })?;
    match items.iter().find(|item| item.recipient == change.actor.agent_id) {
        Some(item) => Ok((recorded, item.clone())),
        None => Err(forbidden(message, items.into_iter().map(|item| item.recipient).collect()).into()),
    }
}

/// `inbox.ack`
pub struct Ack;

/// Which message.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AckInput {
    pub room_id: RoomId,
    pub message: MessageRef,
    /// What you say to it
    pub note: Option<String>,
    /// Of an action: how far you are; default accepted; completed, rejected and error are the end
    pub status: Option<Status>,
    /// Repeat a call safely: the same key gets the first answer
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
    let action = action_by_id(change.store.tx()?, &change.room.id, &submitted.action_id)?;
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
