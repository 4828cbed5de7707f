//! When an envelope was made, as its maker wrote it.

use std::{borrow::Cow, fmt, str::FromStr};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{limits, time::Timestamp};

/// A point in time that is told again as it was written: the contract's example has whole seconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Moment(String);

impl Moment {
    /// The point in time.
    pub fn at(&self) -> Timestamp {
        let at = self.0.parse::<jiff::Timestamp>().map(|at| at.as_millisecond());
        Timestamp::from_millis(at.unwrap_or_default())
    }
}

impl From<Timestamp> for Moment {
    fn from(at: Timestamp) -> Self {
        let text = at.to_string();
        Self(text.strip_suffix(".000Z").map_or(text.clone(), |whole| format!("{whole}Z")))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Moment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.len() <= limits::ID_BYTES && text.parse::<jiff::Timestamp>().is_ok() {
            return Ok(Self(text.to_owned()));
        }
        let shown: String = text.chars().take(limits::SHOWN_INPUT_CHARS).collect();
        Err(format!("is a time like 2026-01-01T00:00:00Z, not {shown:?}"))
    }
}

impl TryFrom<String> for Moment {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.0
    }
}

impl JsonSchema for Moment {
    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}
