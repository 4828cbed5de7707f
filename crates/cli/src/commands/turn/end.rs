//! `baton turn end`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::turn::{End, EndInput, TurnResult},
};
use baton_core::{
    ids::AgentId,
    lease::Fence,
    turn::{Outcome, TurnId, Usage},
};

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// How a turn can be said to have ended. That one is lost is found out.
const OUTCOMES: &[Outcome] = &[Outcome::Completed, Outcome::Failed, Outcome::Interrupted];

/// End a turn: what it took is accepted, or waits again
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct EndArgs {
    /// TURN-1, or just 1
    #[arg(value_name = "TURN", value_parser = parse::turn)]
    turn: TurnId,
    /// How it ended
    #[arg(long, default_value = "completed", value_parser = parse::one_of(OUTCOMES, Outcome::as_str))]
    outcome: Outcome,
    /// Why, where it did not go well
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
    /// The provider's name for the conversation
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Of an interrupted turn: its conversation goes on and knows what it was told
    #[arg(long, requires = "session")]
    resumable: bool,
    /// Tokens that went in
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    input_tokens: u64,
    /// Those of them that were from a cache
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    cached_tokens: u64,
    /// Tokens that came out
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    output_tokens: u64,
    /// What it left behind: artifact://diff/1
    #[arg(long = "ref", value_name = "REF")]
    refs: Vec<String>,
    /// The revision of your claim, if it is a job's turn [default: that of BATON_JOB]
    #[arg(long, visible_alias = "claim-revision", value_name = "N")]
    revision: Option<u64>,
    /// In whose name the job was claimed [default: that of BATON_JOB, else you]
    #[arg(long, value_name = "ID")]
    runner: Option<AgentId>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl EndArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let ended = context.run::<End>(EndInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            turn: self.turn,
            runner_id: self.runner,
            claim_revision: self.revision.map(Fence),
            outcome: self.outcome,
            why: self.why,
            session: self.session,
            resumable: self.resumable,
            usage: Usage {
                input_tokens: self.input_tokens,
                cached_tokens: self.cached_tokens,
                output_tokens: self.output_tokens,
                cost_microusd: None,
            },
            refs: self.refs,
            idempotency_key: self.key.key,
        })?;
        let now = context.app.now()?;
        Ok(ui.answer(&ended, || {
            let TurnResult { turn, .. } = &ended;
            let back = if turn.returned { "What it had waits again.\nnext: baton turn begin\n" } else { "" };
            render::turn_lines(std::slice::from_ref(turn), now) + back
        }))
    }
}
