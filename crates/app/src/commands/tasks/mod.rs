//! Tasks: what there is to do, and who does it.

mod assign;
mod create;
mod done;
mod list;
mod show;
mod start;
mod view;

pub use assign::{Assign, AssignInput};
pub(crate) use create::scopes;
pub use create::{Create, CreateInput};
pub use done::{Done, DoneInput};
pub use list::{List, ListInput, ListResult};
pub use show::{Show, ShowInput};
pub use start::{Start, StartInput};
pub use view::{TaskResult, TaskView};
