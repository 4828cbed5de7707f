//! A branch of what a job changed.

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    job::{Job, JobId},
    reference::Reference,
};
use baton_store::table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{apply::workspace, diff::no_patch, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    patches::{BranchDraft, Repository, find_patch},
    table::{Access, Effect, JOBS, Permission, Place, UseCase},
};

/// `jobs.branch`
pub struct MakeBranch;

/// Which job's patch, and the branch's name.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MakeBranchInput {
    pub room_id: RoomId,
    pub job: JobId,
    /// Default: baton/JOB-001
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
