//! Turns: what an agent consumes, what becomes of it, and that nothing is lost or consumed twice.
//!
//! `consuming` has what a turn takes and what its end does, `losing` what becomes of it when whoever ran it is gone.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

mod consuming;
mod losing;
mod scene;
