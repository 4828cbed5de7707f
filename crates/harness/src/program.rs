//! The agent programs that Baton knows.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

use crate::{
    claude_code::{self, ClaudeCode},
    codex::{self, Codex},
    facts::Facts,
    gemini::{self, Gemini},
    hook::HookDialect,
    inspect::HookInspector,
    install::client::Client,
    opencode::{self, OpenCode},
};

/// A coding agent's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Harness {
    /// Claude Code, `claude`.
    ClaudeCode,
    /// Codex, `codex`.
    Codex,
    /// Gemini CLI, `gemini`.
    Gemini,
    /// OpenCode, `opencode`.
    OpenCode,
}

impl Harness {
    /// Every harness, in the order in which `--all` takes them.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode];

    /// Codex before the others: its sandbox hides its process, so there its variables are all that tells.
    const BY_VARIABLES: [Self; 4] = [Self::Codex, Self::ClaudeCode, Self::Gemini, Self::OpenCode];

    /// The name on the command line, and the first part of its agents' ids.
    pub const fn slug(self) -> &'static str {
        self.facts().slug
    }

    /// The name as people write it.
    pub const fn title(self) -> &'static str {
        self.facts().title
    }

    /// The program that is looked for on the path.
    pub const fn program(self) -> &'static str {
        self.facts().program
    }

    /// The variable that holds the id of the conversation.
    pub const fn conversation_variable(self) -> Option<&'static str> {
        self.facts().conversation_variable
    }

    /// The variable that holds the pid of the harness.
    pub const fn pid_variable(self) -> Option<&'static str> {
        self.facts().pid_variable
    }

    /// A prompt with which it shows the room it is in.
    pub const fn status_prompt(self) -> &'static str {
        self.facts().status_prompt
    }

    /// Whether a process of it has one conversation at a time.
    pub const fn has_one_conversation(self) -> bool {
        self.facts().has_one_conversation
    }

    /// Whether a conversation of it can be resumed by a runner, as the same agent.
    pub const fn can_resume(self) -> bool {
        self.facts().resume_word.is_some()
    }

    /// The arguments that have a run without a screen go on with a conversation; none where that cannot be.
    pub fn resume_arguments(self, conversation: &str) -> impl Iterator<Item = String> {
        let words = self.facts().resume_word.map(|word| [word.to_owned(), conversation.to_owned()]);
        words.into_iter().flatten()
    }

    /// The harness whose agents' ids begin like this.
    pub fn of_slug(slug: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|harness| harness.slug() == slug)
    }

    /// The harness that calls itself `name` in MCP's `clientInfo`.
    pub fn of_client(name: &str) -> Option<Self> {
        let is_named = |facts: &Facts| {
            facts.client_names.contains(&name) || facts.client_prefix.is_some_and(|prefix| name.starts_with(prefix))
        };
        Self::ALL.into_iter().find(|harness| is_named(harness.facts()))
    }

    /// Each variable that a harness sets for everything it starts, with the harness. Harnesses nest and inherit each
    /// other's variables, so a variable only counts where no process tells.
    pub fn variables() -> impl Iterator<Item = (Self, &'static str)> {
        let of_one = |harness: Self| harness.facts().variables.iter().map(move |name| (harness, *name));
        Self::BY_VARIABLES.into_iter().flat_map(of_one)
    }

    pub(crate) const fn facts(self) -> &'static Facts {
        match self {
            Self::ClaudeCode => &claude_code::FACTS,
            Self::Codex => &codex::FACTS,
            Self::Gemini => &gemini::FACTS,
            Self::OpenCode => &opencode::FACTS,
        }
    }

    /// How it talks to its hooks.
    pub(crate) fn dialect(self) -> &'static dyn HookDialect {
        match self {
            Self::ClaudeCode => &claude_code::Hooks,
            Self::Codex => &codex::Hooks,
            Self::Gemini => &gemini::Hooks,
            Self::OpenCode => &opencode::Hooks,
        }
    }

    /// How Baton is installed in it.
    pub(crate) fn client(self) -> &'static dyn Client {
        match self {
            Self::ClaudeCode => &ClaudeCode,
            Self::Codex => &Codex,
            Self::Gemini => &Gemini,
            Self::OpenCode => &OpenCode,
        }
    }

    /// How its hooks are read back.
    pub(crate) fn inspector(self) -> &'static dyn HookInspector {
        match self {
            Self::ClaudeCode => &ClaudeCode,
            Self::Codex => &Codex,
            Self::Gemini => &Gemini,
            Self::OpenCode => &OpenCode,
        }
    }
}

impl fmt::Display for Harness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl Serialize for Harness {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.slug())
    }
}

/// A name that is no harness.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no harness named {name}")]
pub struct UnknownHarness {
    /// The name that was given.
    pub name: String,
}

impl FromStr for Harness {
    type Err = UnknownHarness;

    /// Takes the slug, or the name of the program.
    fn from_str(name: &str) -> Result<Self, UnknownHarness> {
        Self::ALL
            .into_iter()
            .find(|harness| harness.slug() == name || harness.program() == name)
            .ok_or_else(|| UnknownHarness { name: name.to_owned() })
    }
}
