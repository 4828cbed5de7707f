//! Turns of agents: taking what lies in an inbox, and saying what became of it.
//!
//! A job's turn is told by whoever shows its claim, a member's by the member itself.

mod begin;
mod end;
mod list;
mod prompt;
mod speaker;
mod taken;
mod tools;
mod view;

pub use begin::{Begin, BeginInput, BeginResult};
pub use end::{End, EndInput};
pub(crate) use list::whose;
pub use list::{List, ListInput, ListResult};
pub use prompt::{Prompt, PromptInput};
pub use taken::Taken;
pub(crate) use taken::taken;
pub use tools::{ToolInput, Tools, ToolsInput};
pub use view::{TurnResult, TurnView};
