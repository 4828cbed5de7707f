//! Programs from npm, kept under `target`, so that a checkout installs them once.
//!
//! What must stay true: the stamp is written when all the rest is done, so an installation that was interrupted is done
//! again.
#![expect(clippy::disallowed_methods, reason = "PATH is passed on, with the programs in front")]

use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use crate::run::{Outcome, run, say};

/// The node that is installed where the machine's own is too old.
const NODE: &str = "22.23.3";

/// A directory with packages in it.
pub(crate) struct Packages {
    directory: PathBuf,
}

impl Packages {
    pub(crate) const fn in_directory(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Installs exactly these packages, unless they are there already, and then does what is left to do.
    pub(crate) fn install(&self, what: &str, packages: &[String], finish: impl FnOnce(&Self) -> Outcome) -> Outcome {
        let failed = |error: std::io::Error| format!("{}: {error}", self.directory.display());
        fs::create_dir_all(&self.directory).map_err(failed)?;
        // Two tasks in one checkout do not install into each other. The lock goes with the file, at the end.
        let lock = File::create(self.directory.join("lock")).map_err(failed)?;
        lock.lock().map_err(failed)?;
        let (stamp, text) = (self.directory.join("installed"), packages.join("\n"));
        if fs::read_to_string(&stamp).is_ok_and(|installed| installed == text) {
            return Ok(());
        }
        say(&format!("installing {what} into {}", self.directory.display()));
        let modules = self.modules();
        if modules.exists() {
            fs::remove_dir_all(&modules).map_err(failed)?;
        }
        // Marks the directory as a project of its own, so that npm does not look further up.
        fs::write(self.directory.join("package.json"), "{\"private\": true}\n").map_err(failed)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock"]);
        // Versions of npm differ in whether they run the scripts of packages; `finish` runs those that are needed.
        npm.args(["--ignore-scripts", "--engine-strict=false"]).args(packages).current_dir(&self.directory);
        run(npm)?;
        finish(self)?;
        fs::write(stamp, text).map_err(failed)
    }

    /// Where the packages themselves are.
    pub(crate) fn modules(&self) -> PathBuf {
        self.directory.join("node_modules")
    }

    /// A program of a package, which finds the others first.
    pub(crate) fn program(&self, name: &str) -> Result<Command, String> {
        let mut command = Command::new(self.modules().join(".bin").join(name));
        command.env("PATH", self.path()?);
        Ok(command)
    }

    /// A script for the node that is first on the path.
    pub(crate) fn script(&self, script: &Path) -> Result<Command, String> {
        let installed = self.modules().join(".bin/node");
        let mut command = if installed.exists() { Command::new(installed) } else { Command::new("node") };
        command.arg(script).env("PATH", self.path()?);
        Ok(command)
    }

    /// The search path with what was installed first.
    fn path(&self) -> Result<OsString, String> {
        let before = std::env::var_os("PATH").unwrap_or_default();
        let places = std::iter::once(self.modules().join(".bin")).chain(std::env::split_paths(&before));
        std::env::join_paths(places).map_err(|error| error.to_string())
    }
}

/// The package of a node that is new enough.
pub(crate) fn node() -> Result<String, String> {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("the machine's own node is too old, and there is no other for {other}")),
    };
    Ok(format!("node-linux-{machine}@{NODE}"))
}
