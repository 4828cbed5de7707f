//! `baton edge add`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::envelope::{EdgeAdd, EdgeAddInput},
};

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Let one agent hand things to another
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct AddArgs {
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

impl AddArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let edges = context.run::<EdgeAdd>(EdgeAddInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            from: self.from,
            to: self.to,
            both_ways: self.both_ways,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&edges, || render::edges_page(&edges)))
    }
}
