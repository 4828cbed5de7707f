//! A server's copy of the tokens, which is read again when their file has changed.
//!
//! What must stay true: a token that was revoked does not count from the next request on. So each request looks whether the
//! file is still the one that was read, which costs about a microsecond. Streams that are open look when the file
//! changes (`gate/revocations.rs`).

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};

use baton_app::Failure;
use baton_core::ids::AgentId;

use super::{keyring::Keyring, token::Token};
use crate::{private, secret::Digest};

/// The tokens that count.
pub(crate) struct Known {
    keyring: Keyring,
    copy: RwLock<Copy>,
}

#[derive(Default)]
struct Copy {
    of: Option<Stamp>,
    tokens: Vec<Arc<Token>>,
}

/// Which file was read. A change replaces it, so that it is another.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    modified: (i64, i64),
    bytes: u64,
}

impl Known {
    pub(crate) fn of(keyring: Keyring) -> Self {
        Self { keyring, copy: RwLock::default() }
    }

    /// The token that `shown` is.
    pub(crate) fn find(&self, shown: &str) -> Result<Option<Arc<Token>>, Failure> {
        self.with_digest(&Digest::of(shown))
    }

    /// Where the tokens are kept.
    pub(crate) fn keyring(&self) -> &Keyring {
        &self.keyring
    }

    /// The token with that hash.
    pub(crate) fn with_digest(&self, digest: &Digest) -> Result<Option<Arc<Token>>, Failure> {
        self.look(|copy| copy.find(digest))
    }

    /// The names of the tokens that are bound to an agent.
    pub(crate) fn bound_to(&self, agent: &AgentId) -> Result<Vec<Arc<str>>, Failure> {
        let bound = |token: &&Arc<Token>| token.agent.as_ref() == Some(agent);
        self.look(|copy| copy.tokens.iter().filter(bound).map(|token| token.name.as_str().into()).collect())
    }

    /// Looks at the tokens as they are now.
    fn look<T>(&self, look: impl Fn(&Copy) -> T) -> Result<T, Failure> {
        let path = self.keyring.file();
        let now = Stamp::of(&path).map_err(|error| private::failed(&path, &error))?;
        {
            let copy = self.copy.read().unwrap_or_else(PoisonError::into_inner);
            if copy.of == now {
                return Ok(look(&copy));
            }
        }
        let mut copy = self.copy.write().unwrap_or_else(PoisonError::into_inner);
        // Stamped before it is read: what changes in between is read again.
        *copy = Copy { of: now, tokens: self.keyring.list()?.into_iter().map(Arc::new).collect() };
        Ok(look(&copy))
    }
}

impl Copy {
    /// Looks at all of them, so that the time it takes does not tell which it was.
    fn find(&self, digest: &Digest) -> Option<Arc<Token>> {
        self.tokens
            .iter()
            .fold(None, |found, token| if token.sha256 == *digest { Some(Arc::clone(token)) } else { found })
    }
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Option<Self>> {
        match fs::metadata(path) {
            Ok(found) => {
                Ok(Some(Self { inode: found.ino(), modified: (found.mtime(), found.mtime_nsec()), bytes: found.len() }))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_core::time::Timestamp;

    use super::*;
    use crate::tokens::Role;

    #[test]
    fn a_token_counts_as_soon_as_it_is_made_and_until_it_is_revoked() {
        let directory = tempfile::tempdir().unwrap();
        let keyring = Keyring::in_directory(directory.path());
        let known = Known::of(keyring.clone());
        let found = |shown: &str| known.find(shown).unwrap().map(|token| token.name.to_string());
        assert_eq!(found("baton_guess"), None);
        let now = Timestamp::from_millis(0);
        let one = keyring.create("one".parse().unwrap(), Role::Agent, None, now).unwrap();
        let two = keyring.create("two".parse().unwrap(), Role::Agent, None, now).unwrap();
        assert_eq!(
            [one.reveal(), two.reveal(), "", "baton_guess"].map(found).map(Option::unwrap_or_default),
            ["one", "two", "", ""]
        );
        keyring.revoke(&"one".parse().unwrap()).unwrap();
        assert_eq!([one.reveal(), two.reveal()].map(found).map(Option::unwrap_or_default), ["", "two"]);
    }
}
