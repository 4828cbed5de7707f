//! The parts of an installation, and the choices among them.

use std::str::FromStr;

use serde::Serialize;

use super::git_hook;

/// A part that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The entry of the MCP server.
    Mcp,
    /// The skill.
    Skill,
    /// The hooks, and the plugin that carries them.
    Hooks,
    /// The slash commands.
    Commands,
    /// Waking an idle session.
    Wake,
    /// The hook before commits, for a repository only.
    GitHook,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 6] = [Self::Mcp, Self::Skill, Self::Hooks, Self::Commands, Self::Wake, Self::GitHook];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Skill => "skill",
            Self::Hooks => "hooks",
            Self::Commands => "commands",
            Self::Wake => "wake",
            Self::GitHook => git_hook::SLUG,
        }
    }
}

/// A way to wake an idle session that must be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Claude Code: a hook that waits after each turn, instead of the session's inbox.
    StopHook,
    /// Gemini CLI: a hook that waits after each turn, with the screen busy.
    Park,
    /// Gemini CLI: the settings with which the end of a background command reaches the model.
    Steer,
}

impl Wake {
    /// Every way.
    pub const ALL: [Self; 3] = [Self::StopHook, Self::Park, Self::Steer];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::StopHook => "stop-hook",
            Self::Park => "park",
            Self::Steer => "steer",
        }
    }
}

/// A name that is none of those that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is none of {choices}")]
pub struct UnknownChoice {
    name: String,
    choices: String,
}

fn choose<T: Copy>(name: &str, all: &[T], name_of: fn(T) -> &'static str) -> Result<T, UnknownChoice> {
    all.iter().copied().find(|choice| name_of(*choice) == name).ok_or_else(|| UnknownChoice {
        name: name.to_owned(),
        choices: all.iter().map(|choice| name_of(*choice)).collect::<Vec<_>>().join(", "),
    })
}

impl FromStr for Part {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        choose(name, &Self::ALL, Self::name)
    }
}

impl FromStr for Wake {
    type Err = UnknownChoice;

    fn from_str(name: &str) -> Result<Self, UnknownChoice> {
        choose(name, &Self::ALL, Self::name)
    }
}

/// The parts that are wanted, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    /// Parts that are left as they are.
    pub without: Vec<Part>,
    /// A way of waking that must be asked for.
    pub wake: Option<Wake>,
    /// Whether a tool that writes is refused where Baton cannot be run.
    pub strict: bool,
    /// Whether shell commands are confined also where a person approves them.
    pub confine: bool,
    /// Whether Claude Code's status line shows the room.
    pub status_line: bool,
    /// Whether Codex is told to trust the hooks.
    pub trust_hooks: bool,
}

impl Package {
    /// Whether a part is wanted.
    pub fn has(&self, part: Part) -> bool {
        !self.without.contains(&part)
    }

    /// The options of `baton install` that ask for this package again, each with a blank before it. The trust is given
    /// once and stays.
    pub fn options(&self) -> String {
        let without = self.without.iter().map(|part| format!(" --without {}", part.name()));
        without.collect::<String>() + &self.hook_options()
    }

    /// Those options that the text of hooks shows.
    pub(crate) fn hook_options(&self) -> String {
        let wake = self.wake.map_or_else(String::new, |wake| format!(" --wake {}", wake.name()));
        let flags = [(" --strict", self.strict), (" --confine", self.confine), (" --status-line", self.status_line)];
        wake + &flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag).collect::<String>()
    }
}
