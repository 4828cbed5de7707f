//! `baton room list`

use std::{path::PathBuf, process::ExitCode};

use baton_app::{
    Failure,
    commands::room::{List, ListInput},
};

use crate::{commands::surface::in_words, context::Context, render, select::utf8, ui::Ui};

/// List the rooms of this workspace, or all of them
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// A path in the workspace [default: the current directory]
    #[arg(long, value_name = "PATH", conflicts_with = "all")]
    path: Option<PathBuf>,
    /// Every room on this store, newest first
    #[arg(long)]
    all: bool,
}

impl ListArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let context_path = self.path.as_deref().map(utf8).transpose()?;
        let mut listed = context.run::<List>(ListInput { context_path, all: self.all })?;
        listed.next = listed.next.as_deref().map(in_words);
        Ok(ui.answer(&listed, || match listed.rooms.is_empty() {
            true => "No rooms.\nnext: baton join\n".to_owned(),
            false => listed.rooms.iter().map(render::room_line).collect(),
        }))
    }
}
