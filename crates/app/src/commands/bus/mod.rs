//! The bus: sessions, agents, ordered actions and their results, messages, relays, and the stream of it all.
//!
//! A session is a room. What is submitted lies in its target's inbox and is taken from there, by whoever is its runtime.

mod actions;
mod add;
mod await_results;
mod close;
mod history;
mod messages;
mod open;
mod relay;
mod remove;
mod rename;
mod result;
mod send;
mod session;
mod sessions;
mod submit;
mod take;
mod task;
mod task_done;
mod update;
mod view;

pub use actions::{Actions, ActionsInput, ActionsResult};
pub use add::{Add, AddInput, AddResult};
pub use await_results::{Await, AwaitInput, AwaitResult};
pub use close::{Close, CloseInput, CloseResult};
pub use history::{History, HistoryInput, HistoryResult};
pub use messages::{Messages, MessagesInput, MessagesResult};
pub use open::{Open, OpenInput, OpenResult};
pub use relay::{Outcome, Relay, RelayInput, RelayResult};
pub use remove::{Remove, RemoveInput, RemoveResult};
pub use rename::{Rename, RenameInput, RenameResult};
pub use result::{Result, ResultInput, ResultResult};
pub use send::{Send, SendInput, SendResult};
pub use session::{Get, GetInput, GetResult};
pub use sessions::{Sessions, SessionsInput, SessionsResult};
pub use submit::{ActionInput, ContextInput, Submit, SubmitInput, SubmitResult, SubmittedAction};
pub use take::{Take, TakeInput, TakeResult};
pub use task::{TaskInput, TaskResult, TaskUpdate};
pub use task_done::{TaskDone, TaskDoneInput};
pub use update::{Update, UpdateInput, UpdateResult};
pub use view::{ActionView, Agent, Delivery, Session, SessionStatus};

pub(crate) use submit::GONE;
pub(crate) use take::delivery;
