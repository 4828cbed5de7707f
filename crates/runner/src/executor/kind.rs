//! The programs that can be driven, and how the user set them up.

use std::path::PathBuf;

use baton_app::{environment::Environment, programs::is_program};

use super::{Plan, Profiles, Reading, Slice, VariableName, Variables, claude, codex, command};

use baton_core::job::Shell;
use baton_harness::Harness;

pub use baton_core::job::Executor as ExecutorKind;

/// The program's own name, by which it is found on PATH. A command line names its program itself.
pub(super) const fn program(kind: ExecutorKind) -> Option<&'static str> {
    match kind {
        ExecutorKind::ClaudeCode => Some("claude"),
        ExecutorKind::Codex => Some("codex"),
        ExecutorKind::Command => None,
    }
}

/// The variables that say where the program is; the first that is set counts. The second is the job contract's.
pub(super) const fn variables(kind: ExecutorKind) -> &'static [&'static str] {
    match kind {
        ExecutorKind::ClaudeCode => &["BATON_CLAUDE_BIN", "BM_CLAUDE_BIN"],
        ExecutorKind::Codex => &["BATON_CODEX_BIN", "BM_CODEX_BIN"],
        ExecutorKind::Command => &[],
    }
}

/// The harness that a program is to Baton's hooks, whose sessions it can resume. A command line has none.
pub(crate) const fn harness(kind: ExecutorKind) -> Option<Harness> {
    match kind {
        ExecutorKind::ClaudeCode => Some(Harness::ClaudeCode),
        ExecutorKind::Codex => Some(Harness::Codex),
        ExecutorKind::Command => None,
    }
}

/// How the user set up an agent program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agent {
    /// Where it is. On PATH if it is not said.
    pub bin: Option<PathBuf>,
    /// More arguments for it.
    pub args: Vec<String>,
    /// The profiles it takes jobs for.
    pub profiles: Profiles,
    /// Whether it may run shell commands outside of a sandbox. Codex has a sandbox of its own and is not asked.
    pub allow_bash: bool,
    /// Variables of the runner's that it gets besides those it needs.
    pub env: Vec<VariableName>,
}

/// A command line of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The profiles it takes jobs for.
    pub profiles: Profiles,
    /// Variables of the runner's that it gets besides those it needs.
    pub env: Vec<VariableName>,
}

/// A program that was found, ready to be driven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executor {
    /// Codex, at this path.
    Codex(PathBuf, Agent),
    /// Claude Code, at this path.
    ClaudeCode(PathBuf, Agent),
    /// A command line, with the path of its program.
    Command(PathBuf, CommandLine),
}

impl Executor {
    /// Which program it is.
    pub const fn kind(&self) -> ExecutorKind {
        match self {
            Self::Codex(..) => ExecutorKind::Codex,
            Self::ClaudeCode(..) => ExecutorKind::ClaudeCode,
            Self::Command(..) => ExecutorKind::Command,
        }
    }

    /// Whether its program is there and can be executed.
    pub fn is_there(&self) -> bool {
        let (Self::Codex(bin, _) | Self::ClaudeCode(bin, _) | Self::Command(bin, _)) = self;
        is_program(bin)
    }

    /// Whether it can shorten a conversation of its own, which then goes on.
    pub const fn can_compact(&self) -> bool {
        matches!(self, Self::ClaudeCode(..))
    }

    /// Whether what it tells that it took is for all of a conversation, and not only for the slice.
    pub const fn counts_conversations(&self) -> bool {
        matches!(self, Self::Codex(..))
    }

    /// Whether it can run commands, in a job that may change files or one that only looks.
    pub const fn shell(&self, read_only: bool) -> Shell {
        match self {
            Self::ClaudeCode(_, agent) if read_only || !agent.allow_bash => Shell::Absent,
            Self::Codex(..) | Self::ClaudeCode(..) | Self::Command(..) => Shell::Available,
        }
    }

    /// The profiles it takes jobs for.
    pub const fn profiles(&self) -> &Profiles {
        match self {
            Self::Codex(_, agent) | Self::ClaudeCode(_, agent) => &agent.profiles,
            Self::Command(_, line) => &line.profiles,
        }
    }

    /// The variables of the runner's that it gets, with those that are `named` for every program.
    pub fn inherited(&self, environment: &Environment, named: &[VariableName]) -> Variables {
        let own = match self {
            Self::Codex(_, agent) | Self::ClaudeCode(_, agent) => &agent.env,
            Self::Command(_, line) => &line.env,
        };
        Variables::inherited(environment, self.kind(), named.iter().chain(own))
    }

    /// How it is started for a slice.
    pub fn plan(&self, slice: &Slice) -> Plan {
        match self {
            Self::Codex(bin, agent) => codex::plan(bin, agent, slice),
            Self::ClaudeCode(bin, agent) => claude::plan(bin, agent, slice),
            Self::Command(bin, line) => command::plan(bin, line, slice),
        }
    }

    /// How what it prints in a slice is read.
    pub fn reading(&self, slice: &Slice) -> Box<dyn Reading> {
        match self {
            Self::Codex(..) => Box::new(codex::Stream::new(slice)),
            Self::ClaudeCode(..) => Box::new(claude::Stream::new(slice)),
            Self::Command(..) => Box::new(command::Stream::new(slice)),
        }
    }
}
