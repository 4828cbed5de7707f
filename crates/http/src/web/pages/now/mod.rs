//! The first page: what needs you, what you hold, and every room at a glance.

mod card;
mod glance;
mod page;

pub(super) use page::page;
