//! Giving up files that nothing leads to.

use baton_core::{code::ErrorCode, ids::RoomId, reference::Reference, time::Ttl};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    artifacts::{Collecting, Dropped},
    table::{Access, Effect, Place, Subject, TASKS, UseCase},
};

/// The longest time that can be asked for.
const DAYS_MAX: u32 = 3650;
/// How many of those that went are named.
const NAMED: usize = 50;

/// `tasks.artifact.gc`
pub struct ArtifactGc;

/// What is to go.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactGcInput {
    /// Also give up files older than this, 1 to 3650, that no ref reaches
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_than_days: Option<u32>,
    /// Tell what would go, and leave it
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// What went, or would go.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactGcResult {
    pub dry_run: bool,
    /// How many records were given up, in all rooms.
    pub dropped: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<GivenUp>,
    /// Files that were removed from this machine.
    pub files: u64,
    /// Half-written files of processes that were killed, which were removed too.
    pub drafts: u64,
    /// How large all these files were.
    pub bytes: u64,
    /// Directories that were left alone because somebody was keeping a file there: ask again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy: Option<u64>,
}

/// A file that was given up.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GivenUp {
    pub room_id: RoomId,
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    pub name: String,
    pub bytes: u64,
}

impl From<&Dropped> for GivenUp {
    fn from(dropped: &Dropped) -> Self {
        Self {
            room_id: dropped.room_id.clone(),
            reference: dropped.reference(),
            name: dropped.artifact.name.clone(),
            bytes: dropped.artifact.bytes,
        }
    }
}

impl UseCase for ArtifactGc {
    const NAME: &'static str = "tasks.artifact.gc";
    const PLACE: Place = Place::Portal(&TASKS);
    const SUBJECT: Subject = Subject::Store;
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::operators("`baton artifact gc` at a terminal");
    const ABOUT: &'static str = "Operators: remove files that nothing names, never what a ref reaches.";
    type Input = ArtifactGcInput;
    type Output = ArtifactGcResult;

    fn perform(app: &App, caller: &Caller, input: ArtifactGcInput) -> Result<ArtifactGcResult, Failure> {
        if let Some(days) = input.older_than_days.filter(|days| !(1..=DAYS_MAX).contains(days)) {
            let message = format!("older_than_days must be from 1 to {DAYS_MAX}, not {days}.");
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "older_than_days"));
        }
        let older_than = input.older_than_days.map(|days| Ttl::from_minutes(u64::from(days) * 24 * 60));
        let collected = app.collect_artifacts(caller, Collecting { older_than, dry_run: input.dry_run })?;
        Ok(ArtifactGcResult {
            dry_run: input.dry_run,
            dropped: collected.dropped.len() as u64,
            artifacts: collected.dropped.iter().take(NAMED).map(GivenUp::from).collect(),
            files: collected.files,
            drafts: collected.drafts,
            bytes: collected.bytes,
            busy: Some(collected.busy).filter(|busy| *busy > 0),
        })
    }
}
