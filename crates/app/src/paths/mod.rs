//! Where a call is about: canonical paths, the workspace a path belongs to, and what changed there.
//!
//! [`resolve`] says at which paths a room counts for a path and where a new one would be made; whether a room is
//! there is the store's to know. Repositories are found by reading `.git`, without running anything. What git alone
//! can tell is asked of it by [`draft_artifacts`], [`changed_paths`], [`staged_paths`] and [`hooks_directory`].
//!
//! What must stay true: two agents at two spellings of one directory, or in two worktrees of one repository, get
//! the same room.

mod canonical;
mod casing;
mod changed;
mod checkout;
mod draft;
pub(crate) mod git;
mod hooks;
mod hunks;
mod repository;
#[cfg(test)]
mod tests;
mod workspace;

pub use canonical::canonical;
pub(crate) use canonical::real;
pub use changed::{changed_paths, staged_paths};
pub use checkout::{checked_out, made_of};
pub use draft::draft_artifacts;
pub use hooks::{hooks_directory, repository_root};
pub use repository::{RepositoryPlaces, checkout_root, is_checkout, known_by, repository_places};
pub use workspace::{LastLink, Location, followed, in_main_worktree, resolve};
