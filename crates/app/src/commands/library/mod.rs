//! The library: what is kept so that it can be pointed to, and the task that somebody has turned to.
//!
//! Nobody needs to be a member of the room to keep something: whoever works on a job leaves its findings here.

mod anchor_list;
mod anchor_set;
mod artifact_gc;
mod artifact_keep;
mod artifact_list;
mod card_create;
mod card_list;
mod card_pin;
mod focus;
mod macro_start;
mod merge_report;
mod plan_create;
mod plan_list;
mod search;
mod snapshot;
mod view;

pub use anchor_list::{AnchorList, AnchorListInput, AnchorListResult};
pub use anchor_set::{AnchorResult, AnchorSet, AnchorSetInput};
pub use artifact_gc::{ArtifactGc, ArtifactGcInput, ArtifactGcResult, GivenUp};
pub use artifact_keep::{ArtifactKeep, ArtifactKeepInput, ArtifactKeepResult};
pub use artifact_list::{ArtifactList, ArtifactListInput, ArtifactListResult};
pub use card_create::{CardCreate, CardCreateInput};
pub use card_list::{CardList, CardListInput, CardListResult};
pub use card_pin::{CardPin, CardPinInput};
pub use focus::{Focus, FocusInput, FocusResult};
pub use macro_start::{MacroStart, MacroStartInput};
pub use merge_report::{MergeReport, MergeReportInput, MergeReportResult};
pub use plan_create::{PlanCreate, PlanCreateInput, PlanResult};
pub use plan_list::{PlanList, PlanListInput, PlanListResult};
pub use search::{Hit, Search, SearchInput, SearchResult};
pub use snapshot::{Snapshot, SnapshotFields, SnapshotInput, SnapshotResult};
pub use view::{AnchorView, ArtifactView, CardResult, CardView, PlanView};
