//! What the rows about jobs share: stores that are full of them, somebody who works on them, and the yardstick.

mod fate;
mod fill;
mod hand;
mod look;
mod raw;
mod stores;

pub(crate) use hand::{Hand, REPORT, SUMMARY, job_to_do};
pub(crate) use look::RawLook;
pub(crate) use raw::RawJobs;
pub(crate) use stores::{Filled, Stores};
