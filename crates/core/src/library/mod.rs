//! The library: what is kept so that it can be pointed to.
//!
//! Cards hold findings, anchors are parts of the map that work belongs to, plans say in which order, and artifacts are files
//! that work left behind. Their texts are in the log, their places here, and a file's content is where it was kept; each has
//! a stable [`crate::reference::Reference`].

mod draft;
mod event;
mod reach;
mod refusal;
mod state;
#[cfg(test)]
mod tests;

pub use draft::{AnchorDraft, ArtifactDraft, CardDraft, PlanDraft};
pub use event::{AnchorSet, ArtifactDropped, ArtifactKept, CardCreated, CardPinned, Event, PatchOrigin, PlanCreated};
pub use reach::{Keepers, Pointers, Reach};
pub use refusal::Refusal;
pub use state::{Anchor, Artifact, ArtifactId, ArtifactKind, Card, CardId, CardKind, Plan, PlanId};
