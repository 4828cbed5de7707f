//! `baton room overview`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Overview, OverviewInput},
};

use crate::{context::Context, render, ui::Ui};

/// Show every room on this store with who is in it, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct OverviewArgs {
    /// Pass over so many
    #[arg(long, value_name = "N")]
    offset: Option<u32>,
    /// How many, up to 200 [default: 20]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl OverviewArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let found = context.run::<Overview>(OverviewInput { offset: self.offset, limit: self.limit })?;
        let seen = self.offset.unwrap_or(0) as usize + found.rooms.len();
        Ok(ui.answer(&found, || match (found.rooms.is_empty(), found.has_more) {
            (true, _) => "No rooms.\nnext: baton join\n".to_owned(),
            (false, more) => {
                let rooms: String = found.rooms.iter().map(render::room_glance).collect();
                let more = if more { format!("more: baton room overview --offset {seen}\n") } else { String::new() };
                rooms + &more
            }
        }))
    }
}
