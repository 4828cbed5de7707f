//! Files that work leaves behind: prompts, logs, transcripts, diffs, reports.
//!
//! The room's log has what a file is called, where it is and the hash of its content; the content itself is in the data
//! directory of the machine that kept it, named by that hash. So a file is never half there under its name, keeping the same
//! content twice costs nothing, and what was changed behind Baton's back is noticed. Secrets are taken out on the way in.
//! What nothing leads to any more can be given up ([`App::collect_artifacts`](crate::App::collect_artifacts)).

mod carry;
mod collect;
mod content;
mod files;
mod keep;
mod show;
mod tail;

pub(crate) use carry::carry;
pub use carry::{Carried, Missing};
pub use collect::{Collected, Collecting, Dropped};
pub(crate) use content::Content;
pub use keep::{Keeping, Proof};
pub(crate) use keep::{leading, shelf};
pub use show::Shown;
pub(crate) use show::Whole;
pub use tail::Tail;
