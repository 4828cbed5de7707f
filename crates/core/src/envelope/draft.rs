//! An envelope as somebody writes it. Every field is checked by its name, before anybody looks at who is meant.

use serde_json::{Map, Value};

use super::{
    Attachment, Envelope, EnvelopeKind, EnvelopePriority, Expectation, Moment, Payload, PayloadId, Refusal, Response,
    Verdict,
};
use crate::{
    context::PackId,
    handoff::blank_or_long,
    ids::AgentId,
    limits,
    process::SessionKind,
    redact::{redact, redact_json},
    reference::Reference,
    time::Timestamp,
};

const KINDS: &str = "is handoff or signal";
const EXPECTATIONS: &str = "is none, optional or required";
const PRIORITIES: &str = "is low, normal or high";

/// An envelope before its ends are known: whoever is named in it still has to be found.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What sort of envelope.
    pub kind: EnvelopeKind,
    /// Its name.
    pub id: PayloadId,
    /// From whom, where that was said.
    pub from: Option<String>,
    /// To whom, as it was addressed.
    pub to: String,
    /// When it was made, where that was said.
    pub created_at: Option<Moment>,
    /// What it holds. Who gets a response is not there but beside it.
    pub payload: Payload,
    /// Who gets the response, as it was addressed.
    pub reply_to: Option<String>,
    /// The pack that comes with it.
    pub context_ref: Option<String>,
    /// What else its sender noted.
    pub meta: Map<String, Value>,
}

/// Between whom an envelope goes, once that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    /// From whom.
    pub from: Party,
    /// To whom.
    pub to: Party,
    /// Who gets the response, if it is not the sender.
    pub reply_to: Option<Party>,
    /// The kind of session behind the sender, where it is known.
    pub sender_kind: Option<SessionKind>,
}

/// An agent and what people call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Party {
    /// Who.
    pub agent_id: AgentId,
    /// What it is called.
    pub name: String,
}

impl Draft {
    /// Reads the contract's form of an envelope. What is required must be there, and nothing that has no place.
    pub fn read(value: &Value) -> Result<Self, Refusal> {
        let fields = ["kind", "id", "fromNodeId", "toNodeId", "createdAt", "payload", "contextRef", "meta"];
        let whole = Fields::of(value, "", &fields)?;
        let kind = whole.word("kind", EnvelopeKind::named, KINDS)?;
        let id = whole.required("id", "names it, once in the room: any text of letters, digits, dashes and dots")?;
        let id = id.parse().map_err(|why: String| Refusal::invalid("id", format!("does not fit: {why}")))?;
        let from = whole.required("fromNodeId", "is your own agent id")?.to_owned();
        let to = whole.required("toNodeId", "is the name or id of an agent, or a job like JOB-001")?.to_owned();
        let created_at = whole.required("createdAt", "is a time like 2026-01-01T00:00:00Z")?;
        let created_at = created_at.parse().map_err(|why: String| Refusal::invalid("createdAt", why))?;
        let payload = whole.get("payload").ok_or_else(|| missing("payload", "is an object with a message"))?;
        let (payload, reply_to) = read_payload(payload)?;
        Ok(Self {
            kind,
            id,
            from: Some(from),
            to,
            created_at: Some(created_at),
            payload,
            reply_to,
            context_ref: whole.text("contextRef")?.map(str::to_owned),
            meta: match whole.get("meta") {
                Some(Value::Object(meta)) => meta.clone(),
                Some(_) => return Err(Refusal::invalid("meta", "is an object")),
                None => Map::new(),
            },
        })
    }

    /// Refuses an envelope that says nothing, too much, or what cannot be understood.
    pub fn check(&self) -> Result<(), Refusal> {
        self.payload.check()?;
        if self.reply_to.is_some() && self.payload.response.is_none() {
            let why = "goes with an expectation: say whether a response is none, optional or required";
            return Err(Refusal::invalid("payload.response.replyTo", why));
        }
        check_context_ref(self.context_ref.as_deref())?;
        check_meta(&self.meta)
    }

    /// The envelope that it answers, where it says so.
    pub fn in_reply_to(&self) -> Option<PayloadId> {
        self.meta.get("inReplyTo").and_then(Value::as_str).and_then(|id| id.parse().ok())
    }

    /// The envelope between these ends, without secrets.
    pub fn seal(&self, ends: &Ends, now: Timestamp) -> Result<Envelope, Refusal> {
        let mut payload = self.payload.redacted();
        if let Some(response) = &mut payload.response {
            response.reply_to = ends.reply_to.as_ref().map(|party| party.agent_id.clone());
        }
        let envelope = Envelope {
            kind: self.kind,
            id: self.id.clone(),
            from_node_id: ends.from.agent_id.clone(),
            to_node_id: ends.to.agent_id.clone(),
            created_at: self.created_at.clone().unwrap_or_else(|| now.into()),
            payload,
            context_ref: self.context_ref.clone(),
            meta: self.meta.iter().map(|(key, value)| (key.clone(), redact_json(Some(key), value))).collect(),
        };
        match bytes(&envelope) {
            total if total <= limits::ENVELOPE_BYTES => Ok(envelope),
            total => {
                let most = limits::ENVELOPE_BYTES;
                let why = format!(
                    "and the rest come to {total} bytes; at most {most} fit: keep it as an artifact and point to that"
                );
                Err(Refusal::invalid("payload.structured", why))
            }
        }
    }

    /// What it points to: its artifacts and its pack.
    pub fn references(&self) -> Result<Vec<Reference>, Refusal> {
        let mut references = self.payload.references()?;
        references.extend(check_context_ref(self.context_ref.as_deref())?);
        Ok(references)
    }
}

impl Payload {
    /// Refuses what says nothing, or more than belongs into an envelope.
    pub fn check(&self) -> Result<(), Refusal> {
        if let Some(why) = blank_or_long(&self.message, limits::ENVELOPE_MESSAGE_BYTES) {
            return Err(Refusal::invalid("payload.message", format!("{why}: it is a short summary")));
        }
        if let Some(structured) = &self.structured {
            check_json("payload.structured", structured, limits::ENVELOPE_STRUCTURED_BYTES)?;
        }
        if let Some(reason) = self.status.as_ref().and_then(|status| status.reason.as_ref())
            && let Some(why) = blank_or_long(reason, limits::REASON_BYTES)
        {
            return Err(Refusal::invalid("payload.status.reason", why));
        }
        self.references().map(|_| ())
    }

    /// What its artifacts point to.
    pub fn references(&self) -> Result<Vec<Reference>, Refusal> {
        if self.artifacts.len() > limits::ENVELOPE_ARTIFACTS {
            let (count, most) = (self.artifacts.len(), limits::ENVELOPE_ARTIFACTS);
            return Err(Refusal::invalid("payload.artifacts", format!("are {count}; at most {most} are accepted")));
        }
        self.artifacts.iter().enumerate().map(|(place, artifact)| artifact.reference(place)).collect()
    }

    /// The same without secrets.
    #[must_use]
    pub fn redacted(&self) -> Self {
        Self {
            message: redact(&self.message).into_owned(),
            structured: self.structured.as_ref().map(|structured| redact_json(None, structured)),
            artifacts: self.artifacts.iter().map(Attachment::redacted).collect(),
            status: self.status.as_ref().map(|status| Verdict {
                ok: status.ok,
                reason: status.reason.as_deref().map(|reason| redact(reason).into_owned()),
            }),
            response: self.response.clone(),
        }
    }
}

impl Attachment {
    fn redacted(&self) -> Self {
        Self { kind: self.kind.clone(), reference: redact(&self.reference).into_owned() }
    }

    fn reference(&self, place: usize) -> Result<Reference, Refusal> {
        let field = |part: &str| format!("payload.artifacts[{place}].{part}");
        if let Some(why) = blank_or_long(&self.kind, limits::ENVELOPE_TYPE_BYTES) {
            return Err(Refusal::invalid(field("type"), why));
        }
        let reference: Reference =
            self.reference.parse().map_err(|error| Refusal::invalid(field("ref"), format!("does not fit: {error}")))?;
        match &reference {
            Reference::Artifact(kind, _) if kind.as_str() != self.kind => {
                Err(Refusal::invalid(field("type"), format!("is {}, as its ref says", kind.as_str())))
            }
            _ => Ok(reference),
        }
    }
}

/// The pack that a `contextRef` points to.
pub fn check_context_ref(given: Option<&str>) -> Result<Option<Reference>, Refusal> {
    let Some(given) = given else { return Ok(None) };
    match given.parse() {
        Ok(reference @ Reference::Pack(_)) => Ok(Some(reference)),
        Ok(_) | Err(_) => {
            let example: PackId = "789".parse().expect("digits name a pack");
            let why = format!("is a stored context pack like {}", Reference::Pack(example));
            Err(Refusal::invalid("contextRef", why))
        }
    }
}

fn check_meta(meta: &Map<String, Value>) -> Result<(), Refusal> {
    check_json("meta", &Value::Object(meta.clone()), limits::ENVELOPE_META_BYTES)?;
    if let Some(priority) = meta.get("priority")
        && priority.as_str().and_then(EnvelopePriority::named).is_none()
    {
        return Err(Refusal::invalid("meta.priority", PRIORITIES));
    }
    match meta.get("inReplyTo") {
        None => Ok(()),
        Some(id) if id.as_str().is_some_and(|id| id.parse::<PayloadId>().is_ok()) => Ok(()),
        Some(_) => Err(Refusal::invalid("meta.inReplyTo", "is the id of an envelope")),
    }
}

fn check_json(field: &str, value: &Value, most: usize) -> Result<(), Refusal> {
    if depth(value) > limits::ENVELOPE_DEPTH {
        let why = format!("is nested too deeply; at most {} levels are accepted", limits::ENVELOPE_DEPTH);
        return Err(Refusal::invalid(field, why));
    }
    match bytes(value) {
        total if total <= most => Ok(()),
        total => {
            let why =
                format!("is {total} bytes long; at most {most} are accepted: keep it as an artifact and point to that");
            Err(Refusal::invalid(field, why))
        }
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn bytes(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |json| json.len())
}

fn read_payload(value: &Value) -> Result<(Payload, Option<String>), Refusal> {
    let fields = Fields::of(value, "payload.", &["message", "structured", "artifacts", "status", "response"])?;
    let message = fields.required("message", "says in a few words what it is about")?.to_owned();
    let artifacts = match fields.get("artifacts") {
        None => Vec::new(),
        Some(Value::Array(some)) => some.iter().enumerate().map(read_attachment).collect::<Result<_, _>>()?,
        Some(_) => return Err(Refusal::invalid("payload.artifacts", "is a list of {type, ref}")),
    };
    let status = fields.get("status").map(read_verdict).transpose()?;
    let response = fields.get("response").map(read_response).transpose()?;
    let (response, reply_to) = response.map_or((None, None), |(response, to)| (Some(response), to));
    let structured = fields.get("structured").cloned();
    Ok((Payload { message, structured, artifacts, status, response }, reply_to))
}

fn read_attachment((place, value): (usize, &Value)) -> Result<Attachment, Refusal> {
    let prefix = format!("payload.artifacts[{place}].");
    let fields = Fields::of(value, &prefix, &["type", "ref"])?;
    Ok(Attachment {
        kind: fields.required("type", "says what it is, like diff or log")?.to_owned(),
        reference: fields.required("ref", "points to it, like artifact://diff/3")?.to_owned(),
    })
}

fn read_verdict(value: &Value) -> Result<Verdict, Refusal> {
    let fields = Fields::of(value, "payload.status.", &["ok", "reason"])?;
    match fields.get("ok") {
        Some(Value::Bool(ok)) => Ok(Verdict { ok: *ok, reason: fields.text("reason")?.map(str::to_owned) }),
        Some(_) => Err(Refusal::invalid("payload.status.ok", "is true or false")),
        None => Err(missing("payload.status.ok", "is true or false")),
    }
}

fn read_response(value: &Value) -> Result<(Response, Option<String>), Refusal> {
    let fields = Fields::of(value, "payload.response.", &["expectation", "replyTo"])?;
    let expectation = fields.word("expectation", Expectation::named, EXPECTATIONS)?;
    let reply_to = fields.text("replyTo")?.map(str::to_owned);
    Ok((Response { expectation, reply_to: None }, reply_to))
}

/// The fields of an object, asked for by name.
struct Fields<'a> {
    object: &'a Map<String, Value>,
    /// Where the object is.
    prefix: &'a str,
}

impl<'a> Fields<'a> {
    fn of(value: &'a Value, prefix: &'a str, known: &[&str]) -> Result<Self, Refusal> {
        let here = || if prefix.is_empty() { "envelope" } else { prefix.trim_end_matches('.') };
        let Value::Object(object) = value else {
            return Err(Refusal::invalid(here(), format!("is an object with {}", known.join(", "))));
        };
        match object.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                let shown: String = key.chars().take(limits::SHOWN_INPUT_CHARS).collect();
                let why = format!("has no place here; {} has {}", here(), known.join(", "));
                Err(Refusal::invalid(format!("{prefix}{shown}"), why))
            }
            None => Ok(Self { object, prefix }),
        }
    }

    /// What is there. A field that is null is not.
    fn get(&self, field: &str) -> Option<&'a Value> {
        self.object.get(field).filter(|value| !value.is_null())
    }

    fn text(&self, field: &str) -> Result<Option<&'a str>, Refusal> {
        match self.get(field) {
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Refusal::invalid(self.path(field), "is a text")),
            None => Ok(None),
        }
    }

    fn required(&self, field: &str, what: &str) -> Result<&'a str, Refusal> {
        match self.text(field)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(Refusal::invalid(self.path(field), format!("must be non-empty: it {what}"))),
            None => Err(missing(self.path(field), what)),
        }
    }

    fn word<T>(&self, field: &str, named: fn(&str) -> Option<T>, words: &str) -> Result<T, Refusal> {
        let word = self.required(field, words)?;
        named(word).ok_or_else(|| {
            let shown: String = word.chars().take(limits::SHOWN_INPUT_CHARS).collect();
            Refusal::invalid(self.path(field), format!("{words}, not {shown:?}"))
        })
    }

    fn path(&self, field: &str) -> String {
        format!("{}{field}", self.prefix)
    }
}

fn missing(field: impl Into<String>, what: &str) -> Refusal {
    Refusal::invalid(field, format!("is required: it {what}"))
}
