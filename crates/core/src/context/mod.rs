//! Context: what a room is for, and the packs in which that reaches an agent.
//!
//! The [`Brief`] says what all work in a room is for and what limits it. A [`ContextPack`] has that together with what an
//! agent needs to know of the repository, the documents, what it was sent and what others left behind. [`build`] makes one of
//! what somebody else has looked up, [`merge`] and [`append`] make one of others, and all of them stay within a [`Budget`].
//!
//! What must stay true: the same facts give the same bytes, and a pack says what there was no room for.

mod brief;
mod build;
mod diff;
mod event;
mod fit;
mod id;
mod merge;
mod pack;
mod state;
#[cfg(test)]
mod tests;
mod tidy;
mod tokens;

pub use brief::{Brief, BriefChange, InvalidBrief, Mode};
pub use build::{Sources, Told, build};
pub use diff::{Changed, FieldDiff, diff};
pub use event::{BriefSet, Event};
pub use fit::{Budget, InvalidBudget};
pub use id::PackId;
pub use merge::{Appended, append, merge, merge_all};
pub use pack::{ContextPack, Cut, DocRef, Input, PackArtifact, RelevantFile, Remark, RepoFacts};
pub use state::Stated;
pub use tokens::{tokens, tokens_in};
