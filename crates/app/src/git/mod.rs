//! Makes every `git` command that Baton runs, so that nothing a repository says is executed.
//!
//! A repository's configuration and attributes can name programs: hooks, a file-system monitor, filters, text
//! conversions, external diffs, merge drivers, pagers, editors, transports. [`command`] overrides each of them; those
//! that bear a name of the repository's choice are found by asking git for the names it knows ([`drivers`](self)), which
//! executes nothing. The program itself is looked for on `PATH` in absolute directories only, and its environment is
//! made anew. [`settings_for_agents`] is a part of this for programs that run git themselves.
//!
//! What must stay true: nothing else in the project starts git (a test looks), and whoever wants a filtered view of a
//! file does without: content is what is on disk, and files of Git LFS are checked out as the pointers that are
//! committed.

mod bounded;
mod command;
mod drivers;
#[cfg(test)]
mod tests;

pub(crate) use bounded::run_bounded;
pub(crate) use command::command_with;
pub use command::{Hooks, command};
pub use drivers::{filters, settings_for_agents};
