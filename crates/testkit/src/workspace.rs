//! Real directories and repositories.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use baton_app::environment::Environment;

/// Git as a test's own tool, hooks and filters and all: without the variables of a git hook that the tests may run from, and
/// without the configuration of the person who runs them.
pub fn git_for_tests() -> Command {
    let mut command = Command::new("git");
    let machine = Environment::read();
    let kept = ["PATH", "HOME", "TMPDIR"].into_iter().filter_map(|name| Some((name, machine.var_os(name)?)));
    command.env_clear().envs(kept).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// A tree of directories that a test makes as it goes. It belongs to the test's own directory.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// A workspace in `directory`, with an empty home in it.
    pub(crate) fn in_directory(directory: &Path) -> Self {
        let root = directory.join("workspace");
        fs::create_dir(&root).unwrap();
        let workspace = Self { root: root.canonicalize().unwrap() };
        workspace.dir("home");
        workspace
    }

    /// The path of something in it, which need not exist. An empty path is the root.
    pub fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }

    /// The same as text.
    pub fn text(&self, path: &str) -> String {
        self.at(path).to_str().unwrap().to_owned()
    }

    /// Makes a directory, and those above it.
    pub fn dir(&self, path: &str) -> PathBuf {
        fs::create_dir_all(self.at(path)).unwrap();
        self.at(path)
    }

    /// Makes a file, and the directories above it.
    pub fn file(&self, path: &str, text: &str) -> PathBuf {
        let file = self.at(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    /// Runs git in a directory, which is made if it is not there, with nobody's configuration.
    pub fn git(&self, path: &str, arguments: &[&str]) {
        let identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main"];
        let output = Command::new("git")
            .arg("-C")
            .arg(self.dir(path))
            .args(identity)
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Makes a repository with one commit.
    pub fn repository(&self, path: &str) -> PathBuf {
        self.git(path, &["init", "--quiet"]);
        self.git(path, &["commit", "--quiet", "--allow-empty", "--message=first"]);
        self.at(path)
    }
}
