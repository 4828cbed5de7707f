//! OpenCode: `opencode.json` or `opencode.jsonc` in its configuration directory, and `~/.agents/skills`.
//!
//! OpenCode reads every file there is and lays them over each other: `opencode.json`, `opencode.jsonc`, then the
//! one that `OPENCODE_CONFIG` names. An entry that is in one of them is edited where it is. A new one goes where
//! `OPENCODE_CONFIG` says, else where `opencode mcp add` puts it: into `opencode.json` if that exists, else into
//! `opencode.jsonc`. It would also read `~/.claude/skills`; one skill directory is enough.

use std::path::PathBuf;

use serde_json::json;

use super::{
    Places, Registration,
    client::{Client, ConfigFiles, Format},
    json::{Dialect, Syntax},
    skill,
};

/// OpenCode.
pub(super) struct OpenCode;

static FORMAT: Dialect = Dialect {
    parent: "mcp",
    variables: "environment",
    always_has_variables: false,
    syntax: Syntax::CommentsAndTrailingCommas,
    fields: |registration: &Registration| {
        vec![("type", json!("local")), ("command", json!(registration.command_line())), ("enabled", json!(true))]
    },
};

impl Client for OpenCode {
    fn directory(&self, places: &Places) -> PathBuf {
        places.xdg_config_home.join("opencode")
    }

    fn config_files(&self, places: &Places) -> ConfigFiles {
        let with_comments = self.directory(places).join("opencode.jsonc");
        let plain = self.directory(places).join("opencode.json");
        let usual = if plain.exists() { &plain } else { &with_comments };
        let preferred = places.opencode_config.as_ref().unwrap_or(usual).clone();
        let by_precedence = places.opencode_config.clone().into_iter().chain([with_comments, plain]).collect();
        ConfigFiles { by_precedence, preferred }
    }

    fn skill_file(&self, places: &Places) -> PathBuf {
        places.home.join(skill::SHARED_DIRECTORY).join(skill::FILE)
    }

    fn format(&self) -> &'static dyn Format {
        &FORMAT
    }
}
