//! Where a job works, and what it changed there.
//!
//! A job works in the user's own working tree, or in a [`Worktree`] of its own. What changed is the [`Diff`] between two
//! [`Snapshot`]s, untracked files included.
//!
//! What must stay true: the user's index, stash and object database are never written. A snapshot has an index and
//! objects of its own in a scratch directory. Nothing that the repository names is executed, filters included: content is
//! what is on disk, and a worktree begins with what is committed, which for a file of Git LFS is its pointer.

mod diff;
mod git;
mod snapshot;
#[cfg(test)]
mod tests;
mod worktree;

pub use diff::{Change, ChangedFile, DIFF_BYTES, Diff, PATCH_BYTES};
pub use git::GitError;
pub use snapshot::{LARGE_FILE_BYTES, Snapshot, Workspace};
pub use worktree::Worktree;
