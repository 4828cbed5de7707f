//! A handoff from what a person or a script gives: flags, a file, standard input, an editor, or git.

mod args;
mod page;

pub(crate) use args::HandoffArgs;
pub(crate) use page::section;
