//! Adding to a pack.

use std::collections::BTreeMap;

use baton_core::{
    code::ErrorCode,
    context::{self, Brief, ContextPack, DocRef, PackArtifact, RelevantFile, Remark},
    envelope::PayloadId,
    handoff::is_blank,
    ids::RoomId,
    limits,
    reference::Reference,
};
use baton_store::{envelopes, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    PackResult,
    packs::{budget, few},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    packs, refs,
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.append`
pub struct Append;

/// To which pack, and what. The pack itself stays as it is; there is a new one.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppendInput {
    pub room_id: RoomId,
    /// contextpack://pack/…
    pub pack: String,
    /// What is undecided
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_questions: Vec<String>,
    /// What is off-limits
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub do_not: Vec<String>,
    /// By what it is known to be done
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub definition_of_done: Vec<String>,
    /// Limits by name
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub constraints: BTreeMap<String, Value>,
    /// Files to know
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<RelevantFile>,
    /// Passages of documents
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub docs: Vec<DocRef>,
    /// artifact://diff/1 …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// Ids of envelopes
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<String>,
    /// 2000 to 6000 tokens; default 4000
    pub budget: Option<u32>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl UseCase for Append {
    const NAME: &'static str = "context.append";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Make a new context pack of one, with questions, limits, files or artifacts added.";
    type Input = AppendInput;
    type Output = PackResult;

    fn perform(app: &App, caller: &Caller, input: AppendInput) -> Result<PackResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        if let Some(first) = app.replay(caller, &request)? {
            return Ok(first);
        }
        let budget = budget(input.budget)?;
        input.check()?;
        let pack_id = packs::pack_id("pack", &input.pack)?;
        let artifacts = input.artifacts.iter().map(|text| artifact(text)).collect::<Result<Vec<_>, _>>()?;
        let (room, inputs, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            refs::require(tx, &room.id, &artifacts)?;
            let mut inputs = Vec::new();
            for text in &input.inputs {
                let id: PayloadId = text.parse().map_err(|why| invalid("inputs", why))?;
                let posted = envelopes::by_id(tx, &room.id, &id)?.ok_or_else(|| Failure::unknown_id(&id))?;
                let recorded = log::find(tx, &room.id, posted.seq)?;
                inputs.extend(recorded.and_then(|recorded| packs::input(&room, &recorded)));
            }
            Ok::<_, Failure>((room, inputs, tx.now()?))
        })?;
        let (_, pack) = app.read_pack(&room.id, &pack_id)?;
        let from = packs::called(&room, &caller.actor().agent_id);
        let remarks =
            |texts: &[String]| texts.iter().map(|text| Remark { text: text.clone(), from: from.clone() }).collect();
        let items = ContextPack {
            definition_of_done: input.definition_of_done.clone(),
            doc_refs: input.docs.clone(),
            relevant_files: input.files.clone(),
            inputs,
            artifacts: artifacts.iter().map(listed).collect(),
            constraints: input.constraints.clone(),
            open_questions: remarks(&input.open_questions),
            do_not: remarks(&input.do_not),
            ..ContextPack::default()
        };
        let appended = context::append(pack, items, now, budget);
        let prepared = app.prepare_pack(appended.pack)?;
        let added = appended.added.map(|added| app.prepare_pack(added)).transpose()?;
        // By itself: each change gives out one number for an artifact.
        if let Some(added) = &added {
            let unnamed = Request { key: None, ..request };
            app.change(caller, &unnamed, &input.room_id, |change| change.keep_pack(added))?;
        }
        app.change(caller, &request, &input.room_id, |change| {
            let artifact = change.keep_pack(&prepared)?;
            Ok(PackResult::of(change.room.id.clone(), artifact, &prepared.pack, budget.tokens(), &[]))
        })
    }
}

impl AppendInput {
    fn check(&self) -> Result<(), Failure> {
        let lists = [
            ("open_questions", &self.open_questions),
            ("do_not", &self.do_not),
            ("artifacts", &self.artifacts),
            ("inputs", &self.inputs),
        ];
        for (field, texts) in lists {
            few(field, texts.len())?;
            if texts.iter().any(|text| is_blank(text) || text.len() > limits::HANDOFF_ITEM_BYTES) {
                let most = limits::HANDOFF_ITEM_BYTES;
                return Err(invalid(field, format!("every entry must say something, in at most {most} bytes")));
            }
        }
        few("files", self.files.len())?;
        few("docs", self.docs.len())?;
        let paths = self.files.iter().map(|file| ("files", &file.path));
        for (field, path) in paths.chain(self.docs.iter().map(|doc| ("docs", &doc.path))) {
            if is_blank(path) || path.len() > limits::PATH_BYTES {
                return Err(invalid(field, "every entry needs a path".to_owned()));
            }
        }
        // What a pack says is bounded like the brief it says it for.
        let said = Brief {
            definition_of_done: self.definition_of_done.clone(),
            constraints: self.constraints.clone(),
            ..Brief::default()
        };
        said.check()
            .map_err(|wrong| Failure::new(ErrorCode::InvalidInput, format!("{wrong}.")).with("field", wrong.field))?;
        let is_empty = self.files.is_empty() && self.docs.is_empty() && said.is_empty();
        if is_empty && lists.iter().all(|(_, texts)| texts.is_empty()) {
            return Err(invalid("pack", "there is nothing to add to it".to_owned()));
        }
        Ok(())
    }
}

/// An artifact as callers point to it.
fn artifact(text: &str) -> Result<Reference, Failure> {
    match text.parse() {
        Ok(reference @ Reference::Artifact(..)) => Ok(reference),
        Ok(_) | Err(_) => Err(invalid("artifacts", "every entry must be like artifact://diff/1".to_owned())),
    }
}

fn listed(reference: &Reference) -> PackArtifact {
    let kind = match reference {
        Reference::Artifact(kind, _) => kind.to_string(),
        _ => String::new(),
    };
    PackArtifact { id: reference.to_string(), kind }
}

fn invalid(field: &str, why: String) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{field}: {why}.")).with("field", field)
}
