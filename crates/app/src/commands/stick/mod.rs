//! The stick: wait for it, keep it, hand it on, recover it.

mod cursor;
mod owner;
mod takeover;
mod wait;

pub use owner::{
    Heartbeat, HeartbeatInput, HeartbeatResult, Pass, PassInput, Release, ReleaseInput, ReleaseStickResult,
};
pub use takeover::{Takeover, TakeoverInput, TakeoverStickResult};
pub use wait::{Wait, WaitForTurnResult, WaitInput};
