//! A real headless Chromium, for the tests of the dashboard and for the README's view of it.
//!
//! [`Programs`] are what the machine has, [`Driver`] is a running chromedriver, and [`Browser`] a browser that it drives:
//! a window with a profile of its own, worked as a person works it. Everything here waits for its answer, since whoever
//! uses it plays a story step by step.
//!
//! What must stay true: nothing outlives the thread that started it. The driver is told to go with that thread, and a
//! browser that is driven over a pipe goes with its driver.

mod browser;
mod driver;
mod error;
mod keys;
mod programs;
mod wish;

pub use browser::Browser;
pub use driver::Driver;
pub use error::Error;
pub use keys::key;
pub use programs::Programs;
pub use wish::{Scheme, Scripts, Wish};
