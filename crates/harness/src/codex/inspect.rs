//! Codex's hooks, read back, with the trust that it asks for and its switches.
//!
//! Each hook can be switched off for itself in `[hooks.state]`, beside its trust; those of a repository count only where the
//! repository is trusted as a project. Organisations can set `[features]` in a managed file too, which is not looked at.

use std::path::{Path, PathBuf};

use toml_edit::{Item, Table};

use super::{Codex, install::GUARD, trust};
use crate::{
    Harness,
    inspect::{
        Consent, GuardCommand, HookInspector, HookShell, OffSwitch, Workspace, find_guard, has_groups, read_json,
        read_toml,
    },
    install::{Places, client::Client, json::Syntax},
};

/// The switch for all hooks, and its former name.
const FEATURES: [&str; 2] = ["hooks", "codex_hooks"];

impl HookInspector for Codex {
    fn hooks_file(&self, places: &Places) -> PathBuf {
        self.directory(places).join("hooks.json")
    }

    fn has_hooks(&self, text: &str) -> bool {
        has_groups(Harness::Codex, text, Syntax::Strict)
    }

    fn guard(&self, text: &str) -> Option<GuardCommand> {
        find_guard(Harness::Codex, text, Syntax::Strict, GUARD, HookShell::Personal)
    }

    fn off_switch(&self, user: &Places, workspace: &Workspace<'_>) -> Option<OffSwitch> {
        let personal = self.directory(user).join("config.toml");
        // Those of a repository that it does not trust say nothing to it.
        let shared = Some(workspace.root.join(".codex/config.toml")).filter(|_| is_trusted(&personal, workspace.root));
        let files: Vec<PathBuf> = shared.into_iter().chain([personal.clone()]).collect();
        let feature = |path: &Path| read_toml(path, |config| feature(config.get("features")?));
        if let Some((name, is_on, path)) =
            files.iter().find_map(|path| feature(path).map(|(name, is_on)| (name, is_on, path)))
            && !is_on
        {
            return Some(OffSwitch::in_file(format!("[features] {name} = false"), path));
        }
        let levels = [user.clone(), Places { project: Some(workspace.root.to_owned()), ..user.clone() }];
        let disabled = levels.iter().find_map(|places| {
            let keys = self.keys(places);
            read_toml(&personal, |config| {
                let states = config.get("hooks")?.get("state")?.as_table_like()?;
                let is_off = |key: &&String| states.get(key).is_some_and(|state| flag(state, "enabled") == Some(false));
                keys.iter().find(is_off).cloned()
            })
        });
        disabled.map(|key| OffSwitch::in_file(format!("[hooks.state.\"{key}\"] enabled = false"), &personal))
    }

    fn consent(&self, places: &Places) -> Consent {
        let user = Places { project: None, ..places.clone() };
        let config = self.directory(&user).join("config.toml");
        if let Some(root) = &places.project
            && !is_trusted(&config, root)
        {
            return Consent::UntrustedRepository;
        }
        let path = self.hooks_file(places);
        let text = read_json(&path).to_string();
        let wanted = trust::keys(&path, &text);
        let given = |key: &str| {
            read_toml(&config, |config| {
                let state = config.get("hooks")?.get("state")?.get(key)?;
                state.get("trusted_hash")?.as_str().map(str::to_owned)
            })
        };
        let mut consent = Consent::Given;
        for (key, hash) in wanted {
            match given(&key) {
                Some(given) if given == hash => {}
                Some(_) => return Consent::OfAnotherText,
                None => consent = Consent::Missing,
            }
        }
        consent
    }
}

impl Codex {
    fn keys(&self, places: &Places) -> Vec<String> {
        let path = self.hooks_file(places);
        trust::keys(&path, &read_json(&path).to_string()).into_keys().collect()
    }
}

fn feature(features: &Item) -> Option<(&'static str, bool)> {
    FEATURES.iter().find_map(|name| flag(features, name).map(|is_on| (*name, is_on)))
}

fn flag(table: &Item, name: &str) -> Option<bool> {
    table.get(name).and_then(Item::as_bool)
}

/// Whether a person let Codex use what is in a repository. It knows a linked worktree by its main one, which is not looked for.
fn is_trusted(config: &Path, root: &Path) -> bool {
    if root.join(".git").is_file() {
        return true;
    }
    let level = |config: &Table| {
        let project = config.get("projects")?.get(root.to_str()?)?;
        project.get("trust_level")?.as_str().map(str::to_owned)
    };
    read_toml(config, level).as_deref() == Some("trusted")
}
