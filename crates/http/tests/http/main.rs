//! Tests of the real server on a real port, over connections that say exactly what a test wants them to.
//!
//! What can be tested lower is tested lower. Every test has a store and a server of its own ([`support::World`]) and waits for
//! events, never for time to pass.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

mod encryption;
mod ending;
mod equivalence;
mod gate;
mod limits;
mod login;
mod pages_agents;
mod pages_jobs;
mod pages_now;
mod pages_room;
mod presence;
mod revoking;
mod routes;
mod speaking;
mod streams;
mod support;
