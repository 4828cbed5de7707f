//! Beads in progress, as the `bd` command tells them.
//!
//! Beads are the tasks of another program, which keeps them in a workspace's `.beads` folder in a way of its own.
//! Baton asks that program and never opens the folder: not to read, for its format changes, and not to write, for it
//! is not ours. `bd` is asked to only read, gets a deadline, and must be found on an absolute directory of PATH, so
//! that no workspace brings its own. Start at [`in_progress`].

mod ask;
mod read;
#[cfg(test)]
mod tests;

use std::{path::Path, time::Duration};

use crate::environment::Environment;

/// Enough for `bd` to start its database, and little enough for someone who waits.
const DEADLINE: Duration = Duration::from_secs(10);

/// What is known of a workspace's beads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beads {
    /// The workspace has no `.beads` folder.
    None,
    /// It has one, but `bd` could not be asked or did not answer.
    Unknown {
        /// Why, in one line.
        why: String,
    },
    /// Those that are in progress, as `bd` orders them.
    InProgress(Vec<Bead>),
}

/// A bead in progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bead {
    /// Its id, such as `bb-u6f.6.3`.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// Who works on it, in whatever words they were entered.
    pub assignee: Option<String>,
}

/// The beads of the workspace at `root` that are in progress.
pub fn in_progress(root: &Path, environment: &Environment) -> Beads {
    in_progress_within(DEADLINE, root, environment)
}

fn in_progress_within(deadline: Duration, root: &Path, environment: &Environment) -> Beads {
    if !root.join(".beads").is_dir() {
        return Beads::None;
    }
    match ask::list(root, environment, deadline).and_then(|printed| read::in_progress(&printed)) {
        Ok(beads) => Beads::InProgress(beads),
        Err(why) => Beads::Unknown { why },
    }
}
