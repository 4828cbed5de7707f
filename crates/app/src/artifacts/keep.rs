//! Keeping a file.

use std::{borrow::Cow, io};

use baton_core::{
    claimant::Claimant,
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{self, Job, JobId, agent_of},
    lease::Fence,
    library::{Artifact, ArtifactDraft, ArtifactKind, PatchOrigin, Pointers},
    limits,
    redact::{redact, redact_json},
    reference::Reference,
    turn::TurnId,
};
use baton_store::{Location, library, table};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::files::{Files, hash};
use crate::{App, Caller, Failure, app::Request, liveness, refs, unit::Change};

/// What this is called in the log of requests, when it is not asked for by a command of the table.
const NAME: &str = "artifact.keep";

/// A file that is to be kept.
#[derive(Clone, Copy, Debug)]
pub struct Keeping<'a> {
    /// What sort of file.
    pub kind: ArtifactKind,
    /// What it is called: a name, not a path.
    pub name: &'a str,
    /// What is in it.
    pub content: &'a [u8],
    /// Under which claim of which job.
    pub proof: Option<&'a Proof>,
    /// The turn it is of.
    pub turn: Option<TurnId>,
    /// Its origin, if it is a diff that can be applied.
    pub patch: Option<&'a PatchOrigin>,
}

/// The claim under which a job's file is kept.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// Which job.
    pub job: JobId,
    /// Whose claim.
    pub runner: AgentId,
    /// Which.
    pub revision: Fence,
}

/// A file that was kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    /// What to open it with.
    pub(crate) reference: Reference,
    /// Whether something that looked like a secret was taken out.
    pub(crate) redacted: bool,
}

impl App {
    /// Keeps a file, and gives what to open it with. If it is a job's, the claim that is shown must be in force.
    pub fn keep_artifact(&self, caller: &Caller, room: &RoomId, keeping: &Keeping<'_>) -> Result<Reference, Failure> {
        let input = (keeping.name, hash(keeping.content), keeping.proof);
        let request = Request { command: NAME, input: &input, key: None };
        self.keep_about(caller, &request, room, keeping, None).map(|kept| kept.reference)
    }

    /// The same for a request of a caller, perhaps about a job that is not its own.
    pub(crate) fn keep_about<I: Serialize>(
        &self,
        caller: &Caller,
        request: &Request<'_, I>,
        room: &RoomId,
        keeping: &Keeping<'_>,
        about: Option<JobId>,
    ) -> Result<Kept, Failure> {
        // Text that is not UTF-8 is no text that an agent printed; where it is broken it is marked so. A patch is kept to the
        // byte, or it would not apply: secrets are ASCII, so they are found in it all the same.
        let text = String::from_utf8_lossy(keeping.content);
        let clean = clean(&text);
        let redacted = clean != text;
        let content = match keeping.patch {
            Some(_) if !redacted => keeping.content.to_vec(),
            Some(_) | None => clean.into_owned().into_bytes(),
        };
        let draft = ArtifactDraft {
            kind: keeping.kind,
            name: keeping.name.to_owned(),
            sha256: hash(&content),
            bytes: content.len() as u64,
            host: liveness::this_host().unwrap_or(UNKNOWN_HOST).to_owned(),
            job: keeping.proof.map(|proof| proof.job).or(about),
            revision: keeping.proof.map(|proof| proof.revision),
            node: Some(match keeping.proof {
                Some(proof) => agent_of(room, proof.job),
                None => caller.actor().agent_id,
            }),
            turn: keeping.turn,
            refs: Vec::new(),
            redacted,
            patch: keeping.patch.cloned(),
        };
        let shown = keeping.proof.map(|proof| proof.shown(caller, room));
        // A first look: a runner that lost its claim leaves nothing behind, not even a file that nobody points to.
        self.store.read(|tx| {
            let room = self.room(tx, room)?;
            match keeping.proof.zip(shown.as_ref()) {
                Some((proof, shown)) => require(table::find::<Job>(tx, &room.id, &proof.job)?, proof.job, shown),
                None => Ok(()),
            }
        })?;
        // Until it is on record, or it could be taken for one that nobody wants.
        let _hold = if draft.bytes <= limits::ARTIFACT_BYTES {
            let files = self.artifact_files()?;
            let hold = files.hold(&draft.sha256).map_err(not_written)?;
            // Before it is on record, so that nothing is on record that is not there.
            files.keep(&content).map_err(not_written)?;
            Some(hold)
        } else {
            None
        };
        self.change(caller, request, room, |change| {
            change.require_open()?;
            if let Some((proof, shown)) = keeping.proof.zip(shown.as_ref()) {
                require(change.store.find::<Job>(&proof.job)?.cloned(), proof.job, shown)?;
            }
            let owners = [about.map(Reference::Job), draft.turn.map(Reference::Turn)];
            refs::require(change.store.tx()?, &change.room.id, &owners.into_iter().flatten().collect::<Vec<_>>())?;
            let id = library::next_artifact(change.store.tx()?, &change.room.id)?;
            change.record(draft.keep(id)?)?;
            Ok(Kept { reference: Reference::Artifact(draft.kind, id.0), redacted })
        })
    }

    /// Where this machine keeps the store's files: beside the embedded store, or where that would be.
    pub(crate) fn artifact_files(&self) -> Result<Files, Failure> {
        match &self.directory {
            Some(directory) => Ok(Files::below(directory, &self.shelf)),
            None => Ok(Files::below(&self.environment.data_dir()?, &self.shelf)),
        }
    }
}

/// What a store is called among those whose files are kept in one data directory. There is one embedded store in it, and
/// any number of servers.
pub(crate) fn shelf(location: &Location) -> String {
    match location {
        Location::Directory(_) => "embedded".to_owned(),
        // As it is shown: without the password, which may change.
        Location::Postgres(address) => hash(address.to_string().as_bytes())[..16].to_owned(),
    }
}

/// Those pointers of a context pack that lead somewhere.
pub(crate) fn leading(change: &mut Change<'_>, pointers: &Pointers) -> Result<Vec<Reference>, Failure> {
    let mut found = Vec::new();
    for number in pointers.numbers() {
        let artifact = change.store.find::<Artifact>(&number)?.cloned();
        found.extend(artifact.map(|artifact| Reference::Artifact(artifact.kind, number.0)));
    }
    found.extend(pointers.packs().cloned().map(Reference::Pack));
    refs::resolving(change.store.tx()?, &change.room.id, found)
}

/// A text without what looks like a secret. JSON, and lines of it, stay what they are: each text in it is looked at by
/// itself, because what is taken out of JSON as a whole may take a quote with it.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    if !text.trim_start().starts_with(['{', '[']) {
        return redact(text);
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        let clean = redact_json(None, &value);
        return if clean == value { text.into() } else { format!("{clean:#}\n").into() };
    }
    let lines: Result<Vec<String>, _> = text.lines().map(clean_line).collect();
    match lines {
        Ok(lines) if lines.iter().map(String::as_str).eq(text.lines()) => text.into(),
        Ok(lines) => (lines.join("\n") + "\n").into(),
        Err(_) => redact(text),
    }
}

fn clean_line(line: &str) -> serde_json::Result<String> {
    if line.trim().is_empty() {
        return Ok(line.to_owned());
    }
    let value: Value = serde_json::from_str(line)?;
    let clean = redact_json(None, &value);
    Ok(if clean == value { line.to_owned() } else { clean.to_string() })
}

/// The machine, where it cannot be told which it is.
pub(super) const UNKNOWN_HOST: &str = "unknown";

impl Proof {
    fn shown(&self, caller: &Caller, room: &RoomId) -> job::Shown {
        let own = caller.assignment_in(room).filter(|assigned| {
            assigned.job == self.job && assigned.runner == self.runner && assigned.revision == self.revision
        });
        job::Shown {
            runner: self.runner.clone(),
            revision: self.revision,
            by: Claimant::of(&caller.actor()),
            capability: own.map(|assigned| assigned.capability.clone()),
        }
    }
}

fn require(found: Option<Job>, id: JobId, shown: &job::Shown) -> Result<(), Failure> {
    let job = found.ok_or_else(|| Failure::unknown_id(id))?;
    Ok(job.require_claim(shown)?)
}

pub(super) fn not_written(error: io::Error) -> Failure {
    let code = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorCode::StoreFull,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ErrorCode::StoreReadOnly,
        _ => ErrorCode::StoreUnavailable,
    };
    Failure::new(code, format!("The file could not be kept: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_without_its_secrets_is_json_still() {
        for text in [
            r#"{"text": "password = \"hunter2\" \\", "n": 1}"#,
            r#"{"client_secret": "abcdef", "said": "use DB_PASSWORD='a\"b' \\"}"#,
            "{\"a\": \"GITHUB_TOKEN=abcdefgh\\\"\"}\n{\"b\": \"DB_PASSWORD=hunter2\"}\n",
        ] {
            let clean = clean(text);
            assert!(clean.contains("[redacted:") && !clean.contains("hunter2"), "{clean}");
            let values = serde_json::Deserializer::from_str(&clean).into_iter::<Value>();
            assert!(values.map(|value| value.map(|_| ())).collect::<Result<Vec<_>, _>>().is_ok(), "{clean}");
        }
    }

    #[test]
    fn what_has_no_secret_is_kept_to_the_byte() {
        for text in ["plain", "{\"a\":1}\r\n", "[ 1,\n 2 ]", "{\"a\": 1}\n\n{\"b\": 2}", "{ not json"] {
            assert_eq!(clean(text), text);
        }
    }
}
