//! How a browser gets in: a one-time ticket, exchanged for a cookie.
//!
//! A ticket is made by whoever may write to the data directory, which is the owner ([`Tickets`]); it counts once and for two
//! minutes, so that it may be in an address, and says as whom it lets somebody in ([`Admitted`]). The cookie that it is
//! exchanged for stays in the browser, and its hash in the data directory ([`Sessions`]): a restart logs nobody out.

mod admitted;
mod page;
mod sessions;
mod tickets;

pub use admitted::Admitted;
pub(crate) use page::{log_in, log_out};
pub(crate) use sessions::{Login, SESSION_TTL, SESSIONS_MAX, Sessions, Standing};
pub(crate) use tickets::TICKETS_MAX;
pub use tickets::{TICKET_TTL, Tickets};
