//! The library: what is kept so that it can be pointed to, and the task that somebody has turned to.
//!
//! Nobody needs to be a member of the room to keep something: whoever works on a job leaves its findings here.

mod anchors;
mod artifacts;
mod cards;
mod focus;
mod macros;
mod plans;
mod search;
mod snapshot;
mod view;

pub use anchors::{AnchorList, AnchorListInput, AnchorListResult, AnchorResult, AnchorSet, AnchorSetInput};
pub use artifacts::{
    ArtifactGc, ArtifactGcInput, ArtifactGcResult, ArtifactKeep, ArtifactKeepInput, ArtifactKeepResult, ArtifactList,
    ArtifactListInput, ArtifactListResult, GivenUp,
};
pub use cards::{CardCreate, CardCreateInput, CardList, CardListInput, CardListResult, CardPin, CardPinInput};
pub use focus::{Focus, FocusInput, FocusResult};
pub use macros::{MacroStart, MacroStartInput, MergeReport, MergeReportInput, MergeReportResult};
pub use plans::{PlanCreate, PlanCreateInput, PlanList, PlanListInput, PlanListResult, PlanResult};
pub use search::{Hit, Search, SearchInput, SearchResult};
pub use snapshot::{Snapshot, SnapshotFields, SnapshotInput, SnapshotResult};
pub use view::{AnchorView, ArtifactView, CardResult, CardView, PlanView};
