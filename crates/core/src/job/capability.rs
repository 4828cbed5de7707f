//! The secret that is made with a claim. A process that has it is the job's own agent for as long as the claim is in force.
//!
//! The plain secret is answered once, to whoever made the claim. Rows and events have its SHA-256, which is enough to
//! compare and useless to present.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The secret of a claim: `cap_` and 26 letters or digits, 130 random bits. The prefix lets [`crate::redact`] recognise it
/// in what agents print.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Capability(String);

/// The SHA-256 of a capability, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct CapabilityDigest(String);

impl Capability {
    /// The beginning of every capability.
    pub const PREFIX: &'static str = "cap_";
    /// Random characters after the prefix.
    pub const CHARS: usize = 26;

    /// The secret itself, for whoever is to have it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The form in which it is stored.
    pub fn digest(&self) -> CapabilityDigest {
        let digest = Sha256::digest(&self.0);
        CapabilityDigest(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// How many bytes at the beginning of `text` look like a capability, perhaps with something printed right after it.
    pub(crate) fn length_in(text: &str) -> Option<usize> {
        let random = text.strip_prefix(Self::PREFIX)?;
        let length = random.bytes().take_while(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()).count();
        (length >= Self::CHARS).then_some(Self::PREFIX.len() + length)
    }
}

impl CapabilityDigest {
    /// Whether it is the digest of this capability. Takes as long for a near miss as for a far one.
    pub fn is_of(&self, shown: &Capability) -> bool {
        self.0.as_bytes().ct_eq(shown.digest().0.as_bytes()).into()
    }

    /// As it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for CapabilityDigest {
    fn from(stored: String) -> Self {
        Self(stored)
    }
}

/// Nothing of a capability is shown by accident, also not in a panic.
impl fmt::Debug for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Capability(…)")
    }
}

impl FromStr for Capability {
    type Err = InvalidCapability;

    fn from_str(text: &str) -> Result<Self, InvalidCapability> {
        let is_whole = text.len() == Self::PREFIX.len() + Self::CHARS && Self::length_in(text) == Some(text.len());
        if is_whole { Ok(Self(text.to_owned())) } else { Err(InvalidCapability) }
    }
}

impl TryFrom<String> for Capability {
    type Error = InvalidCapability;

    fn try_from(text: String) -> Result<Self, InvalidCapability> {
        text.parse()
    }
}

impl From<Capability> for String {
    fn from(capability: Capability) -> Self {
        capability.0
    }
}

/// A text that is no capability. It is not repeated: it may be one with a letter too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a capability is cap_ followed by 26 lowercase letters or digits")]
pub struct InvalidCapability;

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "cap_0123456789abcdefghjkmnpqrs";

    #[test]
    fn a_capability_is_known_by_its_digest_and_shown_by_nothing_but_itself() {
        let capability: Capability = TEXT.parse().unwrap();
        let other: Capability = "cap_0123456789abcdefghjkmnpqrt".parse().unwrap();
        assert!(capability.digest().is_of(&capability) && !capability.digest().is_of(&other));
        assert_eq!(capability.digest().as_str().len(), 64);
        assert!(!format!("{capability:?} {:?}", capability.digest()).contains("0123456789abcdef"));
        assert_eq!(capability.reveal(), TEXT);
    }

    #[test]
    fn a_text_that_is_no_capability_is_not_repeated_in_the_refusal() {
        for wrong in ["", "cap_", "cap_0123", &format!("{TEXT}0"), &TEXT.to_uppercase(), &TEXT.replace("cap", "key")] {
            let error = wrong.parse::<Capability>().unwrap_err().to_string();
            assert!(!error.contains("0123"), "{error}");
        }
    }
}
