//! The programs, and where they are installed.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
};

use baton_app::environment::Environment;

/// Names the directory the programs are installed in: `cargo xtask test` sees to it.
const VARIABLE: &str = "BATON_TEST_CLIENTS";
/// The variable's value when the programs are left out on purpose.
const NONE: &str = "none";

/// A program that agents run in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// OpenCode.
    OpenCode,
}

impl Client {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Gemini, Self::OpenCode];

    /// The name of its program.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// Where its program is.
    pub fn program(self) -> PathBuf {
        let program = Clients::directory().join(self.name());
        assert!(program.exists(), "{} is missing: run the tests with `cargo xtask test`", program.display());
        program
    }
}

/// The programs.
#[derive(Debug)]
pub struct Clients;

impl Clients {
    /// Where `codex` is.
    pub fn codex() -> PathBuf {
        Client::Codex.program()
    }

    /// Where `claude` is.
    pub fn claude() -> PathBuf {
        Client::Claude.program()
    }

    /// The directory in which all are found by name, with the `node` they need, if the machine's own is too old.
    pub fn directory() -> PathBuf {
        let installed = Environment::read().var(VARIABLE).map(str::to_owned).unwrap_or_else(|| {
            panic!("{VARIABLE} is not set: run the tests with `cargo xtask test`, which installs the programs")
        });
        assert!(
            installed != NONE,
            "the agents' programs were left out by --without-clients: ask clients::left_out() first"
        );
        Path::new(&installed).join("node_modules/.bin")
    }
}

/// Whether the programs are left out of this run by `--without-clients`. It says so; a test that needs them returns.
pub fn left_out() -> bool {
    let left_out = Environment::read().var(VARIABLE) == Some(NONE);
    if left_out {
        // Past what the test harness keeps to itself of a test that passes.
        let test = thread::current().name().unwrap_or("a test").to_owned();
        let _ = writeln!(io::stderr(), "LEFT OUT by --without-clients, for want of the agents' programs: {test}");
    }
    left_out
}
