//! Turns of agents: taking what lies in an inbox, and saying what became of it.
//!
//! A job's turn is told by whoever shows its claim, a member's by the member itself.

mod begin;
mod list;
mod reports;
mod speaker;
mod taken;

pub use begin::{Begin, BeginInput, BeginResult, End, EndInput};
pub(crate) use list::whose;
pub use list::{List, ListInput, ListResult, TurnResult, TurnView};
pub use reports::{Prompt, PromptInput, ToolInput, Tools, ToolsInput};
pub use taken::Taken;
pub(crate) use taken::taken;
