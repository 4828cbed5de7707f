//! Codex: `~/.codex/config.toml`, or `$CODEX_HOME/config.toml`; skills in `~/.agents/skills` either way.

use std::path::PathBuf;

use super::{
    Places,
    client::{Client, ConfigFiles, Format},
    skill,
    toml::Toml,
};

/// Codex.
pub(super) struct Codex;

impl Client for Codex {
    fn directory(&self, places: &Places) -> PathBuf {
        places.codex_home.clone().unwrap_or_else(|| places.home.join(".codex"))
    }

    fn config_files(&self, places: &Places) -> ConfigFiles {
        ConfigFiles::one(self.directory(places).join("config.toml"))
    }

    fn skill_file(&self, places: &Places) -> PathBuf {
        places.home.join(skill::SHARED_DIRECTORY).join(skill::FILE)
    }

    fn format(&self) -> &'static dyn Format {
        &Toml
    }
}
