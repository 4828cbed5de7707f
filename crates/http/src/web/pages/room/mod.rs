//! One room: who holds its stick and by what evidence, who is in it, what was handed over, what happened, and all that a
//! person can do about it.
//!
//! Each part of the page is a file that makes one region. What several of them show is looked up once ([`sight`]).

mod brief;
mod closing;
mod events;
mod holder;
mod members;
mod messages;
mod notes;
mod page;
mod policy;
mod scopes;
mod sight;
mod tasks;
mod timeline;
mod tree;
mod turns;

pub(super) use page::page;
pub(super) use policy::wake_words;
pub(super) use sight::Sight;
