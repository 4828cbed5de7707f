//! `baton demo`: the contract's examples, acted out by real processes on a throw-away store.
//!
//! Each agent is a small stand-in for a harness that really starts `baton mcp` and speaks MCP to it. [`stage`] has
//! the agents and checks every answer; [`story`] is the play. A demo that does not go as told exits with an
//! error, so it doubles as a test.

mod conversation;
mod delegation;
mod exchange;
mod stage;
mod story;

use std::process::ExitCode;

use baton_app::Failure;

use self::stage::Stage;
use crate::ui::Ui;

/// Watch scripted agents live through a whole story, on a throw-away store
///
/// Three agents hand the stick round, skip one another, miss a claim, crash (really: SIGKILL) and race; a runner does
/// a job that asks back and ends with proof; an envelope is answered, a pack goes with the stick and a person interrupts; two agents on the bus do what they are asked, in order; and at the end you read the log. Nothing of yours is touched.
#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {}

impl DemoArgs {
    pub(super) fn run(&self, ui: Ui) -> Result<ExitCode, Failure> {
        let mut stage = Stage::set(ui)?;
        let mut reader = story::play(&mut stage)?;
        let log = stage.log(&mut reader)?;
        stage.say_log(&log);
        Ok(ui.answer(&log, || {
            "\nThat was Baton. To use it: baton install --all, then baton status in your workspace.\n".to_owned()
        }))
    }
}
