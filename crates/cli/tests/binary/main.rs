//! Tests of the real `baton` program: real processes on real stores, killed, stopped and let loose together.
//!
//! What can be tested lower is tested lower; here is what only whole processes can show. Every test has a store,
//! a workspace and a home of its own ([`support::World`]), and waits for events, never for time to pass.

mod agents;
mod agents_at_work;
mod answers;
mod autostart;
mod bad_input;
mod bad_store;
mod bus;
mod callers;
mod clocks;
mod confine;
mod consuming;
mod contention;
mod context;
mod crash;
mod demo;
mod doctor;
mod employment;
mod envelopes;
mod exclusion;
mod following;
mod git_hook;
mod handoffs;
mod harnesses;
mod help;
mod hold;
mod hook;
mod install;
mod job_results;
mod jobs;
mod library;
mod machines;
mod messages;
mod minder;
mod postgres_contention;
mod presence;
mod protocol;
mod radar;
mod recipe;
mod recovery;
mod running;
mod scopes;
mod server_kill;
mod soak;
mod spawning;
mod start;
mod store;
mod stories;
mod support;
mod tasks;
mod turns;
mod up;
mod waiting;

/// Another process of a test, which plays a part in it.
#[test]
#[ignore = "a part that other tests have played by a process of their own"]
fn the_other_process() {
    if let Some(role) = baton_testkit::Role::mine() {
        presence::runtime(&role);
    }
}
