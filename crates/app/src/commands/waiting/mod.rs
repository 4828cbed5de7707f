//! Waiting for others: until agents have answered, or jobs have ended.

mod fan_in;
mod reason;
mod record;

pub use fan_in::{Pending, Ready, WaitFor, WaitForInput, WaitForResult};
pub(crate) use {
    reason::{Reason, Sight, of_agent, of_job},
    record::in_progress,
};
