//! The bus on a real store and a real socket.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

mod hub;
mod world;
