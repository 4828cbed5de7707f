//! The room as a picture: who is there, what goes between them, and who waits for whom. The same is said in tables.
//!
//! [`layout`] says where boxes are and how lines run, from the agents alone, so that nothing jumps when an envelope is sent;
//! [`drawing`] draws it, with words where [`labels`] finds room, [`table`] and [`lists`] say it.

mod curve;
mod drawing;
mod labels;
mod layout;
mod lists;
mod page;
mod state;
mod table;

pub(super) use page::page;
pub(in crate::web) use state::{state_mark, state_words, stream_words};
