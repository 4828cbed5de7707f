//! `baton job runner …`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::jobs::{Reset, ResetInput, ResetResult},
};
use baton_core::{ids::AgentId, job::Executor};
use clap::Subcommand;

use crate::{context::Context, parse, select::RoomArgs, ui::Ui};

/// Tell a runner what it cannot find out by itself
#[derive(Debug, Subcommand)]
pub(in crate::commands) enum RunnerCommand {
    Reset(ResetArgs),
}

/// Say that a program of a runner is mended, so that it is tried again at once
///
/// A runner takes no more jobs for a program that failed several times in a row. It tries again by itself after a while;
/// this has it try now.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ResetArgs {
    /// The runner, as `baton radar` names it
    #[arg(value_name = "RUNNER")]
    runner: AgentId,
    /// Which of its programs [default: all that are in trouble]
    #[arg(value_name = "EXECUTOR", value_parser = parse::one_of(Executor::ALL, Executor::as_str))]
    executor: Option<Executor>,
    #[command(flatten)]
    room: RoomArgs,
}

impl RunnerCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Reset(_) => "job runner reset",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Reset(args) => args.run(context, ui),
        }
    }
}

impl ResetArgs {
    fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let input = ResetInput { room_id, runner_id: self.runner, executor: self.executor };
        let reset = context.run::<Reset>(input)?;
        Ok(ui.answer(&reset, || text(&reset)))
    }
}

fn text(reset: &ResetResult) -> String {
    let executors: Vec<&str> = reset.executors.iter().map(|executor| executor.as_str()).collect();
    format!("{} tries {} again.\nnext: baton radar\n", reset.runner_id, executors.join(", "))
}
