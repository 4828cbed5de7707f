//! Messages between agents, and the one inbox that each of them has.
//!
//! A message is one event with one or more recipients; each recipient has an item of its own, which climbs one ladder:
//! `queued → delivered → seen → accepted`. Only the recipient moves it. The text stays in the log; an item only points
//! there.

mod decide;
mod draft;
mod event;
mod item;
mod mail;
mod refusal;
#[cfg(test)]
mod tests;

pub use decide::{Address, Message};
pub use draft::{Draft, Manner, Payload, Urgency};
pub use event::{Accepted, Delivered, Event, Forwarded, Recipient, Seen, Sent, Told};
pub(crate) use item::Letter;
pub use item::{Item, Stage};
pub use mail::{Category, Content, Mail};
pub use refusal::Refusal;
