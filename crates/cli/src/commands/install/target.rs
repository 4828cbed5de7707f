//! What Baton can be installed in, by the names that the command line takes.

use std::str::FromStr;

use baton_harness::{
    Harness,
    install::{InstallError, git_hook},
};

/// A harness, or git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A coding agent's program, for this user.
    Harness(Harness),
    /// The hook before commits, for one repository.
    GitHook,
}

impl Target {
    /// The name on the command line.
    pub(super) const fn slug(self) -> &'static str {
        match self {
            Self::Harness(harness) => harness.slug(),
            Self::GitHook => git_hook::SLUG,
        }
    }

    /// The name as people write it.
    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Harness(harness) => harness.title(),
            Self::GitHook => "Git hook",
        }
    }
}

impl FromStr for Target {
    type Err = InstallError;

    fn from_str(name: &str) -> Result<Self, InstallError> {
        if name == git_hook::SLUG { Ok(Self::GitHook) } else { Ok(Self::Harness(name.parse()?)) }
    }
}
