//! What the program of a job prints: while it runs as far as it has come, and then what was kept of it.

use baton_core::{
    ids::RoomId,
    job::{Job, JobId, agent_of},
    library::{Artifact, ArtifactKind},
    limits,
    reference::Reference,
    turn::TurnId,
};
use baton_store::{engine::Tx, library, table, turns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    artifacts::Shown,
    presence,
    table::{Effect, Place, Tier, UseCase},
};

/// Files of a job among which its newest log is.
const FILES: u32 = 40;

/// `jobs.log`
pub struct Log;

/// Of which job.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogInput {
    pub room_id: RoomId,
    pub job: JobId,
}

/// The end of what was printed.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct LogResult {
    pub room_id: RoomId,
    pub job: JobId,
    /// Whether its program runs now.
    pub live: bool,
    /// The turn that it is of.
    pub turn: Option<TurnId>,
    /// Up to 8 KiB from the end.
    pub text: Option<String>,
    /// Where all of it is, once the program has ended.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    /// Why there is no text.
    pub unavailable: Option<String>,
}

impl UseCase for Log {
    const NAME: &'static str = "jobs.log";
    const PLACE: Place = Place::Tool("get_job_log", Tier::Full);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "The end of what a job's program prints: live while it runs, else of its last slice.";
    type Input = LogInput;
    type Output = LogResult;

    fn perform(app: &App, caller: &Caller, input: LogInput) -> Result<LogResult, Failure> {
        let (room, (open, kept)) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let job = table::find::<Job>(tx, &room.id, &input.job)?.ok_or_else(|| Failure::unknown_id(input.job))?;
            let open = turns::open_of(tx, &room.id, &agent_of(&room.id, job.id))?;
            let kept = newest(tx, &room.id, job.id)?;
            Ok((open, kept))
        })?;
        let result = LogResult {
            room_id: room.id.clone(),
            job: input.job,
            live: open.is_some(),
            turn: None,
            text: None,
            reference: None,
            unavailable: None,
        };
        if let Some(turn) = open {
            let text = app.read_tail(&room.id, input.job)?.map(|text| end(&text).to_owned());
            let elsewhere = "It runs, and what it prints is on the machine of its runner until the slice ends.";
            let unavailable = text.is_none().then(|| elsewhere.to_owned());
            return Ok(LogResult { turn: Some(turn.id), text, unavailable, ..result });
        }
        let Some(artifact) = kept else {
            return Ok(LogResult { unavailable: Some("Nothing was printed yet.".to_owned()), ..result });
        };
        let most = limits::ARTIFACT_SHOWN_BYTES;
        let (text, unavailable) = match app.read_artifact(&artifact, -(most as i64), most)? {
            Shown::Here { text, .. } => (Some(text), None),
            Shown::Elsewhere { host } => (None, Some(format!("It is kept on another machine, {host}."))),
            Shown::Dropped => (None, Some("Its content was given up: nothing pointed to it any more.".to_owned())),
            Shown::Lost => (None, Some("Its file is gone from the data directory, or was changed there.".to_owned())),
        };
        let reference = Some(Reference::Artifact(artifact.kind, artifact.id.0));
        Ok(LogResult { turn: artifact.turn, text, reference, unavailable, ..result })
    }
}

fn newest(tx: &mut dyn Tx, room: &RoomId, job: JobId) -> Result<Option<Artifact>, Failure> {
    let found = library::artifacts_of_job(tx, room, job, None, FILES)?;
    Ok(found.into_iter().find(|artifact| artifact.kind == ArtifactKind::Log))
}

/// As many whole lines from the end as are shown.
fn end(text: &str) -> &str {
    let begin = text.ceil_char_boundary(text.len().saturating_sub(limits::ARTIFACT_SHOWN_BYTES));
    match (begin, text[begin..].find('\n')) {
        (0, _) | (_, None) => &text[begin..],
        (_, Some(newline)) => &text[begin + newline + 1..],
    }
}
