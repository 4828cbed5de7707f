//! OpenCode's plugin, read back.

use std::path::PathBuf;

use super::OpenCode;
use crate::{
    Harness,
    inspect::{GuardCommand, HookInspector, OffSwitch, Workspace, guard_of_words},
    install::{Places, client::Client, contents::MARKER},
};

/// The line of the plugin that has the command.
const COMMAND: &str = "const COMMAND = ";

/// The variable with which it loads no plugins.
const PURE: &str = "OPENCODE_PURE";

impl HookInspector for OpenCode {
    fn hooks_file(&self, places: &Places) -> PathBuf {
        self.directory(places).join("plugins/baton.js")
    }

    fn has_hooks(&self, text: &str) -> bool {
        text.contains(MARKER)
    }

    fn guard(&self, text: &str) -> Option<GuardCommand> {
        let list = text.lines().find_map(|line| line.strip_prefix(COMMAND))?;
        guard_of_words(Harness::OpenCode, &serde_json::from_str(list).ok()?)
    }

    fn off_switch(&self, _: &Places, workspace: &Workspace<'_>) -> Option<OffSwitch> {
        workspace.enabled_variable(&[PURE])
    }
}
