//! Gemini CLI: `~/.gemini/settings.json` and `~/.agents/skills`, where `GEMINI_CLI_HOME` takes the place of `~`.
//!
//! A hook whose program is missing stops every tool in Gemini, so the command looks for its program first.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::install::{
    Part, Places, Registration, Wake,
    client::{Client, ConfigFiles, Format},
    contents::{
        COMMANDS, Contents, Event, OwnFile, Ownership, SharedFile, SharedItem, SlashCommand, Wanted, event, find_hooks,
        find_marked, group, tool_event,
    },
    hook_command::{PARK, STEER},
    json::{Dialect, Syntax},
    skill,
};

/// Gemini CLI.
pub(crate) struct Gemini;

static FORMAT: Dialect = Dialect {
    parent: "mcpServers",
    variables: "env",
    always_has_variables: false,
    syntax: Syntax::Comments,
    fields: |registration: &Registration| {
        vec![("command", json!(registration.command())), ("args", json!(registration.arguments()))]
    },
    // A wait for the stick takes up to 50 seconds.
    extras: &[("timeout", 60_000)],
};

pub(super) const GUARD: &str = "BeforeTool";
pub(super) const EVENTS: [(Event, &str); 6] = [
    (tool_event(GUARD, "write_file|replace|run_shell_command"), "baton-guard"),
    (tool_event("AfterTool", "run_shell_command"), "baton-watch"),
    (event("BeforeAgent"), "baton-prompt"),
    (event("SessionStart"), "baton-session"),
    (event("SessionEnd"), "baton-session-end"),
    (event("AfterAgent"), "baton-turn"),
];

const MILLISECONDS: u64 = 10_000;
/// A waiting hook is ended by the session, not by a limit.
const PARK_MILLISECONDS: u64 = 86_400_000;

/// The two settings with which the end of a background command reaches the model.
const STEERING: [(&[&str], &str, &str); 2] =
    [(&["experimental"], "modelSteering", "true"), (&["tools", "shell"], "backgroundCompletionBehavior", "\"inject\"")];

fn home(places: &Places) -> &Path {
    places.project.as_ref().or(places.gemini_cli_home.as_ref()).unwrap_or(&places.home)
}

impl Client for Gemini {
    fn directory(&self, places: &Places) -> PathBuf {
        home(places).join(".gemini")
    }

    fn config_files(&self, places: &Places) -> ConfigFiles {
        ConfigFiles::one(self.directory(places).join("settings.json"))
    }

    fn skill_file(&self, places: &Places) -> PathBuf {
        home(places).join(skill::SHARED_DIRECTORY).join(skill::FILE)
    }

    fn format(&self) -> &'static dyn Format {
        &FORMAT
    }

    fn wakes(&self) -> &'static [Wake] {
        &[Wake::Park, Wake::Steer]
    }

    fn contents(&self, places: &Places, wanted: &Wanted<'_>) -> Contents {
        let directory = self.directory(places);
        let shared = |part, find, items| SharedFile {
            part,
            path: directory.join("settings.json"),
            syntax: Syntax::Comments,
            find,
            items,
        };
        let hook = |(event, name): &(Event, &'static str)| SharedItem {
            path: vec!["hooks", event.name],
            key: None,
            value: group(event, handler(event, name, wanted)),
            is_marked: false,
        };
        let setting = |(path, key, value): &(&[&'static str], &'static str, &str)| SharedItem {
            path: path.to_vec(),
            key: Some(key),
            value: serde_json::from_str(value).unwrap_or_default(),
            is_marked: true,
        };
        let is_steered = wanted.package.wake == Some(Wake::Steer);
        let settings = STEERING.iter().filter(|_| is_steered).map(setting).collect();
        let command = |command: &SlashCommand| OwnFile {
            part: Part::Commands,
            path: directory.join("commands/baton").join(format!("{}.toml", command.name)),
            text: command.toml(),
            ownership: Ownership::Marked,
        };
        Contents {
            files: COMMANDS.iter().map(command).collect(),
            shared: vec![
                shared(Part::Hooks, |_, settings| find_hooks("gemini", settings), EVENTS.iter().map(hook).collect()),
                shared(
                    Part::Wake,
                    |text, _| {
                        let place = |(path, key, value): &(&[&str], &str, &str)| {
                            let path: Vec<&str> = path.iter().copied().chain([*key]).collect();
                            find_marked(text, &path, value)
                        };
                        STEERING.iter().filter_map(place).collect()
                    },
                    settings,
                ),
            ],
        }
    }
}

fn handler(event: &Event, name: &str, wanted: &Wanted<'_>) -> Value {
    let parks = event.name == "AfterAgent" && wanted.package.wake == Some(Wake::Park);
    // Its settings bring the end of a wait to the model, which has to be asked for one.
    let steers = event.name == "BeforeAgent" && wanted.package.wake == Some(Wake::Steer);
    let command = match (parks, steers) {
        (true, _) => &wanted.command.with(PARK),
        (false, true) => &wanted.command.with(STEER),
        (false, false) => &wanted.command,
    };
    let refusal = json!({ "decision": "deny", "reason": command.unreachable(wanted.package) });
    let otherwise = Some(&refusal).filter(|_| event.name == GUARD && wanted.package.strict);
    let timeout = if parks { PARK_MILLISECONDS } else { MILLISECONDS };
    json!({ "type": "command", "name": name, "command": command.line_or(otherwise), "timeout": timeout })
}
