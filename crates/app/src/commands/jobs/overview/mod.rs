//! All jobs at a glance, in one room or in all.

mod command;
mod find;
mod view;

pub use command::{Order, Overview, OverviewInput, OverviewResult};
pub use view::{OverviewCounts, OverviewDiag, OverviewJob, OverviewRoom, OverviewRunner};
