//! Where things are on this machine, as the environment says.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::InstallError;

/// The directories that decide where a harness keeps its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The home directory.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, or `~/.config`.
    pub xdg_config_home: PathBuf,
    /// `$CODEX_HOME`.
    pub codex_home: Option<PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`.
    pub claude_config_dir: Option<PathBuf>,
    /// `$GEMINI_CLI_HOME`: what Gemini takes for the home directory.
    pub gemini_cli_home: Option<PathBuf>,
    /// `$OPENCODE_CONFIG`: a file, read on top of the usual ones.
    pub opencode_config: Option<PathBuf>,
    /// The root of a repository: set where Baton is installed for all who work there, instead of for this user.
    pub project: Option<PathBuf>,
    /// The directories of `$PATH`.
    pub path: Vec<PathBuf>,
}

impl Places {
    /// Looks the places up. An empty variable counts as unset, as it does in the harnesses.
    pub fn look_up(variable: impl Fn(&str) -> Option<String>) -> Result<Self, InstallError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = set("HOME").ok_or(InstallError::NoHome)?;
        // The XDG specification says to ignore a relative path.
        let xdg_config_home = set("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
        Ok(Self {
            xdg_config_home: xdg_config_home.unwrap_or_else(|| home.join(".config")),
            codex_home: set("CODEX_HOME"),
            claude_config_dir: set("CLAUDE_CONFIG_DIR"),
            gemini_cli_home: set("GEMINI_CLI_HOME"),
            opencode_config: set("OPENCODE_CONFIG"),
            path: variable("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default(),
            project: None,
            home,
        })
    }

    /// Directories that are not Baton's to remove, however empty they are.
    pub(crate) fn kept_directories(&self) -> Vec<PathBuf> {
        let set = [&self.project, &self.codex_home, &self.claude_config_dir, &self.gemini_cli_home];
        // The usual place may have been made by Baton; one that a variable names is the person's.
        let xdg = Some(&self.xdg_config_home).filter(|xdg| **xdg != self.home.join(".config"));
        [&self.home].into_iter().chain(xdg).chain(set.into_iter().flatten()).cloned().collect()
    }

    /// Where a program is, if it is on the path.
    pub(crate) fn find_program(&self, name: &str) -> Option<PathBuf> {
        self.path.iter().map(|directory| directory.join(name)).find(|candidate| is_executable(candidate))
    }
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
