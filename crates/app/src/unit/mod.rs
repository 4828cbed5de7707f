//! A unit of work: a room and the rows of its parts, changed by events in one transaction.

mod change;
mod parts;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use change::{Change, Outcome, storable};
pub(crate) use parts::RoomStore;
pub(crate) use verify::{Fold, Whole};
