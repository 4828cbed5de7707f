//! Jobs, the runners that do them and the library they leave behind: every row and every event is read back as it was
//! written, and every question has the same answer, on every engine.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

mod events;
mod library;
mod listings;
mod queue;
mod radar;
mod references;
mod rows;
mod runners;
mod search;
mod support;
mod thread;
