//! A token, as it is kept.

use std::{fmt, str::FromStr};

use baton_app::Rights;
use baton_core::{ids::AgentId, time::Timestamp};
use serde::{Deserialize, Serialize};

use crate::secret::Digest;

/// Longest name of a token.
pub(crate) const NAME_CHARS: usize = 48;

/// What a token is called, so that it can be revoked: words of letters and digits, joined by dashes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenName(String);

/// What a token lets its holder do, as it is written in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// See everything and change nothing.
    Viewer,
    /// Whatever agents do.
    Agent,
    /// Whatever the owner does.
    Operator,
}

/// A token without what makes it one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// What it is called.
    pub name: TokenName,
    /// What it lets its holder do.
    pub role: Role,
    /// The one agent that it speaks for, if it is bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentId>,
    /// When it was made.
    pub created_at: Timestamp,
    pub(crate) sha256: Digest,
}

impl Role {
    /// The rights that go with it.
    pub const fn rights(self) -> Rights {
        match self {
            Self::Viewer => Rights::Viewer,
            Self::Agent => Rights::Agent,
            Self::Operator => Rights::Operator,
        }
    }
}

impl TokenName {
    /// The name as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TokenName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if text.len() <= NAME_CHARS && text.split('-').all(is_word) {
            return Ok(Self(text));
        }
        Err(format!(
            "a token's name is 1 to {NAME_CHARS} lowercase letters or digits, in words joined by single dashes"
        ))
    }
}

impl FromStr for TokenName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::try_from(text.to_owned())
    }
}

impl From<TokenName> for String {
    fn from(name: TokenName) -> Self {
        name.0
    }
}

impl fmt::Display for TokenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
