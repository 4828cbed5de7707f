//! The real programs that agents run in, for the tests that start them.
//!
//! They are npm packages and are kept under `target`, so a checkout installs them once. What must stay true: the stamp
//! is written when all the rest is done, so an installation that was interrupted is done again.
#![expect(clippy::disallowed_methods, reason = "PATH is passed on, with the programs in front")]

use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    machine,
    run::{Outcome, output, root, run, say},
};

/// Tells tests where the programs are.
pub(crate) const VARIABLE: &str = "BATON_TEST_CLIENTS";
/// What it says when they are left out.
pub(crate) const LEFT_OUT: &str = "none";

/// A program, and the package that it comes in.
struct Client {
    name: &'static str,
    package: &'static str,
    version: &'static str,
}

const CLIENTS: &[Client] = &[
    Client { name: "codex", package: "@openai/codex", version: "0.166.0" },
    Client { name: "claude", package: "@anthropic-ai/claude-code", version: "2.1.325" },
];

/// What codex's launcher asks for. claude asks for more, but needs node only to put its own program into place.
const NODE_MIN: u32 = 16;
/// The node that is installed beside the programs where the machine's own is older.
const NODE: &str = "22.23.3";

/// Installs the programs, unless they are there, and gives the directory they are in.
pub(crate) fn prepare() -> Result<PathBuf, String> {
    let directory = root().join("target/clients");
    let prepared = machine::prepare_for_clients().and_then(|()| install(&directory));
    let advice = "Tests start codex and claude. To leave those tests out: cargo xtask test --without-clients";
    prepared.map(|()| directory).map_err(|why| format!("could not get codex and claude: {why}\n{advice}"))
}

fn install(directory: &Path) -> Outcome {
    let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
    fs::create_dir_all(directory).map_err(failed)?;
    // Two tasks in one checkout do not install into each other. The lock goes with the file, at the end.
    let lock = File::create(directory.join("lock")).map_err(failed)?;
    lock.lock().map_err(failed)?;
    let packages = packages()?;
    let (stamp, text) = (directory.join("installed"), packages.join("\n"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(());
    }
    say(&format!("installing codex and claude, which tests start, into {}", directory.display()));
    let modules = directory.join("node_modules");
    if modules.exists() {
        fs::remove_dir_all(&modules).map_err(failed)?;
    }
    // Marks the directory as a project of its own, so that npm does not look further up.
    fs::write(directory.join("package.json"), "{\"private\": true}\n").map_err(failed)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock"]);
    // Versions of npm differ in whether they run the scripts of packages; the one that is needed is run below.
    npm.args(["--ignore-scripts", "--engine-strict=false"]).args(&packages).current_dir(directory);
    run(npm)?;
    let path = path(&modules)?;
    let mut finish = Command::new("node");
    finish.arg(modules.join("@anthropic-ai/claude-code/install.cjs")).env("PATH", &path);
    run(finish)?;
    CLIENTS.iter().try_for_each(|client| client.check(&modules, &path))?;
    fs::write(stamp, text).map_err(failed)
}

impl Client {
    /// Whether the program runs and is the one that was asked for.
    fn check(&self, modules: &Path, path: &OsString) -> Outcome {
        let mut command = Command::new(modules.join(".bin").join(self.name));
        command.arg("--version").env("PATH", path);
        let said = output(command)?;
        if said.contains(self.version) {
            return Ok(());
        }
        Err(format!("{} {} was installed, but says that it is {}", self.name, self.version, said.trim()))
    }
}

/// What npm is to install, with exact versions.
fn packages() -> Result<Vec<String>, String> {
    let mut packages: Vec<String> =
        CLIENTS.iter().map(|client| format!("{}@{}", client.package, client.version)).collect();
    let mut node = Command::new("node");
    node.arg("--version");
    let said = output(node)?;
    let major = said.trim_start_matches('v').split('.').next().and_then(|major| major.parse::<u32>().ok());
    let major = major.ok_or_else(|| format!("node does not tell its version, but {}", said.trim()))?;
    if major < NODE_MIN {
        let machine = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => return Err(format!("node {} is too old, and there is no other for {other}", said.trim())),
        };
        packages.push(format!("node-linux-{machine}@{NODE}"));
    }
    Ok(packages)
}

/// The search path with what was installed first.
fn path(modules: &Path) -> Result<OsString, String> {
    let before = std::env::var_os("PATH").unwrap_or_default();
    let places = std::iter::once(modules.join(".bin")).chain(std::env::split_paths(&before));
    std::env::join_paths(places).map_err(|error| error.to_string())
}
