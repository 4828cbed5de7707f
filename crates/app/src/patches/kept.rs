//! The patches that a job left.

use baton_core::{
    code::ErrorCode,
    event::Event,
    ids::RoomId,
    job::{self, JobId},
    library::{self, Artifact, ArtifactId, ArtifactKind, PatchOrigin},
    reference::Reference,
};
use baton_store::{engine::Tx, library as files, log, turns};

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

/// The newest diff of a job, or of one slice of it, counted from one. Agents may keep diffs of their own about a job; one that
/// its runner made in a worktree comes before them.
pub(crate) fn find_patch(
    tx: &mut dyn Tx,
    room: &RoomId,
    job: JobId,
    slice: Option<u32>,
) -> Result<Option<KeptPatch>, Failure> {
    let (mut before, mut other): (Option<ArtifactId>, Option<KeptPatch>) = (None, None);
    for _ in 0..PAGES {
        let found = files::artifacts_of_job(tx, room, job, before, PAGE)?;
        let Some(last) = found.last().map(|last| last.id) else { break };
        for artifact in found.into_iter().filter(|file| file.kind == ArtifactKind::Diff) {
            let Some(kept) = read(tx, room, &artifact)? else { continue };
            if slice.is_some() && slice != kept.slice {
                continue;
            }
            if kept.origin.is_some() {
                return Ok(Some(kept));
            }
            other = other.or(Some(kept));
        }
        before = Some(last);
    }
    Ok(other)
}

fn read(tx: &mut dyn Tx, room: &RoomId, artifact: &Artifact) -> Result<Option<KeptPatch>, Failure> {
    let Some(recorded) = log::find(tx, room, artifact.seq)? else { return Ok(None) };
    let Event::Library(library::Event::ArtifactKept(kept)) = recorded.event else { return Ok(None) };
    let slice = slice_of(tx, room, artifact)?;
    Ok(Some(KeptPatch { artifact: artifact.clone(), origin: kept.patch, redacted: kept.redacted, slice }))
}

fn slice_of(tx: &mut dyn Tx, room: &RoomId, artifact: &Artifact) -> Result<Option<u32>, Failure> {
    let Some(turn) = artifact.turn else { return Ok(None) };
    Ok(turns::find(tx, room, turn)?.map(|turn| turn.number))
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
