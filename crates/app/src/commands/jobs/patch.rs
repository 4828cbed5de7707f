//! Taking over what a job changed: applied to the workspace, or as a branch.
//!
//! Applied files are put into place first, and stay only if the change is recorded: the right to edit is decided again in the
//! transaction that records it, and where that fails everything goes back.

use std::path::{Path, PathBuf};

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    job::{Job, JobId},
    limits,
    patch::{self, PatchedFile},
    reference::Reference,
    room::Room,
    scope::{EditRight, Scopes, View},
};
use baton_store::{scopes, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{diff::no_patch, view::required};
use crate::{
    App, Caller, Failure,
    app::{Request, Sight},
    bounds::Page,
    patches::{BranchDraft, Repository, find_patch},
    scoping,
    table::{Access, Effect, JOBS, Permission, Place, UseCase},
};

/// Files that an answer lists.
const FILES: u32 = 100;

/// `jobs.apply`
pub struct Apply;

/// Which job's patch.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApplyInput {
    pub room_id: RoomId,
    pub job: JobId,
    /// Only find out whether it would apply
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub check: bool,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// What became of the workspace.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApplyResult {
    pub room_id: RoomId,
    pub job: JobId,
    /// The patch.
    #[schemars(with = "String")]
    pub patch: Reference,
    /// The event, if something was changed.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    /// Whether the workspace has the patch now. A check changes nothing.
    pub applied: bool,
    /// How many files were changed, or would be. None, where the workspace has all of it already.
    pub changed: u32,
    /// The commit that the patch was made against.
    pub base: String,
    /// The commit that the workspace is at.
    pub head: String,
    /// The files of the patch, the first of them.
    pub files: Vec<PatchedFile>,
    /// For a check: what the caller lacks to apply it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
}

impl UseCase for Apply {
    const NAME: &'static str = "jobs.apply";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access { job_agent: Permission::No, ..Access::limited_for_all("with the stick or scopes") };
    const ABOUT: &'static str = "Apply a job's patch to the workspace, three-way; all of it or nothing. Takes the stick, or scopes over its paths.";
    type Input = ApplyInput;
    type Output = ApplyResult;

    fn perform(app: &App, caller: &Caller, input: ApplyInput) -> Result<ApplyResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        if let Some(first) = app.replay(caller, &request)? {
            return Ok(first);
        }
        let (sight, reserved, kept) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let job = table::find::<Job>(tx, &room.id, &input.job)?.ok_or_else(|| Failure::unknown_id(input.job))?;
            let kept = find_patch(tx, &room.id, &job, None)?.ok_or_else(|| no_patch(&job, None))?;
            let reserved = scopes::in_force(tx, &room.id)?;
            let eyes = app.eyes(tx, &room)?;
            Ok::<_, Failure>((Sight { room, eyes, now: tx.now()? }, reserved, kept))
        })?;
        let (origin, _) = kept.usable(input.job)?;
        let content = app.read_patch(&kept)?;
        if content.is_empty() {
            let message = format!("{} changed nothing: there is nothing to apply.", input.job);
            return Err(Failure::new(ErrorCode::PreconditionFailed, message).with("job", input.job.to_string()));
        }
        let workspace = workspace(&sight.room)?;
        let repository = Repository::open(&workspace, &app.patch_scratch()?)?;
        let listed = patch::files(&content);
        // The patch as it is decides about rights before git decides whether it fits: who may not edit learns that first.
        let plan = repository.plan(&origin.base, &content);
        let paths = match &plan {
            Ok(plan) => plan.paths(),
            Err(_) => {
                listed.iter().map(|file| repository.top().join(&file.path).to_string_lossy().into_owned()).collect()
            }
        };
        let right = {
            let root = scoping::root(&sight.room)?;
            let view = View {
                room: &sight.room,
                root: &root,
                now: sight.now,
                stale_after: app.stale_after()?,
                witness: &sight.eyes,
            };
            may_edit(app, view, &reserved, caller, &paths)
        };
        if !input.check {
            right.clone()?;
        }
        let plan = plan?;
        plan.require_below(&workspace)?;
        let mut result = ApplyResult {
            room_id: sight.room.id.clone(),
            job: input.job,
            patch: origin.patch.clone(),
            reference: None,
            applied: false,
            changed: plan.files.len() as u32,
            base: origin.base.clone(),
            head: plan.head.clone(),
            files: Page::default().fill(&listed, FILES, Clone::clone),
            needs: None,
        };
        if input.check {
            result.needs = right.err().map(|failure| failure.message);
            return Ok(result);
        }
        result.applied = true;
        if plan.files.is_empty() {
            return Ok(result);
        }
        let placing = plan.place()?;
        let reference = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let job = required(change, input.job)?;
            let reserved = change.scopes()?.clone();
            let root = scoping::root(&change.room)?;
            let stale_after = app.stale_after()?;
            let view = View { room: &change.room, root: &root, now: change.now, stale_after, witness: change.witness };
            may_edit(app, view, &reserved, caller, &paths)?;
            let seq = change.record(job.applied(&origin, &plan.head, plan.files.len() as u32))?.seq;
            Ok(ApplyResult { reference: Some(Reference::JobEvent(job.id, seq)), ..result.clone() })
        });
        // Dropped without being kept, the files go back.
        let result = reference?;
        placing.keep();
        Ok(result)
    }
}

/// Decides, in this one place, whether a caller may change files of the workspace.
fn may_edit(
    app: &App,
    view: View<'_>,
    reserved: &Scopes,
    caller: &Caller,
    paths: &[String],
) -> Result<EditRight, Failure> {
    let paths: Vec<_> = paths
        .iter()
        .take(limits::CHECKED_PATHS)
        .map(|path| app.committed_path(view.root, "files", path))
        .filter_map(Result::transpose)
        .collect::<Result<_, _>>()?;
    Ok(reserved.may_edit(view, &caller.actor(), &paths)?)
}

/// The workspace of a room, on this machine.
pub(super) fn workspace(room: &Room) -> Result<PathBuf, Failure> {
    let Some(path) = room.canonical_path.as_deref() else {
        let message = "The room has no workspace: it was made without a path.";
        return Err(Failure::new(ErrorCode::PreconditionFailed, message));
    };
    let path = Path::new(path);
    if path.is_dir() {
        return Ok(path.to_owned());
    }
    let message = format!("The room's workspace, {}, is not on this machine.", path.display());
    Err(Failure::new(ErrorCode::PathNotFound, message).advising("Do it on the machine that has the workspace."))
}

impl App {
    /// Where patches are worked on.
    pub(crate) fn patch_scratch(&self) -> Result<PathBuf, Failure> {
        let data = match &self.directory {
            Some(directory) => directory.clone(),
            None => self.environment.data_dir()?,
        };
        Ok(data.join("patches"))
    }
}

/// `jobs.branch`
pub struct MakeBranch;

/// Which job's patch, and the branch's name.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MakeBranchInput {
    pub room_id: RoomId,
    pub job: JobId,
    /// Default: baton/JOB-001
    pub branch: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// A branch.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BranchResult {
    pub room_id: RoomId,
    pub job: JobId,
    /// The patch.
    #[schemars(with = "String")]
    pub patch: Reference,
    /// The event. There is none, where the branch was there already.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    pub branch: String,
    pub commit: String,
    /// The commit that it begins at.
    pub base: String,
    /// Whether it was made just now; one that was there already is the same.
    pub created: bool,
}

impl UseCase for MakeBranch {
    const NAME: &'static str = "jobs.branch";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access { job_agent: Permission::No, ..Access::AGENTS };
    const ABOUT: &'static str =
        "Make a git branch of a job's patch, one commit on its base; the working tree stays as it is.";
    type Input = MakeBranchInput;
    type Output = BranchResult;

    fn perform(app: &App, caller: &Caller, input: MakeBranchInput) -> Result<BranchResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        if let Some(first) = app.replay(caller, &request)? {
            return Ok(first);
        }
        let (room, job, kept) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let job = table::find::<Job>(tx, &room.id, &input.job)?.ok_or_else(|| Failure::unknown_id(input.job))?;
            let kept = find_patch(tx, &room.id, &job, None)?.ok_or_else(|| no_patch(&job, None))?;
            Ok::<_, Failure>((room, job, kept))
        })?;
        let (origin, _) = kept.usable(job.id)?;
        let content = app.read_patch(&kept)?;
        if content.is_empty() {
            let message = format!("{} changed nothing: there is nothing for a branch.", job.id);
            return Err(Failure::new(ErrorCode::PreconditionFailed, message).with("job", job.id.to_string()));
        }
        let name = input.branch.clone().unwrap_or_else(|| format!("baton/{}", job.id));
        let message = format!("{}\n\n{} in {}, from {}.\n", job.title, job.id, room.id, origin.patch);
        let repository = Repository::open(&workspace(&room)?, &app.patch_scratch()?)?;
        let draft = BranchDraft { name: &name, base: &origin.base, patch: &content, message: &message };
        let branch = repository.make_branch(&draft)?;
        let result = BranchResult {
            room_id: room.id.clone(),
            job: job.id,
            patch: origin.patch.clone(),
            reference: None,
            branch: name.clone(),
            commit: branch.commit.clone(),
            base: origin.base.clone(),
            created: branch.is_new,
        };
        if !branch.is_new {
            return Ok(result);
        }
        let recorded = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let job = required(change, input.job)?;
            let seq = change.record(job.branched(&origin, &name, &branch.commit))?.seq;
            Ok(BranchResult { reference: Some(Reference::JobEvent(job.id, seq)), ..result.clone() })
        });
        if recorded.is_err() {
            repository.unmake_branch(&name, &branch);
        }
        recorded
    }
}
