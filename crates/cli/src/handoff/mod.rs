//! A handoff from what a person or a script gives: flags, a file, standard input, an editor, or git.

mod args;
mod editor;
mod page;

pub(crate) use args::HandoffArgs;
