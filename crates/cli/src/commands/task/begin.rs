//! `baton task begin`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{MacroStart, MacroStartInput},
};

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    standing,
    ui::Ui,
};

/// Write down something to do, begin it, and turn to it
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct BeginArgs {
    /// What is to be done, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    /// A path it is about: a file, a directory or dir/*
    #[arg(long = "scope", value_name = "PATH", allow_hyphen_values = true)]
    scopes: Vec<String>,
    /// When it is done
    #[arg(long = "done-when", value_name = "TEXT", allow_hyphen_values = true)]
    done_when: Option<String>,
    /// How to make sure of that, once for each step
    #[arg(long = "verify", value_name = "STEP", allow_hyphen_values = true)]
    verify: Vec<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl BeginArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let scopes = standing::from_root(context, &room_id, self.scopes)?;
        let begun = context.run::<MacroStart>(MacroStartInput {
            room_id,
            title: self.title,
            definition_of_done: self.done_when,
            verification: self.verify,
            scopes,
            idempotency_key: self.key.key,
        })?;
        let you = context.caller.actor().agent_id;
        Ok(ui.answer(&begun, || render::task_changed(&begun.task, &you)))
    }
}
