//! The brief of a room: showing it and editing it.

use std::collections::BTreeMap;

use baton_core::{
    code::ErrorCode,
    context::{BriefChange, BriefSet, Event, InvalidBrief, Stated},
    ids::{RoomId, Seq},
    room::Room,
};
use baton_store::table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::BriefResult;
use crate::{
    App, Caller, Failure,
    app::Request,
    presence,
    table::{Access, CONTEXT, Effect, Place, UseCase},
};

/// `context.brief.show`
pub struct BriefShow;

/// Which room.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefShowInput {
    pub room_id: RoomId,
}

impl UseCase for BriefShow {
    const NAME: &'static str = "context.brief.show";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What the room is for: goal, definition of done, mode, documents, constraints.";
    type Input = BriefShowInput;
    type Output = BriefResult;

    fn perform(app: &App, caller: &Caller, input: BriefShowInput) -> Result<BriefResult, Failure> {
        let (room, found) =
            presence::read(app, caller, &input.room_id, |tx, room, _| Ok(table::find(tx, &room.id, &())?))?;
        Ok(BriefResult::of(room.id, found))
    }
}

/// `context.brief.edit`
pub struct BriefEdit;

/// What changes; what is left out stays.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefEditInput {
    pub room_id: RoomId,
    /// What is wanted; "" clears it
    pub goal: Option<String>,
    /// By what it is known to be done; [] clears it
    pub definition_of_done: Option<Vec<String>>,
    /// PLANNING or IMPLEMENTATION; "" clears it
    pub global_mode: Option<String>,
    /// Where the documents are, from the room's root; "" clears it
    pub docs_root: Option<String>,
    /// Limits by name, added to those there are: null takes one out, {} all
    pub constraints: Option<BTreeMap<String, Value>>,
    /// The revision you edited: refused if there is a newer one
    pub revision: Option<Seq>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl BriefEditInput {
    fn change(&self, room: &Room) -> BriefChange {
        BriefChange {
            goal: self.goal.clone(),
            definition_of_done: self.definition_of_done.clone(),
            global_mode: self.global_mode.clone(),
            docs_root: self.docs_root.as_ref().map(|given| from_root(room, given)),
            constraints: self.constraints.clone(),
        }
    }
}

impl UseCase for BriefEdit {
    const NAME: &'static str = "context.brief.edit";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    // The brief is in everybody's context; a job's agent works for one job.
    const ACCESS: Access = Access::AGENTS.without_jobs(None);
    const ABOUT: &'static str = "Say what the room is for. What is left out stays, what is empty is cleared.";
    type Input = BriefEditInput;
    type Output = BriefResult;

    fn perform(app: &App, caller: &Caller, input: BriefEditInput) -> Result<BriefResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let stated = change.store.find::<Stated>(&())?.cloned();
            let current = stated.as_ref().map_or(Seq(0), |stated| stated.seq);
            if let Some(shown) = input.revision.filter(|shown| *shown != current) {
                let message = format!("The brief was edited since: revision {shown} was shown, {current} is in force.");
                let by = stated.as_ref().map(|stated| stated.by.to_string());
                return Err(Failure::new(ErrorCode::Conflict, message)
                    .with("revision", current.0)
                    .with("updated_by", by)
                    .advising("Read it with `context brief.show`, and make your change to that."));
            }
            let before = stated.map(|stated| stated.brief).unwrap_or_default();
            let brief = before.changed(&input.change(&change.room)).map_err(invalid)?;
            if brief != before {
                change.record(Event::BriefSet(BriefSet { brief }))?;
            }
            let now = change.store.find::<Stated>(&())?.cloned();
            Ok(BriefResult::of(change.room.id.clone(), now))
        })
    }
}

/// A directory as the brief has it: from the room's root, however it was written.
fn from_root(room: &Room, given: &str) -> String {
    let inside = room.canonical_path.as_deref().and_then(|root| given.strip_prefix(root));
    match inside {
        Some("") => "/".to_owned(),
        Some(rest) if rest.starts_with('/') => rest.trim_start_matches('/').to_owned(),
        Some(_) | None => given.to_owned(),
    }
}

fn invalid(wrong: InvalidBrief) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{wrong}.")).with("field", wrong.field)
}
