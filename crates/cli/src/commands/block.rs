//! `baton block`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::inbox::{Send, SendInput},
};
use baton_core::inbox::{Category, Urgency};

use crate::{
    context::Context,
    render,
    select::{self, AboutArgs, KeyArgs, RoomArgs},
    standing,
    ui::Ui,
};

/// Say that you cannot go on, and what would help: a BLOCKED message
#[derive(Debug, clap::Args)]
pub(super) struct BlockArgs {
    /// Name or id of an agent, role:NAME, or broadcast
    #[arg(long, value_name = "WHO", allow_hyphen_values = true)]
    to: String,
    /// What it is about, in a line
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    subject: String,
    /// What is in the way
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    blocker: String,
    /// What would help
    #[arg(long, short, visible_alias = "requested-action", value_name = "TEXT", allow_hyphen_values = true)]
    request: String,
    /// How much it presses [default: medium]
    #[arg(long, value_name = "URGENCY", value_parser = select::urgency())]
    urgency: Option<Urgency>,
    #[command(flatten)]
    about: AboutArgs,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl BlockArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let scope = standing::one_from_root(context, &room_id, self.about.scope)?;
        let sent = context.run::<Send>(SendInput {
            room_id,
            to: self.to,
            category: Category::Blocked.as_str().to_owned(),
            subject: self.subject,
            summary: None,
            next_action: None,
            blocker: Some(self.blocker),
            requested_action: Some(self.request),
            urgency: self.urgency,
            body: None,
            requires_ack: None,
            bead_id: self.about.bead,
            scope,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&sent, || render::sent_sentence(&sent)))
    }
}
