//! `baton anchor list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{AnchorList, AnchorListInput},
};
use baton_core::ids::AnchorId;

use crate::{context::Context, render, select::RoomArgs, ui::Ui};

/// List the parts of the map that are described, by their names
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those after this one
    #[arg(long, value_name = "ANCHOR")]
    after: Option<AnchorId>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<AnchorList>(AnchorListInput {
            room_id: self.room.find(context)?,
            after: self.after,
            limit: self.limit,
        })?;
        Ok(ui.answer(&listed, || match listed.anchors.last() {
            None => "No part of the map is described.\nnext: baton anchor set a:NAME TITLE\n".to_owned(),
            Some(last) if listed.has_more => {
                format!("{}more: baton anchor list --after {}\n", render::anchor_lines(&listed.anchors), last.anchor)
            }
            Some(_) => render::anchor_lines(&listed.anchors),
        }))
    }
}
