//! The name of a pack.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::limits;

/// The name of a context pack, which is made from what is in it. As a reference it is written `contextpack://pack/<id>`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PackId(String);

impl PackId {
    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// What the file of the pack is called among the artifacts of its room.
    pub fn file_name(&self) -> String {
        format!("{}.json", self.0)
    }
}

impl fmt::Display for PackId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PackId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        if (1..=limits::PACK_ID_BYTES).contains(&text.len()) && text.bytes().all(is_plain) {
            return Ok(Self(text.to_owned()));
        }
        Err(format!("a pack's id has 1 to {} letters, digits or dashes", limits::PACK_ID_BYTES))
    }
}

impl TryFrom<String> for PackId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<PackId> for String {
    fn from(id: PackId) -> Self {
        id.0
    }
}
