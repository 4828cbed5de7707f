//! One agent: whether it is there, all that went in and came out of it, and a word to it.
//!
//! Without a `tab` every part is shown by its newest entries; with one, that part alone and further back. Looking delivers
//! nothing.

mod files;
mod handoffs;
mod header;
mod inbox;
mod page;
mod prompts;
mod tools;
mod usage;
mod view;

pub(super) use page::page;
