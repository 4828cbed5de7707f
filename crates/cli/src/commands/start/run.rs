//! The command: look, ask once, do it, tell what comes next.

use std::{net::SocketAddr, path::Path, process::ExitCode};

use baton_app::{Failure, commands::room::open_room, environment::Environment};
use baton_core::code::ErrorCode;
use baton_harness::{
    Harness,
    inspect::{Consent, Workspace, inspect},
    install::Places,
};

use super::{
    page::{AgentReport, GUARDS_OFF, RoomReport, StartReport},
    preparation::{InstallChoice, Preparation, ServerChoice},
    server,
};
use crate::{
    context::Context,
    ui::{self, Ui},
};

/// Make this workspace ready for several agents, and say what to type in each
///
/// Installs Baton in the agent programs that are here, where it is missing or out of date, and opens the room of this
/// repository without joining it. Asks once before it writes anything; without a terminal it needs --yes. A second run changes
/// nothing.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct StartArgs {
    /// Do not ask before writing
    #[arg(long)]
    yes: bool,
    /// Leave the configurations of agent programs alone
    #[arg(long, conflicts_with = "trust_hooks")]
    no_install: bool,
    /// Trust the hooks in Codex, which otherwise asks at its next start
    #[arg(long)]
    trust_hooks: bool,
    /// Also bring the server up in the background, if none is
    #[arg(long)]
    up: bool,
    /// Where the server listens for HTTP, as with `baton up`
    #[arg(long, value_name = "ADDRESS", requires = "up")]
    listen: Option<SocketAddr>,
}

impl StartArgs {
    pub(in crate::commands) fn run(&self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let install_choice = match (self.no_install, self.trust_hooks) {
            (true, _) => InstallChoice::ListOnly,
            (false, true) => InstallChoice::InstallAndTrust,
            (false, false) => InstallChoice::Install,
        };
        let server_choice = if self.up { ServerChoice::Up } else { ServerChoice::AsItIs };
        let found = Preparation::find(&environment, store, install_choice, server_choice)?;
        let steps = found.steps();
        if !steps.is_empty() && !self.yes {
            match ask(ui, &steps) {
                Answer::Yes => {}
                Answer::No => {
                    let message = "Nothing was written, as you said no.";
                    let next = "To open the room and install nothing: baton start --no-install";
                    return Err(Failure::new(ErrorCode::PreconditionFailed, message).advising(next));
                }
                Answer::Nobody => return Ok(self.refuse(ui, &steps)),
            }
        }
        let ready = self.carry_out(&environment, store, &found)?;
        Ok(ui.answer(&ready, || ui::clean(&ready.text())))
    }

    fn carry_out(
        &self,
        environment: &Environment,
        store: Option<&str>,
        found: &Preparation,
    ) -> Result<StartReport, Failure> {
        let changed = !found.steps().is_empty();
        // First, as a store that cannot be opened is a reason to write nothing.
        let context = Context::open(store)?;
        for agent in found.agents.iter().filter(|agent| agent.is_installed_now) {
            agent.install()?;
        }
        let room_id = open_room(&context.app, &context.caller, Path::new("."))?;
        let server = match &found.server {
            None if found.needs_server() => Some(server::bring_up(&context, &found.data, &found.log(), self.listen)?),
            Some(facts) if self.up => Some(server::found(&context, &found.data, &found.log(), facts.clone())?),
            Some(_) | None => None,
        };
        let agents = found.agents.iter().map(|agent| {
            let (written, missing) = match agent.is_installed_now {
                true => (agent.files.clone(), Vec::new()),
                false => (Vec::new(), agent.files.clone()),
            };
            AgentReport {
                harness: agent.harness,
                program: agent.harness.program(),
                prompt: agent.harness.status_prompt(),
                written,
                missing,
                unreadable: agent.unreadable.clone(),
                options: agent.package.options(),
                asks_for_trust: asks_for_trust(agent.harness, &agent.installation.places, environment, &found.root),
            }
        });
        Ok(StartReport {
            changed,
            path: found.root.clone(),
            is_repository: found.is_repository,
            room: RoomReport { opened: found.room.is_none(), room_id },
            agents: agents.collect(),
            server,
            guards_off: GUARDS_OFF,
        })
    }

    /// Tells what would be done, where nobody can be asked.
    fn refuse(&self, ui: Ui, steps: &[String]) -> ExitCode {
        let message = "Nothing was written: there is no terminal to ask at.";
        let next = format!("To have it done: {}", self.with_yes());
        let failure = Failure::new(ErrorCode::PreconditionFailed, message).with("would", steps).advising(next.clone());
        ui.failure_as(&failure, || {
            let steps: String = steps.iter().map(|step| format!("    {step}\n")).collect();
            ui::clean(&format!("{}: {message}\n  would:\n{steps}  next: {next}\n", failure.code))
        })
    }

    /// This command, without a question.
    fn with_yes(&self) -> String {
        let flags = [("--no-install", self.no_install), ("--trust-hooks", self.trust_hooks), ("--up", self.up)];
        let mut line = "baton start --yes".to_owned();
        for (flag, _) in flags.into_iter().filter(|(_, is_set)| *is_set) {
            line.push_str(&format!(" {flag}"));
        }
        line + &self.listen.map_or_else(String::new, |address| format!(" --listen {address}"))
    }
}

enum Answer {
    Yes,
    No,
    /// There is nobody to ask.
    Nobody,
}

/// Asks the one question.
fn ask(ui: Ui, steps: &[String]) -> Answer {
    if !ui.can_ask() {
        return Answer::Nobody;
    }
    let steps: String = steps.iter().map(|step| format!("  {step}\n")).collect();
    let answer = ui.ask(&ui::clean(&format!("Baton would\n{steps}Go on? [Y/n] ")));
    match answer.as_deref().map(str::to_lowercase).as_deref() {
        Some("" | "y" | "yes") => Answer::Yes,
        Some(_) | None => Answer::No,
    }
}

/// Whether a program will ask about its hooks before it runs them.
fn asks_for_trust(harness: Harness, places: &Places, environment: &Environment, root: &Path) -> bool {
    let variable = |name: &str| environment.var(name).map(str::to_owned);
    let installed = inspect(harness, places, &Workspace { root, variable: &variable });
    installed.is_ok_and(|installed| installed.is_some_and(|installed| installed.consent != Consent::Given))
}
