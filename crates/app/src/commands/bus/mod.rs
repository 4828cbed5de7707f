//! The bus: sessions, agents, ordered actions and their results, messages, relays, and the stream of it all.
//!
//! A session is a room. What is submitted lies in its target's inbox and is taken from there, by whoever is its runtime.

mod actions;
mod agents;
mod history;
mod messages;
mod relay;
mod result;
mod sessions;
mod submit;
mod take;
mod task;
mod view;

pub use actions::{Actions, ActionsInput, ActionsResult, Await, AwaitInput, AwaitResult};
pub use agents::{Add, AddInput, AddResult, Remove, RemoveInput, RemoveResult, Update, UpdateInput, UpdateResult};
pub use history::{History, HistoryInput, HistoryResult};
pub use messages::{Messages, MessagesInput, MessagesResult, Send, SendInput, SendResult};
pub use relay::{Outcome, Relay, RelayInput, RelayResult};
pub use result::{Result, ResultInput, ResultResult};
pub use sessions::{
    Close, CloseInput, CloseResult, Get, GetInput, GetResult, Open, OpenInput, OpenResult, Rename, RenameInput,
    RenameResult, Sessions, SessionsInput, SessionsResult,
};
pub(crate) use submit::GONE;
pub use submit::{ActionInput, ContextInput, Submit, SubmitInput, SubmitResult, SubmittedAction};
pub(crate) use take::delivery;
pub use take::{Take, TakeInput, TakeResult};
pub use task::{TaskDone, TaskDoneInput, TaskInput, TaskResult, TaskUpdate};
pub use view::{ActionView, Agent, Delivery, Session, SessionStatus};
