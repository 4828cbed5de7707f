//! What a job changed.

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    job::{Isolation, Job, JobId, Status},
    limits,
    patch::{self, PatchedFile},
    reference::Reference,
    turn::TurnId,
};
use baton_store::table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    artifacts::Shown,
    bounds::Page,
    commands::open::Passage,
    patches::{KeptPatch, find_patch},
    presence,
    table::{Effect, JOBS, Place, UseCase},
};

/// The most files that are listed, and what they may take of an answer.
const FILES: u32 = 200;
const FILES_BYTES: usize = 3_000;

/// `jobs.diff`
pub struct Diff;

/// Of which job.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffInput {
    pub room_id: RoomId,
    pub job: JobId,
    /// The slice whose diff is meant, from 1; default: the newest
    pub slice: Option<u32>,
    /// Only the files, without the text
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stat: bool,
    /// Where in the text to go on
    pub offset: Option<u64>,
}

/// A patch, by as much as one look shows.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiffResult {
    pub room_id: RoomId,
    pub job: JobId,
    pub status: Status,
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    pub slice: Option<u32>,
    pub turn: Option<TurnId>,
    /// Where the job worked: in the workspace itself, or in a worktree of its own.
    pub isolation: Isolation,
    /// The commit that it applies to. One of a shared workspace has none.
    pub base: Option<String>,
    /// Whether it can be applied, or made a branch.
    pub usable: bool,
    /// Why not.
    pub why_not: Option<String>,
    pub files: Vec<PatchedFile>,
    pub additions: u64,
    pub deletions: u64,
    /// The patch, from its beginning or from `offset`.
    pub text: Option<Passage>,
    /// What was left out, and how to get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
}

impl UseCase for Diff {
    const NAME: &'static str = "jobs.diff";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What a job changed: the files, and its newest patch or that of one slice.";
    type Input = DiffInput;
    type Output = DiffResult;

    fn perform(app: &App, caller: &Caller, input: DiffInput) -> Result<DiffResult, Failure> {
        let (room, (job, kept)) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let job = table::find::<Job>(tx, &room.id, &input.job)?.ok_or_else(|| Failure::unknown_id(input.job))?;
            let kept = find_patch(tx, &room.id, &job, input.slice)?;
            Ok((job, kept))
        })?;
        let kept = kept.ok_or_else(|| no_patch(&job, input.slice))?;
        let content = app.read_patch(&kept)?;
        let all = patch::files(&content);
        let files = Page::of(FILES_BYTES).fill(&all, FILES, Clone::clone);
        let text = if input.stat { None } else { Some(passage(app, &kept, input.offset.unwrap_or(0))?) };
        let mut more = Vec::new();
        if files.len() < all.len() {
            more.push(format!("{} more files are in the text", all.len() - files.len()));
        }
        let slice = input.slice.map_or_else(String::new, |slice| format!(" slice={slice}"));
        if let Some(next) = text.as_ref().and_then(|text| text.next_offset) {
            more.push(format!("more of the text: jobs diff job={}{slice} offset={next}", job.id));
        }
        let usable = kept.usable(job.id);
        Ok(DiffResult {
            room_id: room.id.clone(),
            job: job.id,
            status: job.status,
            reference: kept.reference(),
            slice: kept.slice,
            turn: kept.artifact.turn,
            isolation: job.routing.isolation,
            base: kept.origin.as_ref().map(|origin| origin.base.clone()),
            usable: usable.is_ok(),
            why_not: usable.err().map(|failure| failure.message),
            additions: all.iter().map(|file| file.additions).sum(),
            deletions: all.iter().map(|file| file.deletions).sum(),
            files,
            text,
            more,
        })
    }
}

fn passage(app: &App, kept: &KeptPatch, offset: u64) -> Result<Passage, Failure> {
    let from = i64::try_from(offset).unwrap_or(i64::MAX);
    match app.read_artifact(&kept.artifact, from, limits::ARTIFACT_SHOWN_BYTES)? {
        Shown::Here { from, bytes, text } => Ok(Passage::read(text, (from, bytes), kept.artifact.bytes)),
        // It was there a moment ago.
        Shown::Elsewhere { .. } | Shown::Lost | Shown::Dropped => Err(Failure::unknown_id(kept.reference())),
    }
}

/// The refusal for a job that left no patch, or none of a slice.
pub(super) fn no_patch(job: &Job, slice: Option<u32>) -> Failure {
    let id = job.id;
    let message = match slice {
        Some(slice) => format!("{id} left no diff of slice {slice}."),
        None if job.status.is_active() => format!("{id} left no diff yet."),
        None if job.routing.isolation == Isolation::Worktree => {
            format!("{id} changed nothing in its worktree that git can see: it left no diff.")
        }
        None => format!("{id} left no diff."),
    };
    let next = "A diff is kept at the end of each slice that changed something; see the slices and the thread with `jobs open`.";
    Failure::new(ErrorCode::UnknownId, message).with("job", id.to_string()).advising(next)
}

impl App {
    /// A patch of a job to the byte, for a caller who may read the room.
    pub fn job_patch(&self, room: &RoomId, job: JobId, slice: Option<u32>) -> Result<Vec<u8>, Failure> {
        let kept = self.store.read(|tx| {
            let room = self.room(tx, room)?;
            let job = table::find::<Job>(tx, &room.id, &job)?.ok_or_else(|| Failure::unknown_id(job))?;
            find_patch(tx, &room.id, &job, slice)?.ok_or_else(|| no_patch(&job, slice))
        })?;
        self.read_patch(&kept)
    }
}
