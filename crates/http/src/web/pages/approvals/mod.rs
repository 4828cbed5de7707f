//! Requests for further agents: what waits for a decision, and what was decided.

mod decide;
mod page;

pub(super) use decide::decide;
pub(super) use page::page;
