//! What a room is for, and what its agents need to know.

mod append;
mod brief;
mod packs;
mod view;

pub use append::{Append, AppendInput};
pub use brief::{BriefEdit, BriefEditInput, BriefShow, BriefShowInput};
pub use packs::{Build, BuildInput, Diff, DiffInput, DiffResult, List, ListInput, ListResult, Merge, MergeInput};
pub use view::{BriefResult, PackResult, PackView};
