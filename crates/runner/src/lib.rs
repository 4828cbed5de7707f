//! Runs jobs: the only part of Baton that executes anything.
//!
//! - [`run`] is the loop: it claims jobs and starts a worker for each (`work.rs`), which plays slices (`slice.rs`) until the
//!   job is done with proof (`gate.rs`), or turns of a conversation on the bus (`converse/`). It also resumes sessions of agents
//!   that ended (`resumption.rs`). All that it says to Baton goes over one desk (`desk.rs`).
//! - [`config`] is what the user allows.
//! - [`executor`] knows the agent programs: how each is started, what its stream means, where its answer is.
//! - [`process`] runs a program as a child that ends with the runner, however the runner ends.
//! - [`workspace`] gives a job a working tree and tells what changed in it.
//!
//! What must stay true: what is executed comes from the user's own configuration, never from a job or a repository,
//! and nothing of it outlives the runner.

mod breaker;
mod circuit;
mod claim_deadline;
pub mod config;
mod converse;
mod desk;
mod dispatcher;
pub mod executor;
mod gate;
mod ground;
mod keeper;
mod kept_output;
mod lifeline;
mod place;
pub mod process;
pub mod prompt;
mod record;
mod resumption;
mod scratch;
mod settings;
mod slice;
mod slots;
mod spent;
mod teller;
mod told;
mod trouble;
mod turn;
mod work;
mod work_clock;
pub mod workspace;

pub use circuit::Backoff;
pub use dispatcher::{Summary, is_waited_for, run};
pub use settings::{Leave, LookAgain, SecretFile, Settings, StoreHint, Until};
pub use told::Told;
