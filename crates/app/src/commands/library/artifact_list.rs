//! What a job left behind.

use baton_core::{ids::RoomId, job::JobId, library::ArtifactId, limits, reference::Reference};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ArtifactView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    refs,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.artifact.list`
pub struct ArtifactList;

/// Whose files.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactListInput {
    pub room_id: RoomId,
    /// JOB-001
    pub job: JobId,
    /// Only older ones: the number of the last one seen
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
    /// 1 to 200; default 25
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Files, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactListResult {
    pub room_id: RoomId,
    pub artifacts: Vec<ArtifactView>,
    /// Whether there are more: ask again with `before` the number of the last one.
    pub has_more: bool,
}

impl UseCase for ArtifactList {
    const NAME: &'static str = "tasks.artifact.list";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List the files that a job left behind, newest first. `open` shows what is in one.";
    type Input = ArtifactListInput;
    type Output = ArtifactListResult;

    fn run(app: &App, caller: &Caller, input: ArtifactListInput) -> Result<ArtifactListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let before = input.before.map(ArtifactId);
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            if !refs::resolve(tx, &room.id, &Reference::Job(input.job))? {
                return Err(Failure::unknown_id(input.job));
            }
            let found = library::artifacts_of_job(tx, &room.id, input.job, before, limit + 1)?;
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try);
        let artifacts = Page::default().fill(&found, limit, ArtifactView::from);
        let has_more = artifacts.len() < found.len();
        Ok(ArtifactListResult { artifacts, room_id: room.id, has_more })
    }
}
