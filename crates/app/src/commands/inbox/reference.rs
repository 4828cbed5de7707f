//! How a caller names a message: by its number, or by the protocol's id of it.

use baton_core::ids::Seq;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A message: `17`, or `proto_20260214_017`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct MessageRef(pub Seq);

impl std::str::FromStr for MessageRef {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = match text.strip_prefix("proto_") {
            Some(rest) => rest.split_once('_').map_or("", |(_, number)| number),
            None => text,
        };
        digits.parse().map(|seq| Self(Seq(seq))).map_err(|_| {
            let shown: String = text.chars().take(baton_core::limits::SHOWN_INPUT_CHARS).collect();
            format!("a message is named by its number, like 17 or proto_20260214_017, not by {shown:?}")
        })
    }
}

impl<'de> Deserialize<'de> for MessageRef {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Said {
            Number(u64),
            Text(String),
        }
        match Said::deserialize(deserializer)? {
            Said::Number(number) => Ok(Self(Seq(number))),
            Said::Text(text) => text.parse().map_err(serde::de::Error::custom),
        }
    }
}
