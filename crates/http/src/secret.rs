//! What somebody shows to prove who they are: 256 random bits, kept only as their hash.
//!
//! What must stay true: a secret is not printed by accident, and how long a comparison takes says nothing about how much
//! of a guess was right.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

/// 256 bits.
const SECRET_BYTES: usize = 32;
const DIGEST_BYTES: usize = 32;

/// A token, a ticket or a cookie, in the form in which it is shown.
pub struct Secret(String);

/// What is kept of a secret.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Digest([u8; DIGEST_BYTES]);

impl Secret {
    /// A fresh one that begins with `prefix`.
    pub(crate) fn fresh(prefix: &str) -> Result<Self, Failure> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|error| Failure::new(ErrorCode::Internal, format!("There are no random numbers: {error}.")))?;
        Ok(Self(format!("{prefix}{}", hex(&bytes))))
    }

    /// The secret itself, for the one who is to have it.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub(crate) fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Digest {
    /// What would be kept of this text.
    pub(crate) fn of(shown: &str) -> Self {
        Self(Sha256::digest(shown.as_bytes()).into())
    }

    pub(crate) fn to_hex(&self) -> String {
        hex(&self.0)
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Digest {}

impl Hash for Digest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Digest(…)")
    }
}

impl TryFrom<String> for Digest {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        const WRONG: &str = "a digest is 64 hexadecimal digits";
        if text.len() != 2 * DIGEST_BYTES || !text.is_ascii() {
            return Err(WRONG);
        }
        let mut bytes = [0; DIGEST_BYTES];
        for (place, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).map_err(|_| WRONG)?;
        }
        Ok(Self(bytes))
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.to_hex()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_differ_and_are_not_printed_by_accident() {
        let (one, other) = (Secret::fresh("baton_").unwrap(), Secret::fresh("baton_").unwrap());
        assert_eq!(one.reveal().len(), "baton_".len() + 64);
        assert_ne!(one.reveal(), other.reveal());
        assert_eq!(format!("{one:?} {:?}", one.digest()), "Secret(…) Digest(…)");
    }

    #[test]
    fn a_digest_is_written_as_it_is_read() {
        let digest = Digest::of("a token");
        assert_eq!(Digest::try_from(digest.to_hex()), Ok(digest.clone()));
        assert_ne!(digest, Digest::of("another"));
        for wrong in [String::new(), "x".repeat(64), "é".repeat(32), digest.to_hex() + "00"] {
            assert!(Digest::try_from(wrong).is_err());
        }
    }
}
