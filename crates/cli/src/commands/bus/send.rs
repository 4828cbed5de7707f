//! `baton bus send`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Send, SendInput, SendResult},
};
use baton_core::{
    bus::{BusId, Kind},
    code::ErrorCode,
    limits,
};

use super::{session::SessionArgs, thread::ThreadArgs};
use crate::{context::Context, select::KeyArgs, text::Text, ui::Ui};

/// What a message says.
const MESSAGE: Text = Text::of("text", limits::MESSAGE_BYTES, ErrorCode::InvalidInput);

/// Send a message that nobody owes a result for: to an agent, or to everybody
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct SendArgs {
    /// What to say; `-` is standard input
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
    /// For whom: id or name of an agent [default: everybody]
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// It is an answer, which nobody relays
    #[arg(long)]
    reply: bool,
    /// The message that it answers, by its id
    #[arg(long, value_name = "MESSAGE")]
    reply_to: Option<String>,
    /// The task [default: the conversation's]
    #[arg(long, value_name = "ID")]
    task: Option<BusId>,
    #[command(flatten)]
    thread: ThreadArgs,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl SendArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let sent = context.run::<Send>(SendInput {
            room_id: self.session.find_again(context, &self.key)?,
            dst: self.to,
            text: MESSAGE.given(self.text)?,
            kind: self.reply.then_some(Kind::Reply),
            context: self.thread.read(),
            task_id: self.task,
            reply_to: self.reply_to,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&sent, || text(&sent)))
    }
}

fn text(sent: &SendResult) -> String {
    let to: Vec<String> = sent.recipients.iter().map(ToString::to_string).collect();
    let to = if to.is_empty() { "nobody: you are alone here".to_owned() } else { to.join(", ") };
    format!("Message {} is queued for {to}. Conversation {}, task {}.\n", sent.seq, sent.context_id, sent.task_id)
}
