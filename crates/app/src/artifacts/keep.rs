//! Keeping a file.

use std::io;

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{self, JobId, agent_of},
    lease::Fence,
    library::{ArtifactDraft, ArtifactKind},
    limits,
    redact::redact,
    reference::Reference,
    turn::TurnId,
};
use baton_store::{jobs, library};
use serde::Serialize;

use super::files::{Files, hash};
use crate::{App, Caller, Failure, app::Request, liveness};

/// What this is called in the log of requests. It is no command of the table: only a runner keeps files.
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

impl App {
    /// Keeps a file, and gives what to open it with. If it is a job's, the claim that is shown must be in force.
    pub fn keep_artifact(&self, caller: &Caller, room: &RoomId, keeping: &Keeping<'_>) -> Result<Reference, Failure> {
        // Text that is not UTF-8 is no text that an agent printed; where it is broken it is marked so.
        let text = String::from_utf8_lossy(keeping.content);
        let content = redact(&text).into_owned().into_bytes();
        let draft = ArtifactDraft {
            kind: keeping.kind,
            name: keeping.name.to_owned(),
            sha256: hash(&content),
            bytes: content.len() as u64,
            host: liveness::this_host().unwrap_or(UNKNOWN_HOST).to_owned(),
            job: keeping.proof.map(|proof| proof.job),
            revision: keeping.proof.map(|proof| proof.revision),
            node: Some(match keeping.proof {
                Some(proof) => agent_of(room, proof.job),
                None => caller.actor().agent_id,
            }),
            turn: keeping.turn,
        };
        let shown = keeping.proof.map(|proof| proof.shown(caller, room));
        // A first look: a runner that lost its claim leaves nothing behind, not even a file that nobody points to.
        self.store.read(|tx| {
            let room = self.room(tx, room)?;
            match keeping.proof.zip(shown.as_ref()) {
                Some((proof, shown)) => require(jobs::find(tx, &room.id, proof.job)?, proof.job, shown),
                None => Ok(()),
            }
        })?;
        if draft.bytes <= limits::ARTIFACT_BYTES {
            // Before it is on record, so that nothing is on record that is not there.
            self.artifact_files()?.keep(&content).map_err(not_written)?;
        }
        let input = (draft.name.as_str(), draft.sha256.as_str(), keeping.proof);
        let request = Request { command: NAME, input: &input, key: None };
        self.change(caller, &request, room, |change| {
            change.require_open()?;
            if let Some((proof, shown)) = keeping.proof.zip(shown.as_ref()) {
                require(change.job(proof.job)?, proof.job, shown)?;
            }
            let id = library::next_artifact(change.tx, &change.room.id)?;
            change.record(draft.keep(id)?)?;
            Ok(Reference::Artifact(draft.kind, id.0))
        })
    }

    /// Where this machine keeps files: beside the embedded store, or where that would be.
    pub(super) fn artifact_files(&self) -> Result<Files, Failure> {
        match &self.directory {
            Some(directory) => Ok(Files::below(directory)),
            None => Ok(Files::below(&self.environment.data_dir()?)),
        }
    }
}

/// The machine, where it cannot be told which it is.
pub(super) const UNKNOWN_HOST: &str = "unknown";

impl Proof {
    fn shown(&self, caller: &Caller, room: &RoomId) -> job::Shown {
        let own = caller.assignment_in(room).is_some_and(|assigned| {
            assigned.job == self.job && assigned.runner == self.runner && assigned.revision == self.revision
        });
        let (runner, revision) = (self.runner.clone(), self.revision);
        job::Shown { runner, revision, by: caller.actor().agent_id, own_agent: own }
    }
}

fn require(found: Option<job::Job>, id: JobId, shown: &job::Shown) -> Result<(), Failure> {
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
