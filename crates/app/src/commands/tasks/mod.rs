//! Tasks: what there is to do, and who does it.

mod create;
mod list;
mod progress;
mod view;

pub(crate) use create::scopes;
pub use create::{Create, CreateInput};
pub use list::{List, ListInput, ListResult, Show, ShowInput};
pub use progress::{Assign, AssignInput, Done, DoneInput, Start, StartInput};
pub use view::{TaskResult, TaskView};
