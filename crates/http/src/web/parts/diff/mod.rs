//! A unified diff on a page: what changed, file by file, with its colours and its signs.
//!
//! [`read`] takes git's text apart, whatever is in it; [`show`] shows it within bounds, and says what it left out.

mod read;
mod show;

pub(in crate::web) use show::{Extent, diff};
