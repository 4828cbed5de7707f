//! Building packs, merging and comparing them, and listing those there are.

use baton_core::{
    code::ErrorCode,
    context::{self, Budget, FieldDiff},
    ids::RoomId,
    job::JobId,
    library::ArtifactId,
    limits,
    reference::Reference,
};
use baton_store::library;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PackResult, PackView};
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::{self, Page},
    packs::{self, Base, Gathering},
    presence,
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.build`
pub struct Build;

/// For whom, and of what.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuildInput {
    pub room_id: RoomId,
    /// Name, id or JOB-001; default: you
    pub agent: Option<String>,
    /// JOB-001, for its agent
    pub job: Option<JobId>,
    /// 2000 to 6000 tokens; default 4000
    pub budget: Option<u32>,
    /// Files to know besides those that are found
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The pack to go on from, or none; default: the one that came with the last handoff
    pub base: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
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

/// Most packs in one merge.
const PACKS: usize = 8;

/// `context.merge`
pub struct Merge;

/// Which packs.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeInput {
    pub room_id: RoomId,
    /// 2 to 8 packs; of two values the later one's counts
    pub packs: Vec<String>,
    /// 2000 to 6000 tokens; default 4000
    pub budget: Option<u32>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl UseCase for Merge {
    const NAME: &'static str = "context.merge";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Make one context pack of several: values of the later ones count, lists are united.";
    type Input = MergeInput;
    type Output = PackResult;

    fn perform(app: &App, caller: &Caller, input: MergeInput) -> Result<PackResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let budget = budget(input.budget)?;
        if !(2..=PACKS).contains(&input.packs.len()) {
            let message = format!("packs: {} were given; a merge takes 2 to {PACKS}.", input.packs.len());
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "packs"));
        }
        app.store.read(|tx| app.room(tx, &input.room_id))?;
        let read = |reference: &String| {
            let (_, pack) = app.read_pack(&input.room_id, &packs::pack_id("packs", reference)?)?;
            Ok::<_, Failure>(pack)
        };
        let merged = input.packs.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let prepared = app.prepare_pack(context::merge_all(merged, budget))?;
        app.change(caller, &request, &input.room_id, |change| {
            let artifact = change.keep_pack(&prepared)?;
            Ok(PackResult::of(change.room.id.clone(), artifact, &prepared.pack, budget.tokens(), &[]))
        })
    }
}

/// `context.diff`
pub struct Diff;

/// Which packs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffInput {
    pub room_id: RoomId,
    /// contextpack://pack/…
    pub first: String,
    /// contextpack://pack/…
    pub second: String,
}

/// What differs, field by field; nothing, if nothing does.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct DiffResult {
    pub room_id: RoomId,
    #[schemars(with = "String")]
    pub first: Reference,
    #[schemars(with = "String")]
    pub second: Reference,
    pub differences: Vec<FieldDiff>,
}

impl UseCase for Diff {
    const NAME: &'static str = "context.diff";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What two context packs differ in, field by field.";
    type Input = DiffInput;
    type Output = DiffResult;

    fn perform(app: &App, _: &Caller, input: DiffInput) -> Result<DiffResult, Failure> {
        let (first, second) = (packs::pack_id("first", &input.first)?, packs::pack_id("second", &input.second)?);
        app.store.read(|tx| app.room(tx, &input.room_id))?;
        let (_, before) = app.read_pack(&input.room_id, &first)?;
        let (_, after) = app.read_pack(&input.room_id, &second)?;
        Ok(DiffResult {
            room_id: input.room_id,
            first: Reference::Pack(first),
            second: Reference::Pack(second),
            differences: context::diff(&before, &after),
        })
    }
}

/// `context.list`
pub struct List;

/// Which packs.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListInput {
    pub room_id: RoomId,
    /// Only those for this one: name, id or JOB-001
    pub agent: Option<String>,
    /// Only older ones: the number of the last one seen
    pub before: Option<u32>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
}

/// Packs, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListResult {
    pub room_id: RoomId,
    pub packs: Vec<PackView>,
    /// Whether there are more: ask again with `before` the number of the last one.
    pub has_more: bool,
}

impl UseCase for List {
    const NAME: &'static str = "context.list";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "List the context packs that were kept, newest first. `open` shows what is in one.";
    type Input = ListInput;
    type Output = ListResult;

    fn perform(app: &App, caller: &Caller, input: ListInput) -> Result<ListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let before = input.before.map(ArtifactId);
        let (room, found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let node = match input.agent.as_deref() {
                Some(named) => Some(packs::node(tx, room, caller, Some(named), None)?),
                None => None,
            };
            let found = library::packs(tx, &room.id, node.as_ref(), before, limit + 1)?;
            Ok(found)
        })?;
        let packs = Page::default().fill(&found, limit, PackView::from);
        let has_more = packs.len() < found.len();
        Ok(ListResult { packs, room_id: room.id, has_more })
    }
}
