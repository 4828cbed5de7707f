//! Codex: `~/.codex/config.toml`, or `$CODEX_HOME/config.toml`; skills in `~/.agents/skills` either way.
//!
//! The hooks go into `hooks.json` beside it, each at the end of its event's list: Codex knows a trusted hook by its
//! place there, so nobody else's may move.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::trust;
use crate::install::{
    InstallError, Outcome, Part, Places,
    client::{Client, ConfigFiles, Format},
    contents::{Contents, Event, SharedFile, SharedItem, Wanted, event, find_hooks, group, tool_event},
    draft::Draft,
    json::Syntax,
    skill,
    toml::Toml,
};

/// Codex.
pub(crate) struct Codex;

pub(super) const GUARD: &str = "PreToolUse";
const EVENTS: [Event; 9] = [
    tool_event(GUARD, "^(Bash|apply_patch)$"),
    tool_event("PostToolUse", "^Bash$"),
    event("SessionStart"),
    event("SessionEnd"),
    event("UserPromptSubmit"),
    event("PreCompact"),
    event("Stop"),
    event("SubagentStart"),
    event("SubagentStop"),
];

const SECONDS: u64 = 10;
/// The most that Codex grants at its exit.
const SESSION_END_SECONDS: u64 = 3;

impl Client for Codex {
    fn directory(&self, places: &Places) -> PathBuf {
        let user = || places.codex_home.clone().unwrap_or_else(|| places.home.join(".codex"));
        places.project.as_ref().map_or_else(user, |root| root.join(".codex"))
    }

    fn config_files(&self, places: &Places) -> ConfigFiles {
        ConfigFiles::one(self.directory(places).join("config.toml"))
    }

    fn skill_file(&self, places: &Places) -> PathBuf {
        places.project.as_ref().unwrap_or(&places.home).join(skill::SHARED_DIRECTORY).join(skill::FILE)
    }

    fn format(&self) -> &'static dyn Format {
        &Toml
    }

    fn contents(&self, places: &Places, wanted: &Wanted<'_>) -> Contents {
        let item = |event: &Event| SharedItem {
            path: vec!["hooks", event.name],
            key: None,
            value: group(event, handler(event, wanted)),
            is_marked: false,
        };
        let hooks = SharedFile {
            part: Part::Hooks,
            path: self.directory(places).join("hooks.json"),
            syntax: Syntax::Strict,
            find: |_, hooks| find_hooks("codex", hooks),
            items: EVENTS.iter().map(item).collect(),
        };
        Contents { files: Vec::new(), shared: vec![hooks] }
    }

    /// Trust is the person's to give, and kept in their own configuration even for the hooks of a repository.
    fn settle_trust(
        &self,
        places: &Places,
        draft: &mut Draft,
        should_trust: bool,
        outcome: &mut Outcome,
    ) -> Result<(), InstallError> {
        let user = Places { project: None, ..places.clone() };
        let (hooks, config) = (self.directory(places).join("hooks.json"), self.directory(&user).join("config.toml"));
        trust::settle(&hooks, &config, draft, should_trust, outcome)
    }
}

fn handler(event: &Event, wanted: &Wanted<'_>) -> Value {
    let command = &wanted.command;
    let line = match (event.name == GUARD && wanted.package.strict, command.is_shared()) {
        (true, _) => command.line_in_sh(Some(&command.refusal(wanted.package))),
        (false, true) => command.line_in_sh(None),
        // A program that is missing stops nothing in Codex.
        (false, false) => command.line(),
    };
    let seconds = if event.name == "SessionEnd" { SESSION_END_SECONDS } else { SECONDS };
    json!({ "type": "command", "command": line, "timeout": seconds })
}
