//! The answer: what was done, and what to type in each agent.

use std::path::PathBuf;

use baton_core::ids::RoomId;
use baton_harness::Harness;
use serde::Serialize;

use super::server::ServerReport;
use crate::wording::table;

/// A workspace that is ready.
#[derive(Debug, Serialize)]
pub(super) struct StartReport {
    /// Whether anything was written or started.
    pub(super) changed: bool,
    pub(super) path: PathBuf,
    pub(super) is_repository: bool,
    pub(super) room: RoomReport,
    pub(super) agents: Vec<AgentReport>,
    pub(super) server: Option<ServerReport>,
    /// The command that ends guards in this room.
    pub(super) guards_off: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct RoomReport {
    pub(super) room_id: RoomId,
    /// Whether it was opened by this call.
    pub(super) opened: bool,
}

/// An agent program that is here.
#[derive(Debug, Serialize)]
pub(super) struct AgentReport {
    pub(super) harness: Harness,
    /// The command to start it.
    pub(super) program: &'static str,
    /// The first thing to type there.
    pub(super) prompt: &'static str,
    pub(super) written: Vec<PathBuf>,
    /// Files in which something is missing still.
    pub(super) missing: Vec<PathBuf>,
    /// Why it is not known whether something is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unreadable: Option<String>,
    /// The options with which it would be installed.
    #[serde(skip)]
    pub(super) options: String,
    /// Whether the program will ask about hooks first.
    pub(super) asks_for_trust: bool,
}

pub(super) const GUARDS_OFF: &str = "baton room policy --guard off";

const NEXT: &str = "\
Each joins the room when its session starts. An agent that is alone just works. Once there are
two, only the one with the stick edits; the others are told who has it, and wait.
";

impl StartReport {
    /// The page for people.
    pub(super) fn text(&self) -> String {
        let place = self.path.display();
        let is_complete = self.agents.iter().all(|agent| agent.missing.is_empty());
        let head = match (self.changed, is_complete) {
            (true, _) => "Ready",
            (false, true) => "Everything is ready",
            (false, false) => "The room is ready",
        };
        let mut text = format!("{head}: agents in {place} take turns in {}.\n", self.room.room_id);
        if !self.is_repository {
            text.push_str(&format!("This is not a git repository, so the room is for {place} and all below it.\n"));
        }
        let written: Vec<_> = self.agents.iter().filter(|agent| !agent.written.is_empty()).collect();
        if !written.is_empty() {
            let names: Vec<_> = written.iter().map(|agent| agent.harness.title()).collect();
            text.push_str(&format!("Installed in {}. `baton uninstall --all` takes it out again.\n", names.join(", ")));
        }
        if self.agents.is_empty() {
            text.push_str("\nNo agent program is here: claude, codex, gemini and opencode are looked for on PATH.\n");
            text.push_str("next: install one of them, then baton start\n");
        } else {
            text.push_str(&format!("\nStart them here, each in a terminal of its own:\n{}\n{NEXT}", self.agents()));
        }
        text.push_str(&self.commands());
        if let Some(server) = &self.server {
            text.push_str(&server_text(server));
        }
        text
    }

    fn agents(&self) -> String {
        let row = |agent: &AgentReport| [agent.program.to_owned(), format!("then: {}", agent.prompt)];
        let rows = table(&self.agents.iter().map(row).collect::<Vec<_>>());
        let line = |(row, agent): (&str, &AgentReport)| format!("{row}\n{}", agent.remark());
        rows.lines().zip(&self.agents).map(line).collect()
    }

    fn commands(&self) -> String {
        let mut rows = vec![["baton status".to_owned(), "who is here and who holds the stick".to_owned()]];
        if self.server.is_none() {
            rows.push(["baton start --up".to_owned(), "the same and more in a browser".to_owned()]);
        }
        rows.push([GUARDS_OFF.to_owned(), "no agent is stopped in this room any more".to_owned()]);
        format!("\n{}", table(&rows))
    }
}

impl AgentReport {
    /// A line about what a person has to do first, if there is something.
    fn remark(&self) -> String {
        let Self { harness, program, missing, unreadable, options, asks_for_trust, .. } = self;
        if let Some(why) = unreadable {
            format!("    its configuration cannot be read: {why}\n")
        } else if !missing.is_empty() {
            format!("    Baton is not installed there: baton install {harness}{options}\n")
        } else if *asks_for_trust {
            format!("    {program} asks about the hooks first: choose Trust, or run baton start --trust-hooks\n")
        } else {
            String::new()
        }
    }
}

fn server_text(server: &ServerReport) -> String {
    let facts = &server.facts;
    let head = if server.was_up { "Baton was up already." } else { "Baton is up, in the background." };
    let browser = match &server.login {
        Some(login) => {
            format!("  browser {login}\n          (once, within two minutes; `baton ticket` makes another)\n")
        }
        None => "  browser a person at a terminal gets in with `baton ticket`\n".to_owned(),
    };
    let log = if server.was_up { String::new() } else { format!("  log     {}\n", server.log.display()) };
    format!("\n{head}\n  HTTP    {}\n{browser}{log}  end it  kill {}\n", facts.url, facts.pid)
}
