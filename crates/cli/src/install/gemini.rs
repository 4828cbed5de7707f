//! Gemini CLI: `~/.gemini/settings.json` and `~/.agents/skills`, where `GEMINI_CLI_HOME` takes the place of `~`.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::{
    Places, Registration,
    client::{Client, ConfigFiles, Format},
    json::{Dialect, Syntax},
    skill,
};

/// Gemini CLI.
pub(super) struct Gemini;

static FORMAT: Dialect = Dialect {
    parent: "mcpServers",
    variables: "env",
    always_has_variables: false,
    syntax: Syntax::Comments,
    fields: |registration: &Registration| {
        vec![("command", json!(registration.command())), ("args", json!(registration.arguments()))]
    },
};

fn home(places: &Places) -> &Path {
    places.gemini_cli_home.as_ref().unwrap_or(&places.home)
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
}
