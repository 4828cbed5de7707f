//! `baton room reorder`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::room::{Reorder, ReorderInput},
};

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Set the order in which members get the stick
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ReorderArgs {
    /// Every member, by id or name, in the new order
    #[arg(value_name = "AGENT", required = true)]
    order: Vec<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl ReorderArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let state = self.room.state_again(context, self.key.earlier(context)?.as_ref())?;
        let input =
            ReorderInput { room_id: state.room.room_id.clone(), order: self.order, idempotency_key: self.key.key };
        let ordered = context.run::<Reorder>(input)?;
        Ok(ui.answer(&ordered, || {
            let members = ordered.members.iter().enumerate();
            members.map(|(rank, member)| format!("{}. {}\n", rank + 1, render::name_in(&state, member))).collect()
        }))
    }
}
