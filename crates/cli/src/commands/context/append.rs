//! `baton context append`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::context::{Append, AppendInput},
};
use baton_core::context::{DocRef, RelevantFile};
use serde_json::Value;

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Make a new context pack of one, with something added
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct AppendArgs {
    /// contextpack://pack/…, which stays as it is
    #[arg(value_name = "REF")]
    pack: String,
    /// Something undecided
    #[arg(long = "question", short, value_name = "TEXT")]
    questions: Vec<String>,
    /// Something off-limits
    #[arg(long, value_name = "TEXT")]
    do_not: Vec<String>,
    /// By what it is known to be done
    #[arg(long = "done", value_name = "TEXT")]
    done: Vec<String>,
    /// Something that work must keep to: NAME=VALUE
    #[arg(long = "constraint", value_name = "NAME=VALUE", value_parser = parse::note)]
    constraints: Vec<(String, Value)>,
    /// A file to know, from the root of the workspace: PATH or PATH=SUMMARY
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,
    /// A passage of a document: PATH=EXCERPT
    #[arg(long = "doc", value_name = "PATH=EXCERPT", value_parser = passage)]
    docs: Vec<DocRef>,
    /// A file that was kept: artifact://diff/1
    #[arg(long = "artifact", value_name = "REF")]
    artifacts: Vec<String>,
    /// The id of an envelope
    #[arg(long = "input", value_name = "ID")]
    inputs: Vec<String>,
    /// Tokens, 2000 to 6000 [default: 4000]
    #[arg(long, value_name = "N")]
    budget: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl AppendArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let made = context.run::<Append>(AppendInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            pack: self.pack,
            open_questions: self.questions,
            do_not: self.do_not,
            definition_of_done: self.done,
            constraints: self.constraints.into_iter().collect(),
            files: self.files.iter().map(|text| file(text)).collect(),
            docs: self.docs,
            artifacts: self.artifacts,
            inputs: self.inputs,
            budget: self.budget,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&made, || render::pack_kept(&made)))
    }
}

/// Reads `PATH[=SUMMARY]`.
fn file(text: &str) -> RelevantFile {
    let (path, summary) = text.split_once('=').map_or((text, None), |(path, summary)| (path, Some(summary.to_owned())));
    RelevantFile { path: path.to_owned(), summary, role: None }
}

/// Reads `PATH=EXCERPT`.
fn passage(text: &str) -> Result<DocRef, String> {
    match text.split_once('=') {
        Some((path, excerpt)) if !path.is_empty() && !excerpt.is_empty() => {
            Ok(DocRef { path: path.to_owned(), excerpt: excerpt.to_owned() })
        }
        Some(_) | None => Err(format!("{text:?} is not PATH=EXCERPT")),
    }
}
