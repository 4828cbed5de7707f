//! Waiting for others: until agents have answered, or jobs have ended.

mod fan_in;
mod reason;

pub use fan_in::{Pending, Ready, WaitFor, WaitForInput, WaitForResult};
pub(crate) use reason::{Sight, of_agent};
