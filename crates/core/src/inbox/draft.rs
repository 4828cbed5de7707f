//! What a message says: each category has its own parts, and each part is checked by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Category, Refusal};
use crate::{handoff::blank_or_long, limits, words::words};

words! {
    /// How a person's word reaches an agent.
    Manner {
        /// It is there for its next turn.
        Queue "queue",
        /// What the agent does is stopped for it.
        Interrupt "interrupt",
    }
}

/// How much it presses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Urgency {
    /// When there is time.
    Low,
    /// Soon.
    Medium,
    /// Now.
    High,
}

/// A message before it is checked: whatever the sender said.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// What it is about, in a line.
    pub subject: String,
    /// HANDOFF: what was done.
    pub summary: Option<String>,
    /// HANDOFF: what to do first.
    pub next_action: Option<String>,
    /// BLOCKED: what is in the way.
    pub blocker: Option<String>,
    /// BLOCKED: what would help.
    pub requested_action: Option<String>,
    /// BLOCKED: how much it presses.
    pub urgency: Option<Urgency>,
    /// DECISION and INFO: the text.
    pub body: Option<String>,
    /// Whether the recipient has to accept it.
    pub requires_ack: Option<bool>,
}

/// The contract's payload of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "MessagePayload")]
pub enum Payload {
    /// Of a HANDOFF.
    Handoff {
        /// What it is about.
        subject: String,
        /// What was done.
        summary: String,
        /// What to do first.
        next_action: String,
        /// Whether it has to be accepted.
        requires_ack: bool,
    },
    /// Of a BLOCKED.
    Blocked {
        /// What it is about.
        subject: String,
        /// What is in the way.
        blocker: String,
        /// What would help.
        requested_action: String,
        /// How much it presses.
        urgency: Urgency,
        /// It has to be accepted.
        requires_ack: bool,
    },
    /// Of a DECISION or an INFO.
    Text {
        /// What it is about.
        subject: String,
        /// The text.
        body: String,
        /// Whether it has to be accepted.
        requires_ack: bool,
    },
}

impl Payload {
    /// What it is about.
    pub fn subject(&self) -> &str {
        match self {
            Self::Handoff { subject, .. } | Self::Blocked { subject, .. } | Self::Text { subject, .. } => subject,
        }
    }

    /// What it says beyond that.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Handoff { summary, .. } => Some(summary),
            Self::Blocked { blocker, .. } => Some(blocker),
            Self::Text { body, .. } => Some(body),
        }
    }

    /// Whether the recipient has to accept it.
    pub fn requires_ack(&self) -> bool {
        match self {
            Self::Handoff { requires_ack, .. }
            | Self::Blocked { requires_ack, .. }
            | Self::Text { requires_ack, .. } => *requires_ack,
        }
    }
}

impl Draft {
    /// The payload of a message of `category`, if every part it needs is there and none that it has no place for.
    pub fn check(&self, category: Category) -> Result<Payload, Refusal> {
        let subject = part("subject", Some(&self.subject), limits::SUBJECT_BYTES)?;
        match category {
            Category::Handoff => {
                self.refuse(category, &["summary", "next_action"])?;
                let payload = Payload::Handoff {
                    subject,
                    summary: text("summary", self.summary.as_ref())?,
                    next_action: text("next_action", self.next_action.as_ref())?,
                    requires_ack: self.requires_ack.unwrap_or(true),
                };
                fitting(payload)
            }
            Category::Blocked => {
                self.refuse(category, &["blocker", "requested_action", "urgency"])?;
                if self.requires_ack == Some(false) {
                    return Err(invalid("requires_ack", "is always true for BLOCKED"));
                }
                fitting(Payload::Blocked {
                    subject,
                    blocker: text("blocker", self.blocker.as_ref())?,
                    requested_action: text("requested_action", self.requested_action.as_ref())?,
                    urgency: self.urgency.unwrap_or(Urgency::Medium),
                    requires_ack: true,
                })
            }
            Category::Decision | Category::Info => {
                self.refuse(category, &["body"])?;
                let requires_ack = self.requires_ack.unwrap_or(false);
                fitting(Payload::Text { subject, body: text("body", self.body.as_ref())?, requires_ack })
            }
            _ => Err(invalid("category", category.way())),
        }
    }

    /// Refuses parts that have no place in a message of `category`: they would be lost.
    fn refuse(&self, category: Category, taken: &[&'static str]) -> Result<(), Refusal> {
        let given = [
            ("summary", self.summary.is_some()),
            ("next_action", self.next_action.is_some()),
            ("blocker", self.blocker.is_some()),
            ("requested_action", self.requested_action.is_some()),
            ("urgency", self.urgency.is_some()),
            ("body", self.body.is_some()),
        ];
        match given.iter().find(|(field, given)| *given && !taken.contains(field)) {
            Some((field, _)) => {
                let parts = taken.join(", ");
                Err(invalid(field, format!("is no part of {}, which has subject, {parts}", category.as_str())))
            }
            None => Ok(()),
        }
    }
}

fn text(field: &'static str, given: Option<&String>) -> Result<String, Refusal> {
    part(field, given, limits::MESSAGE_BYTES)
}

fn part(field: &'static str, given: Option<&String>, max: usize) -> Result<String, Refusal> {
    let given = given.ok_or_else(|| invalid(field, "is required"))?;
    match blank_or_long(given, max) {
        Some(why) => Err(invalid(field, why)),
        None => Ok(given.clone()),
    }
}

fn fitting(payload: Payload) -> Result<Payload, Refusal> {
    let bytes = serde_json::to_string(&payload).map_or(0, |json| json.len());
    if bytes <= limits::MESSAGE_BYTES {
        return Ok(payload);
    }
    let why = format!("has {bytes} bytes in all; at most {} are accepted", limits::MESSAGE_BYTES);
    Err(invalid("message", why))
}

fn invalid(field: &'static str, why: impl Into<String>) -> Refusal {
    Refusal::InvalidMessage { field, why: why.into() }
}
