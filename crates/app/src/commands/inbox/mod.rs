//! Messages: sending them, and the one inbox that each agent has.

mod ack;
mod list;
mod read;
mod reference;
mod send;
mod sent;
mod tell;
mod view;

pub use ack::{Ack, AckInput, AckResult};
pub use list::{List, ListInput, ListResult};
pub use read::{Read, ReadInput, ReadResult};
pub use reference::MessageRef;
pub use send::{Send, SendInput, SendResult};
pub(crate) use sent::became_of;
pub use sent::{Sent, SentInput, SentResult, SentView};
pub use tell::{Tell, TellInput, TellResult};
pub(crate) use view::words;
pub use view::{DeliveryView, ItemView};
