//! `baton edge remove`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::envelope::{EdgeRemove, EdgeRemoveInput},
};

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Let one agent hand nothing to another any more
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct RemoveArgs {
    /// Name or id of an agent, or a job
    #[arg(value_name = "FROM")]
    from: String,
    /// Name or id of an agent, or a job
    #[arg(value_name = "TO")]
    to: String,
    /// Also the other way
    #[arg(long)]
    both_ways: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl RemoveArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let edges = context.run::<EdgeRemove>(EdgeRemoveInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            from: self.from,
            to: self.to,
            both_ways: self.both_ways,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&edges, || render::edges_page(&edges)))
    }
}
