//! Claude Code: `~/.claude.json`, and `~/.claude/skills/baton`, which is a plugin as a whole.
//!
//! `CLAUDE_CONFIG_DIR` moves both into that directory: `$CLAUDE_CONFIG_DIR/.claude.json`. The file is strict JSON.
//! Claude Code sets a file that it cannot read aside and starts afresh, so a comment in it is refused here.
//!
//! A skill directory with `.claude-plugin/plugin.json` in it is loaded as a plugin, without a question and without an
//! edit of anybody's settings. In a repository the server is in `.mcp.json`.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::install::{
    Package, Part, Places, Registration, Wake,
    client::{Client, ConfigFiles, Format},
    contents::{
        COMMANDS, Contents, Event, MARKER, OwnFile, Ownership, SharedFile, SharedItem, SlashCommand, Wanted, event,
        group, tool_event,
    },
    hook_command::{PARK, is_ours},
    json::{Dialect, Syntax},
    json_edit, skill,
};

/// Claude Code.
pub(crate) struct ClaudeCode;

static FORMAT: Dialect = Dialect {
    parent: "mcpServers",
    variables: "env",
    always_has_variables: true,
    syntax: Syntax::Strict,
    fields: |registration: &Registration| {
        vec![
            ("type", json!("stdio")),
            ("command", json!(registration.command())),
            ("args", json!(registration.arguments())),
        ]
    },
    extras: &[],
};

/// The id under which it knows the plugin: the name of the directory, and where it was found.
pub(super) const PLUGIN_ID: &str = "baton@skills-dir";

pub(super) const GUARD: &str = "PreToolUse";
const EVENTS: [Event; 9] = [
    // Baton's own tools are among them because the hook tells them which sub-agent calls.
    tool_event(GUARD, "Write|Edit|NotebookEdit|Bash|Monitor|PowerShell|mcp__baton__.*|mcp__plugin_baton_baton__.*"),
    tool_event("PostToolUse", "Bash|Monitor|PowerShell"),
    event("SessionStart"),
    event("SessionEnd"),
    event("UserPromptSubmit"),
    event("PreCompact"),
    event("Stop"),
    event("SubagentStart"),
    event("SubagentStop"),
];

const SECONDS: u64 = 10;
/// Claude Code waits at its exit for as long as this.
const SESSION_END_SECONDS: u64 = 5;
/// A waiting hook is ended by the session's own end, not by a limit.
const PARK_SECONDS: u64 = 86_400;
const STATUS_LINE_SECONDS: u64 = 5;
const STATUS_LINE: &str = "--status-line";

impl Client for ClaudeCode {
    fn directory(&self, places: &Places) -> PathBuf {
        let user = || places.claude_config_dir.clone().unwrap_or_else(|| places.home.join(".claude"));
        places.project.as_ref().map_or_else(user, |root| root.join(".claude"))
    }

    fn config_files(&self, places: &Places) -> ConfigFiles {
        let user = || places.claude_config_dir.as_ref().unwrap_or(&places.home).join(".claude.json");
        ConfigFiles::one(places.project.as_ref().map_or_else(user, |root| root.join(".mcp.json")))
    }

    fn skill_file(&self, places: &Places) -> PathBuf {
        self.directory(places).join("skills").join(skill::FILE)
    }

    fn format(&self) -> &'static dyn Format {
        &FORMAT
    }

    fn wakes(&self) -> &'static [Wake] {
        &[Wake::StopHook]
    }

    fn contents(&self, places: &Places, wanted: &Wanted<'_>) -> Contents {
        let plugin = self.plugin(places);
        let own =
            |part, path: &str, text| OwnFile { part, path: plugin.join(path), text, ownership: Ownership::Marked };
        // Claude Code looks for neither hooks nor commands where this file is missing.
        let plugin_part = if wanted.package.has(Part::Hooks) { Part::Hooks } else { Part::Commands };
        let mut files = vec![
            own(plugin_part, ".claude-plugin/plugin.json", json_edit::whole(&manifest())),
            own(Part::Hooks, "hooks/hooks.json", json_edit::whole(&hooks(wanted))),
        ];
        let command =
            |command: &SlashCommand| own(Part::Commands, &format!("commands/{}.md", command.name), command.markdown());
        files.extend(COMMANDS.iter().map(command));
        let status_line = SharedItem {
            path: Vec::new(),
            key: Some("statusLine"),
            value: json!({
                "type": "command",
                "command": wanted.command.with(STATUS_LINE).line(),
                "refreshInterval": STATUS_LINE_SECONDS,
            }),
            is_marked: false,
        };
        let settings = SharedFile {
            part: Part::Hooks,
            path: self.directory(places).join("settings.json"),
            syntax: Syntax::Strict,
            find: |_, settings| {
                let found = is_ours(&settings["statusLine"], "claude-code");
                found.then(|| vec!["statusLine".into()]).into_iter().collect()
            },
            items: wanted.package.status_line.then_some(status_line).into_iter().collect(),
        };
        Contents { files, shared: vec![settings] }
    }
}

impl ClaudeCode {
    pub(super) fn plugin(&self, places: &Places) -> PathBuf {
        self.directory(places).join("skills/baton")
    }
}

fn manifest() -> Value {
    json!({
        "name": "baton",
        "version": env!("CARGO_PKG_VERSION"),
        "description": format!("Coding agents take turns in a shared workspace ({MARKER})"),
    })
}

fn hooks(wanted: &Wanted<'_>) -> Value {
    let Package { strict, wake, .. } = wanted.package;
    let mut hooks = Map::new();
    for event in &EVENTS {
        let seconds = if event.name == "SessionEnd" { SESSION_END_SECONDS } else { SECONDS };
        let mut handler = json!({
            "type": "command",
            "command": wanted.command.program(),
            "args": wanted.command.arguments(),
            "timeout": seconds,
        });
        if *strict && event.name == GUARD {
            handler["onFailure"] = json!("block");
        }
        let mut groups = vec![group(event, handler)];
        if event.name == "Stop" && *wake == Some(Wake::StopHook) {
            groups.push(group(
                event,
                json!({
                    "type": "command",
                    "command": wanted.command.program(),
                    "args": wanted.command.with(PARK).arguments(),
                    "asyncRewake": true,
                    "timeout": PARK_SECONDS,
                    "rewakeSummary": "Baton woke this session",
                }),
            ));
        }
        hooks.insert(event.name.to_owned(), Value::Array(groups));
    }
    json!({ "description": format!("Baton's hooks ({MARKER})"), "hooks": hooks })
}
