//! Messages: sending them, and the one inbox that each agent has.

mod list;
mod read;
mod reference;
mod send;
mod sent;
mod view;

pub use list::{List, ListInput, ListResult};
pub use read::{Ack, AckInput, AckResult, Read, ReadInput, ReadResult};
pub use reference::MessageRef;
pub use send::{Send, SendInput, SendResult, Tell, TellInput, TellResult};
pub(crate) use sent::became_of;
pub use sent::{Sent, SentInput, SentResult, SentView};
pub(crate) use view::words;
pub use view::{DeliveryView, ItemView};
