//! The patches that a job left.

use baton_core::{
    code::ErrorCode,
    event::Event,
    ids::RoomId,
    job::{self, Isolation, Job, JobId},
    library::{self, Artifact, ArtifactId, ArtifactKind, PatchOrigin},
    reference::Reference,
    turn::Turn,
};
use baton_store::{engine::Tx, library as files, log, table};

use crate::{App, Failure, artifacts::Whole};

/// Files that are asked for at once, and how often.
const PAGE: u32 = 100;
const PAGES: u32 = 20;

/// A diff of a job.
#[derive(Clone, Debug)]
pub struct KeptPatch {
    /// The file.
    pub artifact: Artifact,
    /// What it was made against. The diff of a shared workspace has nothing that it could be applied to.
    pub origin: Option<PatchOrigin>,
    /// Whether something that looked like a secret was taken out.
    pub redacted: bool,
    /// The slice that it is of.
    pub slice: Option<u32>,
}

impl KeptPatch {
    /// Where it is kept.
    pub fn reference(&self) -> Reference {
        Reference::Artifact(self.artifact.kind, self.artifact.id.0)
    }

    /// What it was made against, if it can be used: it is whole, and nothing was taken out.
    pub fn usable(&self, job: JobId) -> Result<(job::Patch, &PatchOrigin), Failure> {
        let reference = self.reference();
        let unusable = |message: String| {
            let failure = Failure::new(ErrorCode::PatchUnusable, message);
            failure.with("job", job.to_string()).with("ref", reference.to_string())
        };
        let Some(origin) = &self.origin else {
            let message = format!(
                "{job} worked in the workspace itself, so what it changed is there: {reference} is not applied."
            );
            let next = "Look at it with `jobs diff`. A job with isolation worktree leaves a patch.";
            return Err(Failure::new(ErrorCode::PreconditionFailed, message)
                .with("job", job.to_string())
                .advising(next));
        };
        if self.redacted {
            return Err(unusable(format!(
                "Something that looks like a secret was taken out of {reference} when it was kept, so it would write that mark \
                 into files."
            ))
            .advising(format!(
                "See where with `jobs diff` ({job}), then send the job back with `jobs send_back`: have it read the secret from \
                 the environment, or write an example that looks like none."
            )));
        }
        if origin.cut {
            return Err(unusable(format!(
                "{reference} was cut when it was kept: the job changed more than a patch can hold."
            )));
        }
        if !origin.too_large.is_empty() {
            return Err(unusable(format!(
                "Files that {job} changed are too large for a patch, and are not in {reference}."
            ))
            .with("files", origin.too_large.clone()));
        }
        Ok((job::Patch { patch: reference, base: origin.base.clone() }, origin))
    }
}

/// The newest diff of a job's changes, or of those of one slice, counted from one: a file that its runner kept. Agents may keep
/// diffs of their own about a job; those are files like any other, and say nothing about its changes.
pub(crate) fn find_patch(
    tx: &mut dyn Tx,
    room: &RoomId,
    job: &Job,
    slice: Option<u32>,
) -> Result<Option<KeptPatch>, Failure> {
    let mut before: Option<ArtifactId> = None;
    for _ in 0..PAGES {
        let found = files::artifacts_of_job(tx, room, job.id, before, PAGE)?;
        let Some(last) = found.last().map(|last| last.id) else { break };
        for artifact in found.into_iter().filter(|file| file.kind == ArtifactKind::Diff) {
            let Some(kept) = read(tx, room, job, &artifact)? else { continue };
            if slice.is_none() || slice == kept.slice {
                return Ok(Some(kept));
            }
        }
        before = Some(last);
    }
    Ok(None)
}

/// The diff that a file is, if the job's runner made it.
fn read(tx: &mut dyn Tx, room: &RoomId, job: &Job, artifact: &Artifact) -> Result<Option<KeptPatch>, Failure> {
    let Some(recorded) = log::find(tx, room, artifact.seq)? else { return Ok(None) };
    let Event::Library(library::Event::ArtifactKept(kept)) = recorded.event else { return Ok(None) };
    let turn = artifact.turn.map(|turn| table::find::<Turn>(tx, room, &turn)).transpose()?.flatten();
    let is_runners = match job.routing.isolation {
        // Only a runner can say what a diff was made against.
        Isolation::Worktree => kept.patch.is_some(),
        // The agent of a job shows its runner's claim too, under its own name.
        Isolation::Workspace => turn.as_ref().is_some_and(|turn| turn.runner == Some(recorded.actor)),
    };
    let slice = turn.map(|turn| turn.number);
    Ok(is_runners.then(|| KeptPatch { artifact: artifact.clone(), origin: kept.patch, redacted: kept.redacted, slice }))
}

impl App {
    /// All of a patch, to the byte.
    pub fn read_patch(&self, kept: &KeptPatch) -> Result<Vec<u8>, Failure> {
        let reference = kept.reference();
        let missing =
            |message: String| Failure::new(ErrorCode::PatchUnusable, message).with("ref", reference.to_string());
        match self.read_whole_artifact(&kept.artifact)? {
            Whole::Here(content) => Ok(content),
            Whole::Elsewhere { host } => Err(missing(format!("{reference} is kept on another machine, {host}."))
                .with("host", host)
                .advising("Do it on that machine.")),
            Whole::Dropped => {
                Err(missing(format!("The content of {reference} was given up: nothing pointed to it any more.")))
            }
            Whole::Lost => {
                Err(missing(format!("The file of {reference} is gone from the data directory, or was changed there.")))
            }
        }
    }
}
