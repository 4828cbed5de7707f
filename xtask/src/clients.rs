//! The real programs that agents run in, for the tests that start them.

use std::{path::PathBuf, process::Command};

use crate::{
    machine,
    npm::{self, Packages},
    run::{Outcome, output, root, run},
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
    Client { name: "gemini", package: "@google/gemini-cli", version: "0.61.0" },
    Client { name: "opencode", package: "opencode-ai", version: "1.18.33" },
];

/// The packages whose program is put into place by a script of their own.
const INSTALLERS: &[&str] = &["@anthropic-ai/claude-code/install.cjs", "opencode-ai/postinstall.mjs"];

/// gemini, which is all JavaScript, is tested on this one. The others need node only to be put into place or launched.
const NODE_MIN: u32 = 22;

/// Installs the programs, unless they are there, and gives the directory they are in.
pub(crate) fn prepare() -> Result<PathBuf, String> {
    let directory = root().join("target/clients");
    let prepared = machine::prepare_for_clients().and_then(|()| install(&Packages::in_directory(directory.clone())));
    let advice = "To leave out the tests that start them: cargo xtask test --without-clients";
    prepared.map(|()| directory).map_err(|why| format!("could not get {}: {why}\n{advice}", names()))
}

fn install(clients: &Packages) -> Outcome {
    clients.install(&format!("{}, which tests start,", names()), &packages()?, |installed| {
        for script in INSTALLERS {
            run(installed.script(&installed.modules().join(script))?)?;
        }
        CLIENTS.iter().try_for_each(|client| client.check(installed))
    })
}

impl Client {
    /// Whether the program runs and is the one that was asked for.
    fn check(&self, installed: &Packages) -> Outcome {
        let mut command = installed.program(self.name)?;
        command.arg("--version");
        let said = output(command)?;
        if said.contains(self.version) {
            return Ok(());
        }
        Err(format!("{} {} was installed, but says that it is {}", self.name, self.version, said.trim()))
    }
}

/// The programs, for people.
pub(crate) fn names() -> String {
    let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
    names.join(", ")
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
        packages.push(npm::node()?);
    }
    Ok(packages)
}
