//! The envelope as the contract writes it.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Moment;
use crate::{ids::AgentId, limits, words::words};

words! {
    /// What sort of envelope it is.
    EnvelopeKind {
        /// Work goes on with the recipient.
        Handoff "handoff",
        /// The recipient should know something.
        Signal "signal",
    }
}

words! {
    /// How much an envelope presses: its `meta.priority`.
    EnvelopePriority {
        /// When there is time.
        Low "low",
        /// As always.
        Normal "normal",
        /// Before other things.
        High "high",
    }
}

words! {
    /// Whether the sender waits for a response.
    Expectation {
        /// No.
        None "none",
        /// One is welcome.
        Optional "optional",
        /// Yes, and it shows as long as there is none.
        Required "required",
    }
}

/// The name of an envelope: the server's, or one that its sender chose.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PayloadId(String);

impl PayloadId {
    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PayloadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PayloadId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
        if (1..=limits::PAYLOAD_ID_BYTES).contains(&text.len()) && text.chars().all(is_plain) {
            return Ok(Self(text.to_owned()));
        }
        let most = limits::PAYLOAD_ID_BYTES;
        Err(format!("an envelope's id has 1 to {most} letters, digits, dashes, dots, colons or underscores"))
    }
}

impl TryFrom<String> for PayloadId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<PayloadId> for String {
    fn from(id: PayloadId) -> Self {
        id.0
    }
}

impl JsonSchema for PayloadId {
    fn schema_name() -> Cow<'static, str> {
        "PayloadId".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// What one agent hands to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// handoff or signal
    pub kind: EnvelopeKind,
    /// Its name, once in a room
    pub id: PayloadId,
    /// From whom
    pub from_node_id: AgentId,
    /// To whom
    pub to_node_id: AgentId,
    /// When
    pub created_at: Moment,
    /// What
    pub payload: Payload,
    /// A stored context pack: contextpack://pack/…
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_ref: Option<String>,
    /// What else its sender noted
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
}

/// What an envelope holds.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "EnvelopePayload")]
pub struct Payload {
    /// A short summary in words
    pub message: String,
    /// Structured output
    pub structured: Option<Value>,
    /// Diffs, logs, reports
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Attachment>,
    /// Pass or fail, or what was decided
    pub status: Option<Verdict>,
    /// Whether an answer is expected
    pub response: Option<Response>,
}

/// Something that an envelope points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attachment {
    /// What sort of thing
    #[serde(rename = "type")]
    pub kind: String,
    /// artifact://diff/1 or another ref
    #[serde(rename = "ref")]
    pub reference: String,
}

/// Pass or fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Whether it went well
    pub ok: bool,
    /// Why
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Whether an answer is expected, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Response {
    /// none, optional or required
    pub expectation: Expectation,
    /// To whom, if not to the sender
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<AgentId>,
}

impl Envelope {
    /// Whether its sender waits for a response.
    pub fn expectation(&self) -> Expectation {
        self.payload.response.as_ref().map_or(Expectation::None, |response| response.expectation)
    }

    /// Who gets the response.
    pub fn reply_to(&self) -> &AgentId {
        let named = self.payload.response.as_ref().and_then(|response| response.reply_to.as_ref());
        named.unwrap_or(&self.from_node_id)
    }
}
