//! Signatures with which hooks tell the MCP server of their harness which conversation makes a call.
//!
//! A harness with several conversations and one MCP server does not say which of them calls. Its hook knows, and adds the
//! conversation to the call's arguments. Models write arguments too, so the hook signs it with a key of the data directory, for
//! the harness's exact process: a signature that leaks into another session proves nothing there.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use baton_core::{code::ErrorCode, process::ProcessIdentity};
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Sha256;

use super::Told;
use crate::Failure;

const KEY_FILE: &str = "hook.key";
const KEY_BYTES: usize = 32;
/// Longest id of a conversation or a sub-agent that is signed or believed.
const ID_BYTES: usize = 128;

/// The argument that a hook adds to calls of Baton's tools.
pub const CALLER_ARGUMENT: &str = "caller";

/// The key of a data directory.
#[derive(Clone)]
pub struct HookKey([u8; KEY_BYTES]);

/// A conversation with its signature, as it travels in a call's arguments.
#[derive(Debug, Serialize, Deserialize)]
struct Signed {
    session: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    proof: String,
}

impl HookKey {
    /// The key of a data directory, made if there is none yet.
    pub fn of(directory: &Path) -> Result<Self, Failure> {
        let file = directory.join(KEY_FILE);
        match Self::read(&file) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::make(directory, &file),
            found => found,
        }
        .map_err(|error| {
            Failure::new(ErrorCode::StoreUnavailable, format!("{} cannot be used: {error}.", file.display()))
                .advising("See that your user may read and write it, or remove it: a new one is made.")
        })
    }

    /// The key of a data directory, if there is one.
    pub fn existing(directory: &Path) -> Option<Self> {
        Self::read(&directory.join(KEY_FILE)).ok()
    }

    fn read(file: &Path) -> io::Result<Self> {
        let mut key = [0; KEY_BYTES];
        fs::File::open(file)?.read_exact(&mut key)?;
        Ok(Self(key))
    }

    /// Two processes may make one at once: the first that is in place counts for both.
    fn make(directory: &Path, file: &Path) -> io::Result<Self> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        let fresh = directory.join(format!("{KEY_FILE}.{}", std::process::id()));
        let mut written = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
        written.write_all(&key)?;
        written.sync_all()?;
        let placed = fs::hard_link(&fresh, file);
        fs::remove_file(&fresh)?;
        match placed {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::read(file),
            Err(error) => Err(error),
            Ok(()) => Ok(Self(key)),
        }
    }

    /// The argument that tells `told` to the MCP server of the harness at `process`.
    pub fn sign(&self, told: &Told, process: &ProcessIdentity) -> Option<Value> {
        let Told { session, agent } = told;
        let proof = hex(&self.mac(told, process)?.finalize().into_bytes());
        serde_json::to_value(Signed { session: session.clone(), agent: agent.clone(), proof }).ok()
    }

    /// The conversation that an argument tells, if it was signed for the harness at `process`.
    pub fn verify(&self, argument: &Value, process: &ProcessIdentity) -> Option<Told> {
        let Signed { session, agent, proof } = Signed::deserialize(argument).ok()?;
        let told = Told { session, agent };
        let proof = unhex(&proof)?;
        self.mac(&told, process)?.verify_slice(&proof).ok()?;
        Some(told)
    }

    fn mac(&self, told: &Told, process: &ProcessIdentity) -> Option<Hmac<Sha256>> {
        let agent = told.agent.as_deref().unwrap_or_default();
        if told.session.is_empty() || told.session.len() > ID_BYTES || agent.len() > ID_BYTES {
            return None;
        }
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).ok()?;
        let ProcessIdentity { host_id, boot_id, pid, start_ticks, .. } = process;
        let facts = [host_id.as_str(), boot_id, &pid.to_string(), &start_ticks.to_string(), &told.session, agent];
        for fact in facts {
            // With its length, so that no two lists of facts are the same bytes.
            mac.update(&(fact.len() as u64).to_le_bytes());
            mac.update(fact.as_bytes());
        }
        mac.update(&[u8::from(told.agent.is_some())]);
        Some(mac)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::tests::ancestor, *};

    fn process(line: &str) -> ProcessIdentity {
        ancestor(line).identity.unwrap()
    }

    #[test]
    fn a_conversation_is_believed_for_the_process_it_was_signed_for() {
        let directory = tempfile::tempdir().unwrap();
        let key = HookKey::of(directory.path()).unwrap();
        let told = Told { session: "s1".to_owned(), agent: Some("a1".to_owned()) };
        let signed = key.sign(&told, &process("50 claude")).unwrap();
        let again = HookKey::existing(directory.path()).unwrap();
        assert_eq!(again.verify(&signed, &process("50 claude")), Some(told));
        assert_eq!(again.verify(&signed, &process("51 claude")), None, "another process");
        for (field, value) in
            [("session", json!("s2")), ("agent", json!("a2")), ("agent", json!(null)), ("proof", json!("00"))]
        {
            let mut forged = signed.clone();
            forged[field] = value;
            assert_eq!(again.verify(&forged, &process("50 claude")), None, "{field}");
        }
        let other = tempfile::tempdir().unwrap();
        assert_eq!(HookKey::of(other.path()).unwrap().verify(&signed, &process("50 claude")), None, "another key");
    }

    #[test]
    fn nothing_but_a_signed_conversation_is_believed() {
        let directory = tempfile::tempdir().unwrap();
        assert!(HookKey::existing(directory.path()).is_none());
        let key = HookKey::of(directory.path()).unwrap();
        for argument in
            [json!(null), json!("s1"), json!({"session": "s1"}), json!({"session": "s1", "proof": "é".repeat(32)})]
        {
            assert_eq!(key.verify(&argument, &process("50 claude")), None, "{argument}");
        }
    }
}
