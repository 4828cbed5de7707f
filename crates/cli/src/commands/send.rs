//! `baton send`

use std::{
    io::{self, Read},
    process::ExitCode,
};

use baton_app::{
    Failure,
    commands::inbox::{Send, SendInput},
};
use baton_core::{code::ErrorCode, inbox::Urgency, limits};

use crate::{
    context::Context,
    render,
    select::{self, AboutArgs, KeyArgs, RoomArgs},
    ui::Ui,
};

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
            body: self.body.map(text_of).transpose()?,
            requires_ack: (self.requires_ack || self.no_ack).then_some(self.requires_ack),
            bead_id: self.about.bead,
            scope: self.about.scope,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&sent, || render::sent_sentence(&sent)))
    }
}

/// The text of a body: as it was given, or what standard input has. One line break at its end is the shell's.
fn text_of(body: String) -> Result<String, Failure> {
    if body != "-" {
        return Ok(body);
    }
    let invalid = |why: String| Failure::new(ErrorCode::InvalidMessage, format!("body {why}.")).with("field", "body");
    // One byte and a line break more than a message may have, so that what is too long is known and not cut.
    let mut bytes = Vec::new();
    let bound = limits::MESSAGE_BYTES as u64 + 2;
    let read = io::stdin().lock().take(bound).read_to_end(&mut bytes);
    read.map_err(|error| invalid(format!("could not be read from standard input: {error}")))?;
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    if text.len() > limits::MESSAGE_BYTES {
        return Err(invalid(format!("is too long; at most {} bytes are accepted", limits::MESSAGE_BYTES)));
    }
    let text = std::str::from_utf8(text).map_err(|_| invalid("from standard input is not UTF-8 text".to_owned()))?;
    Ok(text.to_owned())
}
