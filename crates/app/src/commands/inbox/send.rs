//! Sending a message.

use baton_core::{
    code::ErrorCode,
    event::Event,
    ids::{BeadId, RoomId, Seq},
    inbox::{self, Address, Category, Draft, Message, Urgency},
    protocol::ProtocolEvent,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    table::{Effect, INBOX, Place, UseCase},
    unit::Change,
};

/// `inbox.send`
pub struct Send;

/// What to send to whom.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// HANDOFF
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_action: Option<String>,
    /// BLOCKED
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocker: Option<String>,
    /// BLOCKED
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested_action: Option<String>,
    /// BLOCKED; default medium
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urgency: Option<Urgency>,
    /// DECISION, INFO
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Default: true for HANDOFF and BLOCKED
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_ack: Option<bool>,
    /// Task or bead; default: your task in progress
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<BeadId>,
    /// Paths it is about
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
