//! `baton task create`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::tasks::{Create, CreateInput},
};

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    standing,
    ui::Ui,
};

/// Write down something to do
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CreateArgs {
    /// What is to be done, in a line
    #[arg(value_name = "TITLE")]
    title: String,
    /// A path it is about: a file, a directory or dir/*
    #[arg(long = "scope", value_name = "PATH", allow_hyphen_values = true)]
    scopes: Vec<String>,
    /// Name or id of who does it
    #[arg(long, value_name = "AGENT", allow_hyphen_values = true)]
    assign: Option<String>,
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

impl CreateArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let scopes = standing::from_root(context, &room_id, self.scopes)?;
        let created = context.run::<Create>(CreateInput {
            room_id,
            title: self.title,
            scopes,
            assignee: self.assign,
            definition_of_done: self.done_when,
            verification: self.verify,
            idempotency_key: self.key.key,
        })?;
        let you = context.caller.actor().agent_id;
        Ok(ui.answer(&created, || render::task_changed(&created.task, &you)))
    }
}
