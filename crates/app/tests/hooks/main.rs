//! The answers to hooks: which edits are stopped, what a session is told, and when it is woken.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

mod guard;
mod missed_turns;
mod scene;
mod sessions;
mod waking;
