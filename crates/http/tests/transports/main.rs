//! The socket and HTTP are two faces of one protocol: what is played over one is played over the other, with the same
//! answers and the same events; and what is true of one is true of both at once.
//!
//! Everything goes through the typed client, over real connections to one server that has both.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

mod keys;
mod order;
mod script;
mod world;
