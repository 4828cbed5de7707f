//! `baton demo`: the contract's examples, acted out by real processes on a throw-away store.
//!
//! Each agent is a small stand-in for a harness that really starts `baton mcp` and speaks MCP to it. [`stage`] has
//! the agents and checks every answer; [`story`] is the play, [`server`] the page to watch it on. A demo that does not go as told exits with an
//! error, so it doubles as a test.

mod conversation;
mod delegation;
mod exchange;
mod oversight;
mod server;
mod stage;
mod story;

use std::process::ExitCode;

use baton_app::Failure;
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use self::{
    server::Server,
    stage::{Stage, wrong},
};
use crate::ui::Ui;

/// Watch scripted agents live through a whole story, on a throw-away store
///
/// Three agents hand the stick round, skip one another, miss a claim, crash (really: SIGKILL) and race; a runner does
/// a job that asks back and ends with proof; an envelope is answered, a pack goes with the stick and a person interrupts;
/// two agents on the bus do what they are asked, in order; what they leave to a person is on one page, which is up from the
/// beginning; and at the end you read the log. Nothing of yours is touched.
#[derive(Debug, clap::Args)]
pub(super) struct DemoArgs {
    /// Keep the page and the agents up when the story is over, until Ctrl-C
    #[arg(long)]
    stay: bool,
}

impl DemoArgs {
    pub(super) fn run(&self, ui: Ui) -> Result<ExitCode, Failure> {
        let mut stage = Stage::set(ui)?;
        let server = Server::start(&stage, "page.sock")?;
        stage.say(&format!("The page to watch on, once, within two minutes: {}", server.login(&stage)?));
        let mut cast = story::play(&mut stage)?;
        let log = stage.log(&mut cast.codex)?;
        stage.say_log(&log);
        let ended = ui.answer(&log, || {
            "\nThat was Baton. To use it: baton install --all, then baton up and baton status in your workspace.\n"
                .to_owned()
        });
        if self.stay {
            let mut ending = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(wrong)?;
            stage.say(&format!("The page stays up, until Ctrl-C: {}", server.login(&stage)?));
            ending.forever().next();
        }
        server.end()?;
        Ok(ended)
    }
}
