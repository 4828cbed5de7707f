//! Reading of tool calls: the files that a patch or a shell command would write.
//!
//! Guards ask before a tool runs, so everything here works on the text alone: no file is looked at, no variable is expanded. [`patch_targets`]
//! names the files of a patch, [`read_shell`] tells reading commands from writing ones.
//!
//! What must stay true: a command that may write is never called reading. Commands that cannot be understood are unknown.

mod patch;
mod shell;
#[cfg(test)]
mod tests;

pub use patch::patch_targets;
pub use shell::{ShellEffect, ShellReading, read_shell};
