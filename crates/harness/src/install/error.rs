//! Why Baton could not be installed or removed. The file in question is untouched in every case.

use std::{io, path::PathBuf};

use super::git_hook;
use crate::{Harness, UnknownHarness};

/// A failure to install, remove or look.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// There is no home directory to install into.
    #[error("HOME is not set, so there is no home directory to install into")]
    NoHome,
    /// The name is no harness.
    #[error(transparent)]
    UnknownHarness(#[from] UnknownHarness),
    /// The program cannot be named in a configuration.
    #[error("{path} cannot be registered: it is not an absolute path written in UTF-8")]
    UnusableCommand {
        /// The program.
        path: PathBuf,
    },
    /// The configuration has a mistake in it.
    #[error("{path}, line {line}, column {column}: {why}")]
    Unparsable {
        /// The file.
        path: PathBuf,
        /// The line, from one.
        line: usize,
        /// The column, from one.
        column: usize,
        /// What the parser said.
        why: String,
    },
    /// The configuration is not text.
    #[error("{path} is not UTF-8 text")]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// Something other than a table stands where the entry belongs.
    #[error("{path}: {key} is {found}, where {wanted} is needed")]
    WrongShape {
        /// The file.
        path: PathBuf,
        /// The key at fault.
        key: String,
        /// What is there.
        found: String,
        /// What should be there.
        wanted: &'static str,
    },
    /// Somebody else's server has our name.
    #[error("{path} has a server of another program under the name baton: {command}")]
    ForeignEntry {
        /// The file.
        path: PathBuf,
        /// The command or address that is registered there.
        command: String,
    },
    /// The configuration was changed by someone else, again and again.
    #[error("{path} changed while it was being edited")]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The edited text did not say what it should. A bug, caught before anything was written.
    #[error("the edit of {path} did not come out right")]
    BadEdit {
        /// The file.
        path: PathBuf,
    },
    /// A hook that lines of shell cannot be put into.
    #[error("{path} {why}")]
    ForeignHook {
        /// The hook.
        path: PathBuf,
        /// What it is.
        why: String,
        /// The lines it should have.
        lines: String,
    },
    /// A hook that is somewhere else, where others may use it too.
    #[error("{path} is a symbolic link to {target}")]
    LinkedHook {
        /// The hook.
        path: PathBuf,
        /// Where it points.
        target: PathBuf,
        /// The lines it should have; none if they should go.
        lines: Option<String>,
    },
    /// Our lines begin in a hook and do not end.
    #[error("{path}, line {line}: Baton's lines begin here and nothing ends them")]
    UnendedBlock {
        /// The hook.
        path: PathBuf,
        /// The line, from one.
        line: usize,
    },
    /// The operating system said no.
    #[error("could not {doing} {path}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl InstallError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NoHome => "no_home",
            Self::UnknownHarness(_) => "unknown_harness",
            Self::UnusableCommand { .. } => "unusable_command",
            Self::Unparsable { .. } => "config_unparsable",
            Self::NotText { .. } => "config_not_text",
            Self::WrongShape { .. } => "config_wrong_shape",
            Self::ForeignEntry { .. } => "config_foreign_entry",
            Self::Changed { .. } => "config_changed",
            Self::BadEdit { .. } => "config_bad_edit",
            Self::ForeignHook { .. } => "hook_not_shell",
            Self::LinkedHook { .. } => "hook_is_link",
            Self::UnendedBlock { .. } => "hook_block_unended",
            Self::Io { .. } => "config_io",
        }
    }

    /// What went wrong, with what the system said about it.
    pub fn message(&self) -> String {
        match self {
            Self::Io { source, .. } => format!("{self}: {source}"),
            _ => self.to_string(),
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::NoHome => "Set HOME and run it again.".to_owned(),
            Self::UnknownHarness(_) => {
                format!("Name one of {}, {}, or use --all.", Harness::ALL.map(Harness::slug).join(", "), git_hook::SLUG)
            }
            Self::UnusableCommand { .. } => "Move baton to a path that can be written as text.".to_owned(),
            Self::Unparsable { .. } => {
                "Correct that line and run it again; the file was not touched. --print shows the entry to add by hand."
                    .to_owned()
            }
            Self::NotText { .. } => "Save the file as UTF-8 and run it again; it was not touched.".to_owned(),
            Self::WrongShape { key, wanted, .. } => {
                format!("Make {key} {wanted} or remove it, and run it again; the file was not touched.")
            }
            Self::ForeignEntry { .. } => {
                "Give that server another name and run it again, or install everything but it with --without mcp; the file was \
                 not touched."
                    .to_owned()
            }
            Self::Changed { .. } => "Close the harness that is writing to it and run it again.".to_owned(),
            Self::BadEdit { .. } => {
                "The file was not touched. Add the entry that --print shows by hand, and report this.".to_owned()
            }
            Self::ForeignHook { lines, .. } => {
                format!("It was not touched. Have it do by hand what these lines of shell do:\n{lines}")
            }
            Self::LinkedHook { lines: Some(lines), .. } => {
                format!(
                    "It was not touched. Add these lines by hand, after the first line of what it points to:\n{lines}"
                )
            }
            Self::LinkedHook { lines: None, .. } => format!(
                "It was not touched. Take the lines from {} to {} out of what it points to.",
                git_hook::BEGIN,
                git_hook::END
            ),
            Self::UnendedBlock { .. } => format!(
                "It was not touched. Take Baton's lines out, or put {} after the last of them, and run it again.",
                git_hook::END
            ),
            Self::Io { .. } => "Check that the file and its directory are yours to read and write.".to_owned(),
        }
    }
}
