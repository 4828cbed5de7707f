//! How a browser gets in: a one-time ticket, exchanged for a cookie.
//!
//! A ticket is made by whoever may write to the data directory, which is the owner ([`Tickets`]); it counts once and for two
//! minutes, so that it may be in an address. The cookie that it is exchanged for stays in the browser, and what is known of
//! it in this process ([`Sessions`]): a restart logs everybody out.

mod page;
mod sessions;
mod tickets;

pub(crate) use page::log_in;
pub(crate) use sessions::Sessions;
pub use tickets::{TICKET_TTL, Tickets};
