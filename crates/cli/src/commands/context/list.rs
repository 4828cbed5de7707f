//! `baton context list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::context::{List, ListInput},
};

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// List the context packs that were kept, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those for this one: a name, an id or JOB-001
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
    /// Only those before this number
    #[arg(long, value_name = "N")]
    before: Option<u32>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let input = ListInput { room_id, agent: self.agent, before: self.before, limit: self.limit };
        let listed = context.run::<List>(input)?;
        let now = context.app.now()?;
        Ok(ui.answer(&listed, || match listed.packs.last() {
            None => "No context packs.\nnext: baton context build\n".to_owned(),
            Some(last) if listed.has_more => {
                let number = last.number;
                format!("{}more: baton context list --before {number}\n", render::pack_lines(&listed.packs, now))
            }
            Some(_) => render::pack_lines(&listed.packs, now),
        }))
    }
}
