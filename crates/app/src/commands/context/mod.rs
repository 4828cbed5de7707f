//! What a room is for, and what its agents need to know.

mod append;
mod brief_edit;
mod brief_show;
mod build;
mod diff;
mod list;
mod merge;
mod view;

pub use append::{Append, AppendInput};
pub use brief_edit::{BriefEdit, BriefEditInput};
pub use brief_show::{BriefShow, BriefShowInput};
pub use build::{Build, BuildInput};
pub use diff::{Diff, DiffInput, DiffResult};
pub use list::{List, ListInput, ListResult};
pub use merge::{Merge, MergeInput};
pub use view::{BriefResult, PackResult, PackView};
