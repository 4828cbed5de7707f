//! `baton anchor set`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{AnchorSet, AnchorSetInput},
};
use baton_core::ids::AnchorId;

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    text::BodyArgs,
    ui::Ui,
};

/// Describe a part of the map, or describe it anew
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct SetArgs {
    /// What it is referred to as: a:core
    #[arg(value_name = "ANCHOR")]
    anchor: AnchorId,
    /// What it is, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    #[command(flatten)]
    body: BodyArgs,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl SetArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let set = context.run::<AnchorSet>(AnchorSetInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            anchor: self.anchor,
            title: self.title,
            text: self.body.read()?,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&set, || render::anchor_lines(std::slice::from_ref(&set.anchor))))
    }
}
