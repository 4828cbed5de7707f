//! Sending a message that is no action: nobody owes a result.

use baton_core::{
    bus::{BusId, Kind, Known, Word},
    event::Event,
    ids::{AgentId, RoomId, Seq, event_id},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    ContextInput,
    submit::{known, message},
    task::canonical,
};
use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    table::{BUS, Effect, Place, UseCase},
};

/// `bus.send`
pub struct Send;

/// What to say to whom.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Id or name; default: everybody
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<String>,
    pub text: String,
    /// user or reply; default: reply to what another's conversation asks you (`reply_to`), else user
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<ContextInput>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<BusId>,
    /// The message that it answers
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
