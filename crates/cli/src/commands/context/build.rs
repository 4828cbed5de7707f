//! `baton context build`

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use baton_app::{
    Failure,
    commands::context::{Build, BuildInput},
};

use crate::{
    context::Context,
    render,
    select::{self, KeyArgs, RoomArgs},
    ui::Ui,
};

/// Build a context pack for an agent
///
/// It has the brief, what git tells, files and documents worth knowing, what the agent was sent, what work left behind, and
/// what earlier handoffs asked and forbade, within a budget.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct BuildArgs {
    /// For whom: a name, an id or JOB-001 [default: you]
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Tokens, 2000 to 6000 [default: 4000]
    #[arg(long, value_name = "N")]
    budget: Option<u32>,
    /// A file to know, once for each
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<PathBuf>,
    /// The pack to go on from, or none [default: the one that came with the last handoff]
    #[arg(long, value_name = "REF")]
    base: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl BuildArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let built = context.run::<Build>(BuildInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            agent: self.agent,
            job: None,
            budget: self.budget,
            files: self.files.iter().map(|file| absolute(context, file)).collect::<Result<_, _>>()?,
            base: self.base,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&built, || render::pack_kept(&built)))
    }
}

/// A file as it is named wherever one is: people name it from where they are, a room from its root.
fn absolute(context: &Context, file: &Path) -> Result<String, Failure> {
    let path = context.caller.cwd.join(file);
    select::utf8(&fs::canonicalize(&path).unwrap_or(path))
}
