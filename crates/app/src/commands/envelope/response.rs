//! Whether an answer is expected, as callers write it: a word, or the contract's `{expectation, replyTo}`.

use baton_core::envelope::Expectation;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use serde_json::Value;

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
