//! How the test starts a program.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

use super::{Client, ClientHome, Headless, Screen};

/// A program that is to be started, in a home and a directory. Unless the test says otherwise it asks for no
/// permission.
#[derive(Clone, Debug)]
#[must_use]
pub struct Launch {
    pub(super) client: Client,
    home: ClientHome,
    directory: PathBuf,
    variables: Vec<(OsString, OsString)>,
    arguments: Vec<OsString>,
    permissions: Permissions,
    codex_server: CodexServer,
}

/// The process that runs a thread of `codex` with a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CodexServer {
    /// The program itself.
    Embedded,
    /// A server in the background, which outlives the screen.
    Background,
}

/// Whether a program asks before it does something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permissions {
    Bypassed,
    Asked,
}

impl Launch {
    /// A program that works in `directory`.
    pub fn new(client: Client, home: &ClientHome, directory: &Path) -> Self {
        // Programs know their directory by its real name.
        let directory = directory.canonicalize().unwrap();
        let (variables, arguments) = (Vec::new(), Vec::new());
        let (permissions, codex_server) = (Permissions::Bypassed, CodexServer::Embedded);
        Self { client, home: home.clone(), directory, variables, arguments, permissions, codex_server }
    }

    /// Adds a variable to the environment that the home gives.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Adds an argument to the command line, before the prompt.
    pub fn argument(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Leaves the program's own questions before tool calls as they are.
    pub fn asking(mut self) -> Self {
        self.permissions = Permissions::Asked;
        self
    }

    /// Lets `codex` start its server in the background, as it does by itself. It ends with the screen's test.
    pub fn with_background_server(mut self) -> Self {
        self.codex_server = CodexServer::Background;
        self
    }

    /// Starts it without a screen.
    pub fn headless(self, prompt: &str) -> Headless {
        let before: &[&str] = match self.client {
            Client::Claude => &["-p", "--output-format", "stream-json", "--verbose"],
            Client::Codex => &["exec", "--json", "--skip-git-repo-check"],
            Client::Gemini => &["--output-format", "stream-json", "--skip-trust"],
            Client::OpenCode => &["run", "--format", "json"],
        };
        let bypass: &[&str] = match self.client {
            Client::OpenCode => &["--auto"],
            Client::Claude | Client::Codex | Client::Gemini => self.client.bypass(),
        };
        let prompt: &[&str] = match self.client {
            Client::Gemini => &["-p", prompt],
            Client::Claude | Client::Codex | Client::OpenCode => &["--", prompt],
        };
        Headless::start(self.client, self.command(before, bypass, prompt))
    }

    /// Starts it in its screen, and with a first prompt if there is one.
    pub fn screen(self, prompt: Option<&str>) -> Screen {
        self.home.trust(&self.directory);
        let introduced: Vec<&str> = match (self.client, prompt) {
            (_, None) => vec![],
            (Client::Gemini, Some(prompt)) => vec!["-i", prompt],
            (Client::OpenCode, Some(prompt)) => vec!["--prompt", prompt],
            (Client::Claude | Client::Codex, Some(prompt)) => vec!["--", prompt],
        };
        let before: &[&str] = match (self.client, self.codex_server) {
            (Client::Gemini, _) => &["--skip-trust"],
            (Client::Codex, CodexServer::Embedded) => &["--no-daemon"],
            (Client::Codex, CodexServer::Background) | (Client::Claude | Client::OpenCode, _) => &[],
        };
        let mut command = self.command(before, self.client.bypass(), &introduced);
        command.env("TERM", "xterm-256color").env("COLORTERM", "truecolor").env("LANG", "C.UTF-8");
        Screen::start(self.client, &command, self.home.directory())
    }

    fn command(&self, before: &[&str], bypass: &[&str], prompt: &[&str]) -> Command {
        let mut command = Command::new(self.client.program());
        command.args(before);
        if self.permissions == Permissions::Bypassed {
            command.args(bypass);
        }
        command.args(&self.arguments).args(prompt).current_dir(&self.directory);
        command.env_clear().envs(self.home.environment()).env("PWD", &self.directory);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl Client {
    /// Has it ask for nothing.
    const fn bypass(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["--dangerously-skip-permissions"],
            Self::Codex => &["--dangerously-bypass-approvals-and-sandbox"],
            Self::Gemini => &["--approval-mode", "yolo"],
            // Its settings allow everything.
            Self::OpenCode => &[],
        }
    }
}
