//! Gemini CLI's hooks, read back, and its switches.
//!
//! In a folder that is not trusted it runs no hooks at all, those of the user included.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    Gemini,
    install::{EVENTS, GUARD},
};
use crate::{
    Harness,
    inspect::{GuardCommand, HookInspector, HookShell, OffSwitch, Workspace, find_guard, has_groups, read_json},
    install::{Places, client::Client, json::Syntax},
};

const TRUST_VARIABLE: &str = "GEMINI_CLI_TRUST_WORKSPACE";

impl HookInspector for Gemini {
    fn hooks_file(&self, places: &Places) -> PathBuf {
        self.directory(places).join("settings.json")
    }

    fn has_hooks(&self, text: &str) -> bool {
        has_groups(Harness::Gemini, text, Syntax::Comments)
    }

    fn guard(&self, text: &str) -> Option<GuardCommand> {
        find_guard(Harness::Gemini, text, Syntax::Comments, GUARD, HookShell::Bash)
    }

    fn off_switch(&self, user: &Places, workspace: &Workspace<'_>) -> Option<OffSwitch> {
        let files = [workspace.root.join(".gemini/settings.json"), self.hooks_file(user)];
        let settings = files.map(|path| (read_json(&path), path));
        let enabled = settings
            .iter()
            .find_map(|(value, path)| value["hooksConfig"]["enabled"].as_bool().map(|is_on| (is_on, path.as_path())));
        if let Some((false, path)) = enabled {
            return Some(OffSwitch::in_file("hooksConfig.enabled = false", path));
        }
        let is_ours = |name: &str| EVENTS.iter().any(|(_, own)| *own == name);
        for (value, path) in &settings {
            let names = value["hooksConfig"]["disabled"].as_array().into_iter().flatten().filter_map(Value::as_str);
            if let Some(name) = names.into_iter().find(|name| is_ours(name)) {
                return Some(OffSwitch::in_file(format!("hooksConfig.disabled has {name}"), path));
            }
        }
        self.distrust(user, workspace, &settings[1].0)
    }
}

impl Gemini {
    /// The rule that keeps a folder untrusted: of those around it the one with the longest path.
    fn distrust(&self, user: &Places, workspace: &Workspace<'_>, settings: &Value) -> Option<OffSwitch> {
        match (workspace.variable)(TRUST_VARIABLE).as_deref() {
            Some("false") => return Some(OffSwitch::Variable { name: TRUST_VARIABLE }),
            Some("true") => return None,
            _ => {}
        }
        if settings["security"]["folderTrust"]["enabled"] == Value::Bool(false) {
            return None;
        }
        let path = self.directory(user).join("trustedFolders.json");
        let rules = read_json(&path);
        let covers = |(folder, level): &(&String, &Value)| {
            let folder = Path::new(folder);
            let root = if **level == "TRUST_PARENT" { folder.parent().unwrap_or(folder) } else { folder };
            workspace.root.starts_with(root)
        };
        let rules = rules.as_object()?;
        let (folder, level) = rules.iter().filter(covers).max_by_key(|(folder, _)| folder.len())?;
        (level == "DO_NOT_TRUST").then(|| OffSwitch::in_file(format!("DO_NOT_TRUST for {folder}"), &path))
    }
}
