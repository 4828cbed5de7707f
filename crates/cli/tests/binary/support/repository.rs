//! A workspace that is a git repository.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{fs, path::Path, process::Command};

use super::{Ran, World};

impl World {
    /// Makes the workspace a repository with one commit, in which everything that was there is.
    pub(crate) fn with_repository(self) -> Self {
        self.git(&["init", "--quiet"]);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message=first"]);
        self
    }

    /// Runs git in the workspace, and must succeed.
    pub(crate) fn git(&self, arguments: &[&str]) {
        let ran = Ran::of(self.git_command(arguments));
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
    }

    /// Runs git in a working tree as the agent `test:WHO`, hooks and all.
    pub(crate) fn git_as(&self, who: &str, tree: &Path, arguments: &[&str]) -> Ran {
        let mut command = self.git_command(arguments);
        command.current_dir(tree).env("BATON_AGENT_ID", format!("test:{who}"));
        Ran::of(command)
    }

    fn git_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.command("git");
        command.args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]).args(arguments);
        command
    }

    /// Writes a file of the workspace, and the directories above it.
    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.workspace().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}
