//! Handing something to another agent.

use baton_core::{
    code::ErrorCode,
    envelope::{
        Attachment, Draft, Ends, EnvelopeKind, Expectation, Party, Payload, PayloadId, Response, Verdict, part_of,
    },
    ids::{AgentId, RoomId, Seq},
    reference::Reference,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    ResponseInput,
    party::{party, reachable, sender, unknown},
    post::{Along, post, sent_as},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    clock::fresh_word,
    table::{Effect, Place, Tier, UseCase},
    unit::Change,
};

/// `envelope.send`
pub struct Send;

/// What to hand to whom: its parts, or the contract's envelope as a whole.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendInput {
    pub room_id: RoomId,
    pub to: Option<String>,
    /// Short
    pub message: Option<String>,
    pub structured: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<AttachmentInput>,
    pub response: Option<ResponseInput>,
    pub context_ref: Option<String>,
    /// Default handoff
    #[schemars(extend("x-unlisted" = true))]
    pub kind: Option<EnvelopeKind>,
    /// Pass or fail
    #[schemars(extend("x-unlisted" = true))]
    pub status: Option<VerdictInput>,
    /// Who gets the response; default you
    #[schemars(extend("x-unlisted" = true))]
    pub reply_to: Option<String>,
    /// priority: low, normal or high; inReplyTo: the id of an envelope; and what you like
    #[schemars(extend("x-unlisted" = true))]
    pub meta: Option<Map<String, Value>>,
    /// Its name, once in the room; default a new one
    #[schemars(extend("x-unlisted" = true))]
    pub id: Option<String>,
    /// The contract's envelope as a whole, in place of its parts
    #[schemars(extend("x-unlisted" = true))]
    pub envelope: Option<Map<String, Value>>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// Something that an envelope points to.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct AttachmentInput {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(rename = "ref")]
    pub reference: String,
}

/// Pass or fail.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct VerdictInput {
    pub ok: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// That it was sent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SendHandoffResult {
    pub room_id: RoomId,
    /// Its event, which is its place in the recipient's order.
    pub message: Seq,
    pub id: PayloadId,
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    /// What people call the recipient.
    pub to: String,
    pub to_agent_id: AgentId,
    /// The message that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Seq>,
    /// Whether a response is owed for it now.
    pub awaits_response: bool,
    /// Whether it had been sent before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

impl UseCase for Send {
    const NAME: &'static str = "envelope.send";
    const PLACE: Place = Place::Tool("send_handoff", Tier::Daily);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Put work or news into an agent's inbox. to: name, id or JOB-001. Also kind (handoff|signal), status {ok, reason}, reply_to, meta {priority, inReplyTo}.";
    type Input = SendInput;
    type Output = SendHandoffResult;

    fn perform(app: &App, caller: &Caller, input: SendInput) -> Result<SendHandoffResult, Failure> {
        let draft = input.draft()?;
        let is_whole = input.envelope.is_some();
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let sent = send(change, caller, &draft);
            if is_whole { sent } else { sent.map_err(in_parts) }
        })
    }
}

fn send(change: &mut Change<'_>, caller: &Caller, draft: &Draft) -> Result<SendHandoffResult, Failure> {
    change.require_open()?;
    draft.check()?;
    let from = sender(change, caller)?;
    let ends = ends(change, draft, from)?;
    let posted = post(change, draft, &ends, Along::Edges)?;
    let envelope = &posted.sent.envelope;
    Ok(SendHandoffResult {
        room_id: change.room.id.clone(),
        message: posted.message,
        id: envelope.id.clone(),
        reference: Reference::Payload(envelope.id.clone()),
        to: posted.sent.to_name.clone(),
        to_agent_id: envelope.to_node_id.clone(),
        answers: posted.sent.answers,
        awaits_response: envelope.expectation() == Expectation::Required,
        again: posted.again,
    })
}

/// Between whom it goes. What was sent before goes to who got it then, also where they are not there any more.
fn ends(change: &mut Change<'_>, draft: &Draft, from: Party) -> Result<Ends, Failure> {
    if let Some((_, sent)) = sent_as(change, draft)? {
        let named = |text: &str, agent: &AgentId, name: &str| text == agent.as_str() || text == name;
        let envelope = *sent.envelope;
        if named(&draft.to, &envelope.to_node_id, &sent.to_name) {
            let response = envelope.payload.response.and_then(|response| response.reply_to);
            let reply_to = match (&draft.reply_to, response) {
                (None, _) => None,
                (Some(text), Some(agent)) if text == agent.as_str() => {
                    Some(Party { name: agent.to_string(), agent_id: agent })
                }
                (Some(text), _) => Some(party(change, "payload.response.replyTo", text)?.party),
            };
            let to = Party { agent_id: envelope.to_node_id, name: sent.to_name };
            return Ok(Ends { from, to, reply_to, sender_kind: change.actor.sender_kind() });
        }
    }
    let to = reachable(change, "toNodeId", &draft.to)?;
    if to.agent_id == from.agent_id {
        return Err(unknown(&change.room, "toNodeId", &draft.to, "that is you").into());
    }
    let reply_to = match &draft.reply_to {
        Some(text) => Some(reachable(change, "payload.response.replyTo", text)?),
        None => None,
    };
    if reply_to.as_ref().is_some_and(|party| party.agent_id == to.agent_id) {
        let why = "the recipient cannot answer itself";
        return Err(unknown(&change.room, "payload.response.replyTo", &to.name, why).into());
    }
    Ok(Ends { from, to, reply_to, sender_kind: change.actor.sender_kind() })
}

/// Names the fields as who gave the parts one by one does.
fn in_parts(failure: Failure) -> Failure {
    let field = failure.details.get("field").and_then(Value::as_str).map(str::to_owned);
    let Some(field) = field else { return failure };
    let part = part_of(&field);
    let message = match failure.message.strip_prefix(&field) {
        Some(rest) => format!("{part}{rest}"),
        None => failure.message.clone(),
    };
    Failure { message, ..failure }.with("field", part)
}

impl SendInput {
    fn draft(&self) -> Result<Draft, Failure> {
        let Some(envelope) = &self.envelope else { return self.parts() };
        let beside = [
            ("to", self.to.is_some()),
            ("message", self.message.is_some()),
            ("kind", self.kind.is_some()),
            ("structured", self.structured.is_some()),
            ("artifacts", !self.artifacts.is_empty()),
            ("status", self.status.is_some()),
            ("response", self.response.is_some()),
            ("reply_to", self.reply_to.is_some()),
            ("context_ref", self.context_ref.is_some()),
            ("meta", self.meta.is_some()),
            ("id", self.id.is_some()),
        ];
        if let Some((field, _)) = beside.iter().find(|(_, given)| *given) {
            let message = format!("{field} goes into the envelope, where one is given whole.");
            return Err(Failure::new(ErrorCode::InvalidEnvelope, message).with("field", *field));
        }
        Ok(Draft::read(&Value::Object(envelope.clone()))?)
    }

    /// The parts as a draft. Whatever the server can say itself may be left out.
    fn parts(&self) -> Result<Draft, Failure> {
        let required = |field: &str, given: &Option<String>, what: &str| {
            let given = given.clone().filter(|text| !text.trim().is_empty());
            given.ok_or_else(|| {
                let message = format!("{field} is required: it {what}.");
                Failure::new(ErrorCode::InvalidEnvelope, message).with("field", field)
            })
        };
        let id = match &self.id {
            Some(id) => id.clone(),
            None => format!("payload-{}", fresh_word()?),
        };
        let id = id.parse().map_err(|why: String| {
            Failure::new(ErrorCode::InvalidEnvelope, format!("id does not fit: {why}.")).with("field", "id")
        })?;
        let attachment =
            |given: &AttachmentInput| Attachment { kind: given.kind.clone(), reference: given.reference.clone() };
        let named = self.response.as_ref().and_then(|response| response.reply_to.as_ref());
        let reply_to = self.reply_to.as_ref().or(named).cloned();
        let expectation = self.response.as_ref().map(|response| response.expectation);
        let expectation = expectation.or(reply_to.as_ref().map(|_| Expectation::Optional));
        Ok(Draft {
            kind: self.kind.unwrap_or(EnvelopeKind::Handoff),
            id,
            from: None,
            to: required("to", &self.to, "is the name or id of an agent, or a job like JOB-001")?,
            created_at: None,
            payload: Payload {
                message: required("message", &self.message, "says in a few words what it is about")?,
                structured: self.structured.clone().map(Value::Object),
                artifacts: self.artifacts.iter().map(attachment).collect(),
                status: self.status.clone().map(|given| Verdict { ok: given.ok, reason: given.reason }),
                response: expectation.map(|expectation| Response { expectation, reply_to: None }),
            },
            reply_to,
            context_ref: self.context_ref.clone(),
            meta: self.meta.clone().unwrap_or_default(),
        })
    }
}
