//! The harnesses Baton can be installed in.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

use super::{InstallError, claude_code::ClaudeCode, client::Client, codex::Codex, gemini::Gemini, opencode::OpenCode};

/// A coding agent's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Harness {
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
    pub(crate) const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode];

    /// The name on the command line.
    pub(crate) const fn slug(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// The name as people write it.
    pub(crate) const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::OpenCode => "OpenCode",
        }
    }

    /// The program that is looked for on the path.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// What is particular to it.
    pub(super) fn client(self) -> &'static dyn Client {
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

impl FromStr for Harness {
    type Err = InstallError;

    /// Takes the slug, or the name of the program.
    fn from_str(name: &str) -> Result<Self, InstallError> {
        Self::ALL
            .into_iter()
            .find(|harness| harness.slug() == name || harness.program() == name)
            .ok_or_else(|| InstallError::UnknownHarness { name: name.to_owned() })
    }
}
