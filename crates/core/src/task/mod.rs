//! Tasks: what there is to do, and who does it.
//!
//! A task is open, in progress or done. Its assignee is an agent, and only the assignee moves it on, so that "in
//! progress" says who is at it: adoption leans on that.

mod decide;
mod event;
mod refusal;
mod state;
#[cfg(test)]
mod tests;

pub use decide::Drafted;
pub use event::{Assigned, Created, Done, Event, Focused, Started};
pub use refusal::Refusal;
pub use state::{Focus, State, Task, TaskId};
