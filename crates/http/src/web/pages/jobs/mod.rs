//! Jobs at a glance, of one room or of all: how many there are and what they need, the radar, and who does them.

mod counts;
mod filter;
mod page;
mod row;
mod runners;

pub(super) use counts::{badge, status_words};
pub(super) use page::{of_room, page};
pub(super) use row::{progress, requeue};
