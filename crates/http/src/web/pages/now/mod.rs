//! Now: what needs a person, what is in their hands, and every room at a glance.

mod card;
mod hands;
mod page;
mod rooms;

pub(super) use page::page;
