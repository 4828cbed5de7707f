//! Messages that are no actions: sending them, and what was said.

use baton_core::{
    bus::{BusId, Kind, Known, Word},
    event::Event,
    ids::{AgentId, RoomId, Seq, event_id},
    limits,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ContextInput, History, HistoryInput,
    submit::{known, message},
    task::canonical,
};
use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    bounds,
    bus::Record,
    table::{BUS, Effect, Place, UseCase},
};

/// `bus.send`
pub struct Send;

/// What to say to whom.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Id or name; default: everybody
    pub dst: Option<String>,
    pub text: String,
    /// user or reply; default: reply to what another's conversation asks you (`reply_to`), else user
    pub kind: Option<Kind>,
    pub context: Option<ContextInput>,
    pub task_id: Option<BusId>,
    /// The message that it answers
    pub reply_to: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// That it was sent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SendResult {
    pub room_id: RoomId,
    pub seq: Seq,
    pub message_id: String,
    pub context_id: BusId,
    pub task_id: BusId,
    pub recipients: Vec<AgentId>,
}

impl UseCase for Send {
    const NAME: &'static str = "bus.send";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("message.send");
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Send a message to an agent of the session, or to all of them.";
    type Input = SendInput;
    type Output = SendResult;

    fn perform(app: &App, caller: &Caller, input: SendInput) -> Result<SendResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let word = Word {
            dst: input.dst.clone(),
            kind: input.kind,
            text: input.text.clone(),
            context: input.context.as_ref().map(ContextInput::draft),
            task_id: input.task_id.as_ref().map(canonical),
            reply_to: input.reply_to.clone(),
        };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let answered = message(change, word.reply_to.as_deref())?;
            let known = Known { answered, ..known(change, word.context.as_ref(), word.task_id.as_ref())? };
            let event = word.decide(&change.room, change.actor, &known)?;
            let recorded = change.record(event)?;
            let Event::Bus(baton_core::bus::Event::Messaged(sent)) = &recorded.event else {
                return Err(internal("what is sent is a message"));
            };
            Ok(SendResult {
                room_id: change.room.id.clone(),
                seq: recorded.seq,
                message_id: event_id(&recorded.room_id, recorded.seq),
                context_id: sent.context.context_id.clone(),
                task_id: sent.task_id.clone(),
                recipients: sent.recipients.iter().map(|recipient| recipient.agent_id.clone()).collect(),
            })
        })
    }
}

/// `bus.messages`
pub struct Messages;

/// Which messages.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessagesInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Only after this seq
    pub after: Option<Seq>,
    /// 1 to 200; default 50
    pub limit: Option<u32>,
}

/// Messages, oldest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MessagesResult {
    pub room_id: RoomId,
    pub messages: Vec<Record>,
    /// Pass it as `after` next time.
    pub cursor: Seq,
    /// Whether more is there already.
    pub has_more: bool,
}

impl UseCase for Messages {
    const NAME: &'static str = "bus.messages";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("message.list");
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What was said in a session, oldest first.";
    type Input = MessagesInput;
    type Output = MessagesResult;

    fn perform(app: &App, caller: &Caller, input: MessagesInput) -> Result<MessagesResult, Failure> {
        bounds::limit(input.limit, limits::ACTIONS_DEFAULT, limits::EVENTS_MAX)?;
        let asked = HistoryInput {
            room_id: input.room_id,
            after: input.after,
            before: None,
            types: Some(vec!["message.created".to_owned()]),
            limit: input.limit,
            max_wait_ms: None,
        };
        let found = History::run(app, caller, asked)?;
        let (messages, cursor) = (found.events, found.cursor);
        Ok(MessagesResult { room_id: found.room_id, messages, cursor, has_more: found.has_more })
    }
}
