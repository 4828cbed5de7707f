//! `baton context merge`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::context::{Merge, MergeInput},
};

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Make one context pack of several
///
/// Of two values the later pack's counts; lists have the entries of all.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct MergeArgs {
    /// contextpack://pack/…, 2 to 8 of them
    #[arg(value_name = "REF", required = true, num_args = 2..)]
    packs: Vec<String>,
    /// Tokens, 2000 to 6000 [default: 4000]
    #[arg(long, value_name = "N")]
    budget: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl MergeArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let merged = context.run::<Merge>(MergeInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            packs: self.packs,
            budget: self.budget,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&merged, || render::pack_kept(&merged)))
    }
}
