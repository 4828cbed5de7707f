//! Hooks as they stand in the files of a program: the command that runs, whether somebody changed it, and whether the
//! program lets it run.
//!
//! [`inspect`] reads one level, the user's or a repository's. Each program's `inspect.rs` says where its hooks are and what
//! keeps them from running; [`InstalledHooks`] has the answer. Nothing is run and nothing written here.
//!
//! Invariant: files of a repository are anybody's. They are read within a bound, and a command from there is only
//! ever shown to the caller as intact if it is, to the byte, the one that `baton install --project` writes.

mod files;
mod guard;
mod inspector;
mod installed;
#[cfg(test)]
mod tests;
mod workspace;

pub use guard::{GuardCommand, HookShell, Invocation};
pub use installed::{InstalledHooks, Integrity, hook_words, inspect};
pub use workspace::{Consent, OffSwitch, Workspace};

pub(crate) use files::{read_json, read_toml};
pub(crate) use guard::{find_guard, guard_of_words, has_groups};
pub(crate) use inspector::HookInspector;
