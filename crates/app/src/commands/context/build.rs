//! Building a pack for an agent.

use baton_core::{code::ErrorCode, context::Budget, ids::RoomId, job::JobId, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PackResult;
use crate::{
    App, Caller, Failure,
    app::Request,
    packs::{self, Base, Gathering},
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.build`
pub struct Build;

/// For whom, and of what.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildInput {
    pub room_id: RoomId,
    /// Name, id or JOB-001; default: you
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// JOB-001, for its agent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// 2000 to 6000 tokens; default 4000
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u32>,
    /// Files to know besides those that are found
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The pack to go on from, or none; default: the one that came with the last handoff
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Build {
    const NAME: &'static str = "context.build";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Build a context pack for an agent: brief, git facts, files, documents, inputs, artifacts, and what earlier handoffs asked and forbade.";
    type Input = BuildInput;
    type Output = PackResult;

    fn perform(app: &App, caller: &Caller, input: BuildInput) -> Result<PackResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        if let Some(first) = app.replay(caller, &request)? {
            return Ok(first);
        }
        let budget = budget(input.budget)?;
        let base = base(input.base.as_deref())?;
        few("files", input.files.len())?;
        let (room, node) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let node = packs::node(tx, &room, caller, input.agent.as_deref(), input.job)?;
            Ok::<_, Failure>((room, node))
        })?;
        app.files_inside(caller, &room, &input.files)?;
        let after = node.clone();
        let gathering = Gathering { node, after, handing_on: None, files: &input.files, base, budget };
        let gathered = app.build_pack(caller, &room, &gathering)?;
        let prepared = app.prepare_pack(gathered.pack)?;
        app.change(caller, &request, &input.room_id, |change| {
            let artifact = change.keep_pack(&prepared)?;
            let room = change.room.id.clone();
            Ok(PackResult::of(room, artifact, &prepared.pack, budget.tokens(), &gathered.gaps))
        })
    }
}

/// The budget that was asked for.
pub(super) fn budget(asked: Option<u32>) -> Result<Budget, Failure> {
    Budget::of(asked)
        .map_err(|wrong| Failure::new(ErrorCode::InvalidInput, format!("budget {wrong}.")).with("field", "budget"))
}

/// Refuses more entries than are looked at.
pub(super) fn few(field: &str, entries: usize) -> Result<(), Failure> {
    if entries <= limits::REFERENCES {
        return Ok(());
    }
    let message = format!("{field}: {entries} are too many; at most {}.", limits::REFERENCES);
    Err(Failure::new(ErrorCode::InvalidInput, message).with("field", field))
}

fn base(given: Option<&str>) -> Result<Base, Failure> {
    match given {
        None => Ok(Base::Last),
        Some("none") => Ok(Base::Nothing),
        Some(reference) => packs::pack_id("base", reference).map(Base::Pack),
    }
}
