//! Scopes: paths that one agent has reserved for a while, so that nobody else works there.
//!
//! [`ScopePath`] is what a path is and how two of them relate, by components. [`Scopes`] are a room's reservations:
//! they are decided on here, folded from the log, and each is the one lease (holder, fence, expiry) of [`crate::lease`].
//! A collision is an answer and an event: whoever is refused leaves an incursion in the log.

mod anchor;
mod decide;
mod edit;
mod event;
mod guard;
mod outside;
mod overlap;
mod path;
mod refusal;
mod reservation;
#[cfg(test)]
mod tests;

pub use anchor::{Casing, Conventions, PathStyle};
pub use decide::{Came, Collision, Reserve, Strictness, Takeover, View};
pub use edit::EditRight;
pub use event::{Displaced, Event, Expired, Incursion, Released, Reserved, Transferred};
pub use guard::{Intent, Taking, Verdict, Watch, is_alone};
pub use outside::Edited;
pub use overlap::Overlap;
pub use path::{InvalidScope, ScopePath};
pub use refusal::{Met, Refusal};
pub use reservation::{End, Ended, Reservation, Scopes};
