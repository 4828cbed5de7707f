//! A workspace's files at a moment, and what became different between two moments.
//!
//! A handoff records the tree ([`Record`]); the next holder is told what changed since without a turn ([`Drift`]). Looking
//! at files and asking git is the app's.

mod artifact;
mod drift;
mod file;
mod snapshot;

pub use artifact::MissingArtifact;
pub use drift::{Comparison, Drift, How};
pub use file::{FileState, Files};
pub use snapshot::{Record, Tree, fitting};
