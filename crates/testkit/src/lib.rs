//! What tests share, so that a test reads like a story.
//!
//! - [`on_every_backend`] runs a story once per engine, on a [`TestApp`]: a real store in a directory of its own,
//!   a [`ManualClock`] that only the test moves, and [`SequentialIds`].
//! - [`Agent`] is someone in the story. It calls commands through the table, as every surface does, and may have a
//!   real process ([`Sleeper`]) behind it that can be stopped and killed.
//! - [`Scribe`] writes rooms and events straight to a store, for tests below the service.
//! - [`rows`] puts rows of a store's tables on every engine, and reads them back.
//! - [`Other`] is another process of the same test binary, for what only processes can show.
//! - [`script()`] makes a program up; [`git_for_tests`] is git as a test uses it.
//! - [`model`] is a model service that plays a script, for the real [`Client`]s, `claude`, `codex`, `gemini` and
//!   `opencode`, each of which finds it by the [`ClientHome`] it is started with. [`Launch`] starts one, without a
//!   screen ([`Headless`]) or in it ([`Screen`]).
//! - [`Proxy`] is a network between a store and its server that breaks where a test says.
//!
//! What must stay true: nothing here sleeps, but for [`Screen`], which looks at a terminal again and again; nothing reads
//! the real clock or touches anything outside its own directory.
#![expect(clippy::unwrap_used, reason = "this crate is part of tests, where a failed step ends the test")]

mod agent;
mod app;
mod backend;
pub mod clients;
mod clock;
mod handoffs;
mod ids;
mod jobs;
pub mod model;
mod other;
mod proxy;
pub mod rows;
mod scribe;
mod script;
mod sleeper;
mod workspace;

pub use agent::{Agent, Turn};
pub use app::TestApp;
pub use backend::{Backend, Place, on_every_backend, on_every_place, open_in};
pub use clients::{Client, ClientHome, Clients, Ended, Headless, Launch, Screen};
pub use clock::ManualClock;
pub use handoffs::handoff;
pub use ids::SequentialIds;
pub use jobs::{assignment, job_agent};
pub use other::{Other, Role};
pub use proxy::{Fault, Proxy};
pub use scribe::Scribe;
pub use script::script;
pub use sleeper::Sleeper;
pub use workspace::{Workspace, git_for_tests};
