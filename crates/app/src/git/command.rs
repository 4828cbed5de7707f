//! The command itself: fixed settings, a made environment, and the drivers of the repository overridden.

use std::{
    ffi::OsStr,
    io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

use super::drivers;
use crate::{
    environment::Environment,
    programs::{find_on_path, without_relative_entries},
};

/// Where `git rev-parse` looks for hooks. None run either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hooks {
    /// Nowhere.
    Off,
    /// Where the configuration says, for a question about that.
    AsConfigured,
}

/// Settings that decide what git executes or asks, whatever the repository says.
const SETTINGS: [&str; 26] = [
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.editor=false",
    "sequence.editor=false",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "diff.external=",
    "interactive.diffFilter=",
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.x509.program=false",
    "gpg.ssh.program=false",
    "log.showSignature=false",
    "commit.gpgSign=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "status.submoduleSummary=false",
    "gc.auto=0",
    "maintenance.auto=false",
    // For reading what it prints.
    "core.quotePath=false",
    "diff.submodule=short",
    "advice.detachedHead=false",
    // Would be written next to the user's own index.
    "core.splitIndex=false",
];

/// Variables of the user's that git needs: to find their own configuration, and where to look for a repository.
const KEPT: [&str; 8] = [
    "HOME",
    "USER",
    "LOGNAME",
    "XDG_CONFIG_HOME",
    "TMPDIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];

/// Commands that answer from refs, names and objects alone: no content is converted, so no driver can run. They are asked
/// most, and need not wait for the list of drivers.
const WITHOUT_CONTENT: [&str; 4] = ["rev-parse", "symbolic-ref", "rev-list", "config"];

/// `git SUBCOMMAND` at `root`, in a process group of its own, with no input, and with its output in pipes.
pub fn command(root: &Path, subcommand: &str, hooks: Hooks) -> io::Result<Command> {
    command_with(root, &[], subcommand, hooks)
}

/// The command with further settings, which must name no program.
pub(crate) fn command_with(root: &Path, settings: &[&str], subcommand: &str, hooks: Hooks) -> io::Result<Command> {
    let mut command = bare(root, hooks)?;
    command.args(settings.iter().flat_map(|setting| ["-c", setting]));
    if !WITHOUT_CONTENT.contains(&subcommand) {
        command.envs(drivers::overridden(root)?);
    }
    command.arg(subcommand);
    Ok(command)
}

/// Git without the repository's drivers in mind: for what converts no content.
pub(super) fn bare(root: &Path, hooks: Hooks) -> io::Result<Command> {
    let environment = environment();
    let mut command = Command::new(program()?);
    command.env_clear();
    let kept = KEPT.into_iter().filter_map(|name| Some((name, environment.var_os(name)?)));
    command.envs(kept).env("PATH", without_relative_entries(environment.var_os("PATH").unwrap_or_default()));
    for (name, value) in [
        ("LC_ALL", "C"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_ALLOW_PROTOCOL", "none"),
        // A partial clone would fetch what it lacks, with programs that the repository names.
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_SSH_COMMAND", "false"),
        ("GIT_EDITOR", "false"),
        ("GIT_PAGER", "cat"),
    ] {
        command.env(name, value);
    }
    command.arg("-C").arg(root).args(["--no-optional-locks", "--no-pager"]);
    command.args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
    if hooks == Hooks::Off {
        command.args(["-c", "core.hooksPath=/dev/null"]).env("GIT_CONFIG_NOSYSTEM", "1");
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    Ok(command)
}

fn environment() -> &'static Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    ENVIRONMENT.get_or_init(Environment::read)
}

fn program() -> io::Result<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = PROGRAM.get_or_init(|| find_on_path("git", environment().var_os("PATH").unwrap_or(OsStr::new(""))));
    found.as_deref().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "git was not found on PATH"))
}
