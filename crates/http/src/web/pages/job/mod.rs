//! One job: what it is, its thread with a reply box, its slices, what it asks, what it changed, what it prints and proves.

mod facts;
mod left;
mod log;
mod page;
mod proof;
mod slices;
mod thread;

pub(super) use page::page;
