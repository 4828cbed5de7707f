//! Many clients at once, some over the socket and some over HTTP, of one server that has both. (That one client hears the
//! same on each is `tests/http/equivalence.rs`.)
//!
//! Everything goes through the typed client, over real connections to one server that has both.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

mod keys;
mod order;
mod world;
