//! Sending a message, and a person's word to an agent: for its next turn, or now.

use baton_core::{
    code::ErrorCode,
    event::Event,
    ids::{AgentId, BeadId, RoomId, Seq},
    inbox::{self, Address, Category, Draft, Manner, Message, Told, Urgency},
    protocol::ProtocolEvent,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    commands::envelope::{called, reachable, why_over},
    table::{Access, Effect, INBOX, Place, UseCase},
    unit::Change,
};

/// `inbox.send`
pub struct Send;

/// What to send to whom.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendInput {
    pub room_id: RoomId,
    /// Name or id of an agent, role:NAME, or broadcast
    pub to: String,
    /// HANDOFF, BLOCKED, DECISION or INFO
    pub category: String,
    pub subject: String,
    /// HANDOFF
    pub summary: Option<String>,
    /// HANDOFF
    pub next_action: Option<String>,
    /// BLOCKED
    pub blocker: Option<String>,
    /// BLOCKED
    pub requested_action: Option<String>,
    /// BLOCKED; default medium
    pub urgency: Option<Urgency>,
    /// DECISION, INFO
    pub body: Option<String>,
    /// Default: true for HANDOFF and BLOCKED
    pub requires_ack: Option<bool>,
    /// Task or bead; default: your task in progress
    pub bead_id: Option<BeadId>,
    /// Paths it is about
    pub scope: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// That it was sent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SendResult {
    pub room_id: RoomId,
    /// Its number.
    pub message: Seq,
    /// What people call those who get it.
    pub recipients: Vec<String>,
    /// The protocol's event for it.
    pub event: ProtocolEvent,
}

impl UseCase for Send {
    const NAME: &'static str = "inbox.send";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Send a message to an agent, a role or everybody.";
    type Input = SendInput;
    type Output = SendResult;

    fn perform(app: &App, caller: &Caller, input: SendInput) -> Result<SendResult, Failure> {
        let category = Category::named(&input.category).ok_or_else(|| unknown_category(&input.category))?;
        let scope = match &input.scope {
            Some(scope) => {
                app.stored_scopes(&input.room_id, "scope", std::slice::from_ref(scope)).map(|mut found| found.pop())
            }
            None => Ok(None),
        };
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let draft = Draft {
                subject: input.subject.clone(),
                summary: input.summary.clone(),
                next_action: input.next_action.clone(),
                blocker: input.blocker.clone(),
                requested_action: input.requested_action.clone(),
                urgency: input.urgency,
                body: input.body.clone(),
                requires_ack: input.requires_ack,
            };
            post(change, &input, category, &draft, &scope)
        })
    }
}

fn post(
    change: &mut Change<'_>,
    input: &SendInput,
    category: Category,
    draft: &Draft,
    scope: &Result<Option<String>, Failure>,
) -> Result<SendResult, Failure> {
    change.require_open()?;
    let to = Address::parse(&input.to)
        .map_err(|error| Failure::new(ErrorCode::InvalidRole, format!("{error}.")).with("field", "to"))?;
    let payload = draft.check(category)?;
    let scope = scope.clone()?;
    let bead_id = change.bead(input.bead_id.as_ref())?;
    let outgoing = Message { to, category, payload, bead_id, scope };
    let event = outgoing.send(&change.room, change.actor)?;
    let recorded = change.record(event)?;
    let Event::Inbox(inbox::Event::Sent(sent)) = &recorded.event else {
        return Err(internal("what is sent is a message"));
    };
    Ok(SendResult {
        room_id: change.room.id.clone(),
        message: recorded.seq,
        recipients: sent.recipients.iter().map(|recipient| recipient.name.clone()).collect(),
        event: ProtocolEvent::of(&recorded, (&change.room).into())
            .ok_or_else(|| internal("a message is an event of the protocol"))?,
    })
}

fn unknown_category(given: &str) -> Failure {
    let shown: String = given.chars().take(baton_core::limits::SHOWN_INPUT_CHARS).collect();
    Failure::new(ErrorCode::InvalidCategory, format!("{shown:?} is no category of messages."))
        .with("field", "category")
        .with("categories", Category::ALL.map(Category::as_str).to_vec())
}

/// `inbox.tell`
pub struct Tell;

/// What to tell whom.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TellInput {
    pub room_id: RoomId,
    /// A name, an id or a job
    pub to: String,
    pub text: String,
    /// queue: for its next turn (default); interrupt: what it does is stopped
    pub mode: Option<Manner>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// That it is told.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TellResult {
    pub room_id: RoomId,
    pub message: Seq,
    /// What people call whom it is for.
    pub to: String,
    pub to_agent_id: AgentId,
    pub mode: Manner,
    /// Why it may never be read, where that is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

impl UseCase for Tell {
    const NAME: &'static str = "inbox.tell";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::operators("`baton tell` at a terminal, or the page of `baton up`");
    const ABOUT: &'static str =
        "Tell an agent something as a person, for its next turn or as an interrupt (operators only).";
    type Input = TellInput;
    type Output = TellResult;

    fn perform(app: &App, caller: &Caller, input: TellInput) -> Result<TellResult, Failure> {
        let mode = input.mode.unwrap_or(Manner::Queue);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let to = reachable(change, "to", &input.to)?;
            let over = why_over(change.store.tx()?, &change.room, change.witness, &to.agent_id)?;
            let from_name = called(&change.room, &change.actor.agent_id);
            let told = Told::decide(&to, from_name, change.actor.sender_kind(), &input.text, mode)?;
            let message = change.record(told)?.seq;
            Ok(TellResult {
                room_id: change.room.id.clone(),
                message,
                to: to.name,
                to_agent_id: to.agent_id,
                mode,
                over,
            })
        })
    }
}
