//! The user's own configuration: the only place that says what may be executed.
//!
//! It is one TOML file in the user's configuration directory. It is never read from a job or a repository, and not at
//! all when somebody else could have written it. Every key is known or an error, so that a typing error is not a
//! setting that silently does nothing.
//!
//! ```toml
//! [runner]
//! max_parallel = 2
//!
//! [executors.codex]
//! models = { fast = "small", deep = { model = "big", effort = "high" } }
//!
//! [executors.command]
//! argv = ["my-agent", "--headless"]
//! profiles = ["fast"]
//! ```
//!
//! An executor that is not named is not used. Start at [`Config::load`].

mod error;
mod load;
mod model;
mod reader;
#[cfg(test)]
mod tests;

pub use error::{ConfigError, Fault};
pub use load::Whereabouts;
pub use model::{Config, Executors, RunnerSettings};
