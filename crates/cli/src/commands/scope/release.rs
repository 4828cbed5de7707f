//! `baton scope release`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::scope::{Release, ReleaseInput},
};

use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs},
    standing,
    ui::{Ui, clean},
};

/// Give back paths that you have reserved
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true)))]
pub(in crate::commands) struct ReleaseArgs {
    /// Paths as they were reserved, relative to the current directory
    #[arg(value_name = "SCOPE", group = "what")]
    scopes: Vec<String>,
    /// All that you have
    #[arg(long, group = "what")]
    all: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl ReleaseArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let scopes = standing::from_root(context, &room_id, self.scopes)?;
        let released =
            context.run::<Release>(ReleaseInput { room_id, scopes, all: self.all, idempotency_key: self.key.key })?;
        Ok(ui.answer(&released, || match released.released.is_empty() {
            true => "You had nothing reserved.\n".to_owned(),
            false => format!("Released: {}\n", clean(&released.released.join(", "))),
        }))
    }
}
