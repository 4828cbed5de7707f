//! The table of docs/protocol.md, walked: every command is called in every role, and refused exactly where the table says
//! so. Limits within a command have a story each.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

mod attacks;
mod input;
mod scene;
mod secrets;
mod stories;
mod walk;
