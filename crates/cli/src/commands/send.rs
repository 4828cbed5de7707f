//! `baton send`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::inbox::{Send, SendInput},
};
use baton_core::{code::ErrorCode, inbox::Urgency, limits};

use crate::{
    context::Context,
    render,
    select::{self, AboutArgs, KeyArgs, RoomArgs},
    standing,
    text::Text,
    ui::Ui,
};

/// What a message says at length.
const BODY: Text = Text::of("body", limits::MESSAGE_BYTES, ErrorCode::InvalidMessage);

/// Send a message to an agent, a role or everybody
///
/// Each category has its own parts: HANDOFF a summary and a next action, BLOCKED a blocker and a request,
/// DECISION and INFO a body.
#[derive(Debug, clap::Args)]
pub(super) struct SendArgs {
    /// Name or id of an agent, role:NAME, or broadcast
    #[arg(long, value_name = "WHO", allow_hyphen_values = true)]
    to: String,
    /// HANDOFF, BLOCKED, DECISION or INFO
    #[arg(long, short, value_name = "CATEGORY")]
    category: String,
    /// What it is about, in a line
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    subject: String,
    /// HANDOFF: what was done
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    summary: Option<String>,
    /// HANDOFF: what to do first
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    next_action: Option<String>,
    /// BLOCKED: what is in the way
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    blocker: Option<String>,
    /// BLOCKED: what would help
    #[arg(long, visible_alias = "requested-action", value_name = "TEXT", allow_hyphen_values = true)]
    request: Option<String>,
    /// BLOCKED: how much it presses [default: medium]
    #[arg(long, value_name = "URGENCY", value_parser = select::urgency())]
    urgency: Option<Urgency>,
    /// DECISION, INFO: the text; `-` is standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    body: Option<String>,
    /// Have it accepted; a BLOCKED always is, a HANDOFF unless you say --no-ack
    #[arg(long, conflicts_with = "no_ack")]
    requires_ack: bool,
    /// Do not have it accepted
    #[arg(long)]
    no_ack: bool,
    #[command(flatten)]
    about: AboutArgs,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl SendArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let scope = standing::one_from_root(context, &room_id, self.about.scope)?;
        let sent = context.run::<Send>(SendInput {
            room_id,
            to: self.to,
            category: self.category,
            subject: self.subject,
            summary: self.summary,
            next_action: self.next_action,
            blocker: self.blocker,
            requested_action: self.request,
            urgency: self.urgency,
            body: self.body.map(|body| BODY.given(body)).transpose()?,
            requires_ack: (self.requires_ack || self.no_ack).then_some(self.requires_ack),
            bead_id: self.about.bead,
            scope,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&sent, || render::sent_sentence(&sent)))
    }
}
