//! Claude Code's hooks, read back, and its switches.
//!
//! `disableAllHooks` and `enabledPlugins` are taken from the most local of its settings that say something. Organisations can set
//! them in a managed file too, which is not looked at.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    ClaudeCode,
    install::{GUARD, PLUGIN_ID},
};
use crate::{
    Harness,
    inspect::{GuardCommand, HookInspector, HookShell, OffSwitch, Workspace, find_guard, read_json},
    install::{Places, client::Client, contents::MARKER, json::Syntax},
};

/// Variables with which it starts without any hooks.
const VARIABLES: [&str; 2] = ["CLAUDE_CODE_SAFE_MODE", "CLAUDE_CODE_SIMPLE"];

impl HookInspector for ClaudeCode {
    fn hooks_file(&self, places: &Places) -> PathBuf {
        self.plugin(places).join("hooks/hooks.json")
    }

    fn has_hooks(&self, text: &str) -> bool {
        text.contains(MARKER)
    }

    fn guard(&self, text: &str) -> Option<GuardCommand> {
        find_guard(Harness::ClaudeCode, text, Syntax::Strict, GUARD, HookShell::Sh)
    }

    fn off_switch(&self, user: &Places, workspace: &Workspace<'_>) -> Option<OffSwitch> {
        let here = workspace.root.join(".claude");
        let files =
            [here.join("settings.local.json"), here.join("settings.json"), self.directory(user).join("settings.json")];
        let settings = files.map(|path| (read_json(&path), path));
        let first = |setting: &dyn Fn(&Value) -> Option<bool>| {
            settings.iter().find_map(|(value, path)| setting(value).map(|is_set| (is_set, path.as_path())))
        };
        let switch = |name: String, path: &Path| Some(OffSwitch::in_file(name, path));
        if let Some((true, path)) = first(&|value| value["disableAllHooks"].as_bool()) {
            return switch("disableAllHooks".to_owned(), path);
        }
        match first(&|value| value["enabledPlugins"][PLUGIN_ID].as_bool()) {
            Some((false, path)) => switch(format!("enabledPlugins.\"{PLUGIN_ID}\" = false"), path),
            Some((true, _)) | None => workspace.enabled_variable(&VARIABLES),
        }
    }

    fn version(&self, places: &Places) -> Option<String> {
        let manifest = read_json(&self.plugin(places).join(".claude-plugin/plugin.json"));
        manifest["version"].as_str().map(str::to_owned)
    }
}
