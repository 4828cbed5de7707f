//! `baton tell`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::inbox::{Tell, TellInput},
};
use baton_core::{code::ErrorCode, inbox::Manner, limits};

use crate::{
    context::Context,
    render,
    select::{KeyArgs, RoomArgs},
    text::Text,
    ui::Ui,
};

const TEXT: Text = Text::of("text", limits::MESSAGE_BYTES, ErrorCode::InvalidMessage);

/// Tell an agent something as a person, for its next turn or at once
///
/// A runner's agent is stopped by an interrupt and told first thing in its next turn; an agent in a harness of its own is told
/// with the answer to its next tool call.
#[derive(Debug, clap::Args)]
pub(super) struct TellArgs {
    /// Name or id of an agent, or a job like JOB-001
    #[arg(value_name = "TO")]
    to: String,
    /// What to tell; `-` is standard input
    #[arg(value_name = "TEXT", required = true, num_args = 1..)]
    text: Vec<String>,
    /// Stop what it does
    #[arg(long, short)]
    interrupt: bool,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl TellArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let told = context.run::<Tell>(TellInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            to: self.to,
            text: TEXT.given(self.text.join(" "))?,
            mode: Some(if self.interrupt { Manner::Interrupt } else { Manner::Queue }),
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&told, || render::told_sentence(&told)))
    }
}
