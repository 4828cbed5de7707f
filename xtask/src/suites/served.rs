//! What the suites run against: `baton up` on a store of its own, and a door to it for programs that cannot be given a
//! token.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use tempfile::TempDir;

use crate::{
    npm::Packages,
    run::{Outcome, root},
};

/// A store, a home and a workspace for one run.
pub(super) struct Place {
    directory: TempDir,
}

impl Place {
    pub(super) fn new() -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        for name in ["data", "home", "workspace"] {
            fs::create_dir(directory.path().join(name)).map_err(|error| error.to_string())?;
        }
        Ok(Self { directory })
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Has a command work here and nowhere else.
    pub(super) fn settle(&self, command: &mut Command) {
        command.env("HOME", self.at("home")).env("BATON_DATA_DIR", self.at("data")).current_dir(self.at("workspace"));
    }
}

/// The program under test.
pub(super) fn baton() -> PathBuf {
    root().join("target/debug/baton")
}

/// A script of ours that runs beside a suite.
pub(super) fn script(name: &str) -> PathBuf {
    root().join("xtask/suites").join(name)
}

/// A process that says its address on its first line, and ends with this value.
pub(super) struct Listening {
    child: Child,
    /// What it said.
    pub(super) said: String,
}

impl Listening {
    pub(super) fn start(mut command: Command) -> Result<Self, String> {
        let shown = Path::new(command.get_program()).display().to_string();
        let failed = |error: std::io::Error| format!("{shown}: {error}");
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(failed)?;
        let stdout = child.stdout.take();
        let mut listening = Self { child, said: String::new() };
        let stdout = stdout.ok_or_else(|| format!("{shown} has no output"))?;
        BufReader::new(stdout).read_line(&mut listening.said).map_err(failed)?;
        if listening.said.is_empty() {
            return Err(format!("{shown} ended before it listened"));
        }
        Ok(listening)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended by itself, and then there is nothing to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A server and the door to it.
pub(super) struct Served {
    server: Listening,
    door: Listening,
}

impl Served {
    pub(super) fn start(place: &Place, packages: &Packages) -> Result<Self, String> {
        let mut up = Command::new(baton());
        up.args(["up", "--json", "--listen", "127.0.0.1:0"]);
        place.settle(&mut up);
        let server = Listening::start(up)?;
        let facts: serde_json::Value = serde_json::from_str(&server.said).map_err(|error| error.to_string())?;
        let fact = |name: &str| {
            let text = facts["data"][name].as_str().map(str::to_owned);
            text.ok_or_else(|| format!("baton up does not tell its {name}: {}", server.said))
        };
        let token = fs::read_to_string(fact("token_file")?).map_err(|error| error.to_string())?;
        let mut doorman = packages.script(&script("doorman.mjs"))?;
        doorman.arg(fact("url")?).env("BATON_TOKEN", token.trim());
        Ok(Self { door: Listening::start(doorman)?, server })
    }

    /// Where the server is to be had without a token.
    pub(super) fn url(&self) -> &str {
        self.door.said.trim()
    }

    /// Fails if the server did not live through it.
    pub(super) fn is_still_there(&mut self) -> Outcome {
        match self.server.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(format!("baton up ended during the suites, with {status}")),
            Err(error) => Err(format!("baton up cannot be asked: {error}")),
        }
    }
}
