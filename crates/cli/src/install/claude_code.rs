//! Claude Code: `~/.claude.json`, and `~/.claude/skills`.
//!
//! `CLAUDE_CONFIG_DIR` moves both into that directory: `$CLAUDE_CONFIG_DIR/.claude.json`. The file is strict JSON.
//! Claude Code sets a file that it cannot read aside and starts afresh, so a comment in it is refused here.

use std::path::PathBuf;

use serde_json::json;

use super::{
    Places, Registration,
    client::{Client, ConfigFiles, Format},
    json::{Dialect, Syntax},
    skill,
};

/// Claude Code.
pub(super) struct ClaudeCode;

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
};

impl Client for ClaudeCode {
    fn directory(&self, places: &Places) -> PathBuf {
        places.claude_config_dir.clone().unwrap_or_else(|| places.home.join(".claude"))
    }

    fn config_files(&self, places: &Places) -> ConfigFiles {
        ConfigFiles::one(places.claude_config_dir.as_ref().unwrap_or(&places.home).join(".claude.json"))
    }

    fn skill_file(&self, places: &Places) -> PathBuf {
        self.directory(places).join("skills").join(skill::FILE)
    }

    fn format(&self) -> &'static dyn Format {
        &FORMAT
    }
}
