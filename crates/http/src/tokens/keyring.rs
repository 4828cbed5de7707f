//! The files that tokens are kept in.
//!
//! Every change is made under a lock and replaces the file as a whole, so that two commands at once lose nothing and a
//! server never reads half of it.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use baton_app::Failure;
use baton_core::{code::ErrorCode, ids::AgentId, time::Timestamp};
use serde::{Deserialize, Serialize};

use super::token::{Role, Token, TokenName};
use crate::{
    private,
    secret::{Digest, Secret},
};

/// Most tokens at a time.
pub(crate) const TOKENS_MAX: usize = 256;
/// How a token begins, so that people and scanners know what it is.
const PREFIX: &str = "baton_";
/// The owner's own token.
pub const OPERATOR: &str = "operator";
const VERSION: u8 = 1;

/// Where tokens are kept.
#[derive(Clone, Debug)]
pub struct Keyring {
    directory: PathBuf,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    v: u8,
    tokens: Vec<Token>,
}

impl Keyring {
    /// The tokens of a data directory.
    pub fn in_directory(directory: &Path) -> Self {
        Self { directory: directory.to_owned() }
    }

    /// Where hashes, names and roles are.
    pub fn file(&self) -> PathBuf {
        self.directory.join("tokens.json")
    }

    /// Where the owner's own token is.
    pub fn operator_file(&self) -> PathBuf {
        self.directory.join("operator.token")
    }

    /// Every token, without what makes it one.
    pub fn list(&self) -> Result<Vec<Token>, Failure> {
        let path = self.file();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(private::failed(&path, &error)),
        };
        let contents: Contents = serde_json::from_str(&text).map_err(|error| unreadable(&path, &error.to_string()))?;
        if contents.v != VERSION {
            return Err(unreadable(&path, "it was written by another version of Baton"));
        }
        Ok(contents.tokens)
    }

    /// Makes a token, which is told only now.
    pub fn create(
        &self,
        name: TokenName,
        role: Role,
        agent: Option<AgentId>,
        now: Timestamp,
    ) -> Result<Secret, Failure> {
        if agent.as_ref().is_some_and(|agent| agent.as_str().contains(':')) {
            let message = "A token speaks only for an agent whose id has no colon: the others are found, not given.";
            return Err(Failure::new(ErrorCode::SourceMismatch, message).with("field", "agent"));
        }
        self.change(|tokens| {
            if tokens.iter().any(|token| token.name == name) {
                let message = format!("There is a token called {name}.");
                let next = format!("Choose another name, or revoke it first: baton token revoke {name}");
                return Err(Failure::new(ErrorCode::PreconditionFailed, message).advising(next));
            }
            add(tokens, name, role, agent, now)
        })
    }

    /// Ends a token.
    pub fn revoke(&self, name: &TokenName) -> Result<Token, Failure> {
        let revoked = self.change(|tokens| {
            let place = tokens.iter().position(|token| token.name == *name);
            let unknown = || {
                Failure::new(ErrorCode::UnknownId, format!("There is no token called {name}."))
                    .advising("See which there are: baton token list")
            };
            place.map(|place| tokens.remove(place)).ok_or_else(unknown)
        })?;
        if name.as_str() == OPERATOR {
            let path = self.operator_file();
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(private::failed(&path, &error)),
                _ => {}
            }
        }
        Ok(revoked)
    }

    /// Sees to it that the owner has a token: what is in its file is one that counts.
    pub fn ensure_operator(&self, now: Timestamp) -> Result<(), Failure> {
        let path = self.operator_file();
        self.change(|tokens| {
            let kept = fs::read_to_string(&path).ok().map(|text| Digest::of(text.trim()));
            let counts = |token: &Token| token.name.as_str() == OPERATOR && Some(&token.sha256) == kept.as_ref();
            if tokens.iter().any(counts) {
                return Ok(());
            }
            tokens.retain(|token| token.name.as_str() != OPERATOR);
            let name = OPERATOR.parse().map_err(|error: String| Failure::new(ErrorCode::Internal, error))?;
            let secret = add(tokens, name, Role::Operator, None, now)?;
            private::replace(&path, &format!("{}\n", secret.reveal())).map_err(|error| private::failed(&path, &error))
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<Token>) -> Result<T, Failure>) -> Result<T, Failure> {
        let lock = self.directory.join("tokens.lock");
        let _held = private::lock(&lock).map_err(|error| private::failed(&lock, &error))?;
        let mut tokens = self.list()?;
        let answer = change(&mut tokens)?;
        let path = self.file();
        let contents = Contents { v: VERSION, tokens };
        let text = serde_json::to_string_pretty(&contents)
            .map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
        private::replace(&path, &(text + "\n")).map_err(|error| private::failed(&path, &error))?;
        Ok(answer)
    }
}

fn add(
    tokens: &mut Vec<Token>,
    name: TokenName,
    role: Role,
    agent: Option<AgentId>,
    now: Timestamp,
) -> Result<Secret, Failure> {
    if tokens.len() >= TOKENS_MAX {
        let message = format!("There are {TOKENS_MAX} tokens, which is the most.");
        return Err(
            Failure::new(ErrorCode::PreconditionFailed, message).advising("Revoke one: baton token revoke NAME")
        );
    }
    let secret = Secret::fresh(PREFIX)?;
    tokens.push(Token { name, role, agent, created_at: now, sha256: secret.digest() });
    Ok(secret)
}

fn unreadable(path: &Path, why: &str) -> Failure {
    Failure::new(ErrorCode::StoreUnavailable, format!("{} is not a list of tokens: {why}.", path.display()))
        .advising("Move it away; `baton up` makes a new one, and `baton token` other tokens.")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);

    fn name(text: &str) -> TokenName {
        text.parse().unwrap()
    }

    #[test]
    fn a_token_is_told_once_and_kept_as_its_hash_in_files_that_are_the_owners_alone() {
        let directory = tempfile::tempdir().unwrap();
        let keyring = Keyring::in_directory(&directory.path().join("data"));
        let secret = keyring.create(name("ci"), Role::Viewer, None, NOW).unwrap();
        keyring.ensure_operator(NOW).unwrap();
        let text = fs::read_to_string(keyring.file()).unwrap();
        assert!(!text.contains(secret.reveal()) && text.contains(&secret.digest().to_hex()), "{text}");
        for path in [keyring.file(), keyring.operator_file()] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let names: Vec<_> = keyring.list().unwrap().into_iter().map(|token| token.name.to_string()).collect();
        assert_eq!(names, ["ci", "operator"]);
    }

    #[test]
    fn the_owners_token_stays_until_it_is_revoked_and_is_then_another() {
        let directory = tempfile::tempdir().unwrap();
        let keyring = Keyring::in_directory(directory.path());
        let read = || fs::read_to_string(keyring.operator_file()).unwrap();
        keyring.ensure_operator(NOW).unwrap();
        let first = read();
        keyring.ensure_operator(NOW).unwrap();
        assert_eq!(read(), first);
        keyring.revoke(&name(OPERATOR)).unwrap();
        assert!(!keyring.operator_file().exists());
        keyring.ensure_operator(NOW).unwrap();
        assert_ne!(read(), first);
        fs::write(keyring.operator_file(), "something else").unwrap();
        keyring.ensure_operator(NOW).unwrap();
        assert_eq!(keyring.list().unwrap().len(), 1);
        assert_eq!(keyring.list().unwrap()[0].sha256, Digest::of(read().trim()));
    }

    #[test]
    fn what_cannot_be_made_or_ended_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let keyring = Keyring::in_directory(directory.path());
        let create = |called: &str, agent: Option<&str>| {
            let agent = agent.map(|agent| agent.parse().unwrap());
            keyring.create(name(called), Role::Agent, agent, NOW).map(drop).map_err(|failure| failure.code)
        };
        assert_eq!(create("a", Some("worker-a")), Ok(()));
        assert_eq!(create("a", None), Err(ErrorCode::PreconditionFailed));
        assert_eq!(create("b", Some("codex:9b22")), Err(ErrorCode::SourceMismatch));
        assert_eq!(keyring.revoke(&name("c")).unwrap_err().code, ErrorCode::UnknownId);
        assert!(["", "A", "a--b", "a b", &"x".repeat(49)].iter().all(|wrong| wrong.parse::<TokenName>().is_err()));
        fs::write(keyring.file(), "{").unwrap();
        assert_eq!(keyring.list().unwrap_err().code, ErrorCode::StoreUnavailable);
    }
}
