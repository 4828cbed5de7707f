//! `baton brief edit`

use std::{path::PathBuf, process::ExitCode};

use baton_app::{
    Failure,
    commands::context::{BriefEdit, BriefEditInput, BriefShow, BriefShowInput},
};
use baton_core::{
    code::ErrorCode,
    context::{Brief, Mode},
    ids::{RoomId, Seq},
    limits,
};
use serde_json::Value;

use super::page;
use crate::{
    context::Context,
    editor::{self, Draft},
    parse, render,
    select::{KeyArgs, RoomArgs},
    text::Text,
    ui::{self, Ui},
};

/// A brief as a page or as JSON. It may have guiding lines besides what it says.
const PAGE: Text = Text::of("file", 2 * limits::BRIEF_BYTES, ErrorCode::InvalidInput);

/// Say what the room is for
///
/// Flags change what they name, and the rest stays. Without any of them, at a terminal, the whole brief is opened in $EDITOR.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct EditArgs {
    /// What is wanted
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// By what it is known to be done, once for each; those there were are replaced
    #[arg(long = "done", value_name = "TEXT")]
    done: Vec<String>,
    /// Whether it is being planned or done
    #[arg(long, value_name = "MODE", ignore_case = true, value_parser = parse::one_of(Mode::ALL, Mode::as_str))]
    mode: Option<Mode>,
    /// Where the documents are, from the root of the workspace
    #[arg(long, value_name = "PATH")]
    docs: Option<String>,
    /// Something that work must keep to, once for each: NAME=VALUE, added to those there are
    #[arg(long = "constraint", value_name = "NAME=VALUE", value_parser = parse::note)]
    constraints: Vec<(String, Value)>,
    /// A constraint that is none any more
    #[arg(long = "without", value_name = "NAME")]
    without: Vec<String>,
    /// Something to say no more
    #[arg(long, value_name = "FIELD", value_parser = ["goal", "done", "mode", "docs", "constraints"])]
    clear: Vec<String>,
    /// Take the whole brief from a file, JSON or the editor's format; `-` is standard input
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["goal", "done", "mode", "docs", "constraints", "without", "clear"])]
    file: Option<PathBuf>,
    /// Write the whole brief in $EDITOR
    #[arg(long, short, conflicts_with_all = ["goal", "done", "mode", "docs", "constraints", "without", "clear", "file"])]
    edit: bool,
    /// The revision that you edit: refused if there is a newer one
    #[arg(long, value_name = "N")]
    revision: Option<u64>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl EditArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let edited = context.run::<BriefEdit>(self.input(context, room_id)?)?;
        let now = context.app.now()?;
        Ok(ui.answer(&edited, || render::brief_page(&edited, now)))
    }

    fn input(&self, context: &Context, room_id: RoomId) -> Result<BriefEditInput, Failure> {
        let shown = || context.run::<BriefShow>(BriefShowInput { room_id: room_id.clone() });
        let revision = self.revision.map(Seq);
        let key = self.key.key.clone();
        if let Some(file) = &self.file {
            let brief = page::read(&PAGE.of_file(file)?)?;
            let before = shown()?;
            return Ok(whole(room_id, &before.brief, brief, revision, key));
        }
        if self.says_something() {
            return Ok(self.flags(room_id, revision, key));
        }
        if !self.edit && !ui::is_interactive() {
            return Err(Failure::new(ErrorCode::InvalidInput, "Nothing is to be changed.")
                .advising("Say what: --goal, --done, --mode, --docs, --constraint, --file or --edit."));
        }
        let before = shown()?;
        let draft = Draft {
            what: "brief",
            text: &page::write(&before.brief),
            otherwise: "Set $EDITOR, or say what changes with --goal, --done, --mode, --docs, --constraint, or --file.",
        };
        let brief = page::read(&editor::edit(context.app.environment(), &draft)?)?;
        let revision = revision.or(Some(before.revision.unwrap_or(Seq(0))));
        Ok(whole(room_id, &before.brief, brief, revision, key))
    }

    fn says_something(&self) -> bool {
        let texts = self.goal.is_some() || self.docs.is_some() || self.mode.is_some();
        let lists = [self.done.is_empty(), self.without.is_empty(), self.clear.is_empty()];
        texts || !self.constraints.is_empty() || lists.contains(&false)
    }

    fn flags(&self, room_id: RoomId, revision: Option<Seq>, idempotency_key: Option<String>) -> BriefEditInput {
        let cleared = |field: &str| self.clear.iter().any(|cleared| cleared == field);
        let text = |field: &str, said: Option<String>| if cleared(field) { Some(String::new()) } else { said };
        let without = self.without.iter().map(|name| (name.clone(), Value::Null));
        let constraints: std::collections::BTreeMap<_, _> = without.chain(self.constraints.iter().cloned()).collect();
        let changes = !constraints.is_empty() && !cleared("constraints");
        BriefEditInput {
            room_id,
            goal: text("goal", self.goal.clone()),
            definition_of_done: match cleared("done") {
                true => Some(Vec::new()),
                false => Some(self.done.clone()).filter(|done| !done.is_empty()),
            },
            global_mode: text("mode", self.mode.map(|mode| mode.to_string())),
            docs_root: text("docs", self.docs.clone()),
            constraints: match cleared("constraints") {
                true => Some(std::collections::BTreeMap::new()),
                false => Some(constraints).filter(|_| changes),
            },
            revision,
            idempotency_key,
        }
    }
}

/// All of a brief in place of the one before.
fn whole(
    room_id: RoomId,
    before: &Brief,
    brief: Brief,
    revision: Option<Seq>,
    idempotency_key: Option<String>,
) -> BriefEditInput {
    let gone = before.constraints.keys().map(|name| (name.clone(), Value::Null));
    let constraints =
        if brief.constraints.is_empty() { brief.constraints } else { gone.chain(brief.constraints).collect() };
    BriefEditInput {
        room_id,
        goal: Some(brief.goal.unwrap_or_default()),
        definition_of_done: Some(brief.definition_of_done),
        global_mode: Some(brief.global_mode.map(|mode| mode.to_string()).unwrap_or_default()),
        docs_root: Some(brief.docs_root.unwrap_or_default()),
        constraints: Some(constraints),
        revision,
        idempotency_key,
    }
}
