//! Using what a job changed: its patch is planned three-way onto a working tree, put into place as a whole or not at all, or
//! made a branch.
//!
//! A [`Repository`] is a working tree with a scratch index and scratch objects beside it. [`Repository::plan`] compares three
//! trees: the commit that the patch was made against, that commit with the patch, and the commit that the working tree is at.
//! Files that both sides changed are merged by `git merge-file`, which executes nothing. [`Plan::place`] then moves the
//! results into place, and a failure in the middle moves everything back.
//!
//! What must stay true: the user's index is never written; no symbolic link is followed; no filter, hook or merge driver runs;
//! files with changes that are not committed are not touched.

mod branch;
mod git;
mod kept;
mod place;
mod plan;
mod repository;
#[cfg(test)]
mod tests;

pub use branch::{Branch, BranchDraft};
pub use kept::KeptPatch;
pub(crate) use kept::find_patch;
pub use place::{Placed, Placing};
pub use plan::{Plan, PlannedFile};
pub use repository::Repository;
