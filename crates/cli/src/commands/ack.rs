//! `baton ack`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::inbox::{Ack, AckInput, MessageRef},
};
use baton_core::bus::Status;

use crate::{
    context::Context,
    parse,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Accept one of your messages; its sender learns of it
#[derive(Debug, clap::Args)]
pub(super) struct AckArgs {
    /// The message's number
    #[arg(value_name = "MESSAGE")]
    message: MessageRef,
    /// What you say to it
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    note: Option<String>,
    /// Of an action of the bus: accepted (the default), queued, blocked; completed, rejected and error are the end
    #[arg(long, value_name = "STATUS", value_parser = parse::one_of(&Status::ALL, Status::as_str))]
    status: Option<Status>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl AckArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let accepted = context.run::<Ack>(AckInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            message: self.message,
            note: self.note,
            status: self.status,
            idempotency_key: self.key.key,
        })?;
        let how = self.status.unwrap_or(Status::Accepted).as_str();
        Ok(ui.answer(&accepted, || format!("Message {} is {how}; its sender can see that.\n", accepted.message)))
    }
}
