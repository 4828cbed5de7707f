//! The real programs that agents run in, as `cargo xtask test` installs them, and how tests start them.
//!
//! [`ClientHome`] points them at a model by environment and home alone, so that Baton can start them too. [`Launch`]
//! starts one for the test: with a prompt and no screen ([`Headless`]), or in its screen ([`Screen`]).

mod client;
mod headless;
mod home;
mod launch;
mod processes;
mod screen;
mod settings;

pub use client::{Client, Clients, left_out};
pub use headless::{Ended, Headless};
pub use home::ClientHome;
pub use launch::Launch;
pub use screen::Screen;
