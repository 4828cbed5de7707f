//! Requests: whether a response is expected, and what is still owed one.

use baton_core::{
    agent::ConnectionStatus,
    envelope::{self, Expectation, Posted},
    event::{Event, Recorded},
    ids::{AgentId, Seq},
    job::{Job, job_of},
    process::Witness,
    reference::Reference,
    room::Room,
    time::Timestamp,
};
use baton_store::{engine::Tx, former, log, table};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;

use super::party::known_as;
use crate::{Failure, bounds::first_line};

/// Whether an answer is expected, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline, with = "Expectation")]
pub struct ResponseInput {
    pub expectation: Expectation,
    /// To whom, if not to the sender.
    #[serde(rename = "replyTo", default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
}

impl From<Expectation> for ResponseInput {
    fn from(expectation: Expectation) -> Self {
        Self { expectation, reply_to: None }
    }
}

/// The contract's form.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    expectation: Expectation,
    #[serde(rename = "replyTo", alias = "reply_to")]
    reply_to: Option<String>,
}

impl<'de> Deserialize<'de> for ResponseInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            whole @ Value::Object(_) => {
                let Whole { expectation, reply_to } = serde_json::from_value(whole).map_err(D::Error::custom)?;
                Ok(Self { expectation, reply_to })
            }
            word => serde_json::from_value::<Expectation>(word).map(Self::from).map_err(D::Error::custom),
        }
    }
}

/// A request for a response that has not come.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RequestView {
    pub message: Seq,
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    /// Who asked.
    pub from_agent: String,
    /// Who owes the response.
    pub to_agent: String,
    /// Who gets it.
    pub reply_to: String,
    pub subject: String,
    pub sent_at: Timestamp,
    /// Why no response will come of itself, where that is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

impl RequestView {
    /// Requests as they are told in `room`.
    pub(crate) fn all(
        tx: &mut dyn Tx,
        room: &Room,
        witness: &dyn Witness,
        owed: &[Posted],
    ) -> Result<Vec<Self>, Failure> {
        let places: Vec<Seq> = owed.iter().map(|posted| posted.seq).collect();
        let events = log::find_all(tx, &room.id, &places)?;
        let said = |posted: &Posted| {
            let found = events.iter().find(|recorded| recorded.seq == posted.seq);
            found.and_then(sent).map(|sent| first_line(&sent.envelope.payload.message)).unwrap_or_default()
        };
        let mut views = Vec::new();
        for posted in owed {
            views.push(Self {
                message: posted.seq,
                reference: Reference::Payload(posted.id.clone()),
                from_agent: known_as(tx, room, &posted.sender)?,
                to_agent: known_as(tx, room, &posted.recipient)?,
                reply_to: known_as(tx, room, &posted.reply_to)?,
                subject: said(posted),
                sent_at: posted.sent_at,
                over: why_over(tx, room, witness, &posted.recipient)?,
            });
        }
        Ok(views)
    }
}

/// The envelope in an event, if it holds one.
pub(crate) fn sent(recorded: &Recorded) -> Option<&envelope::Sent> {
    match &recorded.event {
        Event::Envelope(envelope::Event::Sent(sent)) => Some(sent),
        _ => None,
    }
}

/// Why nothing comes of what an agent is asked, if that is certain.
pub(crate) fn why_over(
    tx: &mut dyn Tx,
    room: &Room,
    witness: &dyn Witness,
    agent: &AgentId,
) -> Result<Option<String>, Failure> {
    if let Some(job) = job_of(agent) {
        let status = table::find::<Job>(tx, &room.id, &job)?.map(|job| job.status);
        let over = status.filter(|status| !status.is_active());
        return Ok(over.map(|status| format!("{job} has ended: {status}")));
    }
    Ok(match room.member(agent) {
        None if former::is_retired(tx, &room.id, agent)? => Some(ConnectionStatus::left(true).told()),
        None => Some("it has left the room".to_owned()),
        Some(member) if member.liveness(witness).is_gone() => Some(ConnectionStatus::left(true).told()),
        Some(_) => None,
    })
}
