//! How a caller names a message: by its number, or by the protocol's id of it.

use baton_core::{ids::Seq, room::Room};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::Error as _};
use serde_json::Value;

/// A message: `17`, or `proto_20260214_017`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(with = "NumberOrId")]
pub enum MessageRef {
    /// Its place in the room's log.
    Number(Seq),
    /// The protocol's id, which counts on from the rooms that were at the same path before.
    Protocol(String),
}

/// The two forms, for schemas: an untagged enumeration would be described by its parts' names.
#[derive(JsonSchema)]
#[schemars(untagged, inline)]
#[expect(dead_code, reason = "only its schema is used")]
enum NumberOrId {
    Number(Seq),
    Id(String),
}

impl MessageRef {
    /// The message's place in the log of `room`. No message has the place 0.
    pub(super) fn place(&self, room: &Room) -> Seq {
        match self {
            Self::Number(seq) => *seq,
            Self::Protocol(id) => Seq(number(id).map_or(0, |number| number.saturating_sub(room.earlier_events))),
        }
    }
}

/// The number of a protocol id.
fn number(id: &str) -> Option<u64> {
    id.strip_prefix("proto_")?.split_once('_')?.1.parse().ok()
}

impl std::str::FromStr for MessageRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = number(text).map(|_| Self::Protocol(text.to_owned()));
        named.or_else(|| text.parse().ok().map(|seq| Self::Number(Seq(seq)))).ok_or_else(|| {
            let shown: String = text.chars().take(baton_core::limits::SHOWN_INPUT_CHARS).collect();
            format!("a message is named by its number, like 17 or proto_20260214_017, not by {shown:?}")
        })
    }
}

impl<'de> Deserialize<'de> for MessageRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => text.parse().map_err(D::Error::custom),
            said => match said.as_u64() {
                Some(number) => Ok(Self::Number(Seq(number))),
                None => said.to_string().parse().map_err(D::Error::custom),
            },
        }
    }
}
