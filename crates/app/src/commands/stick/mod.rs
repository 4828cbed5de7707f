//! The stick: wait for it, keep it, hand it on, recover it.

mod cursor;
mod heartbeat;
mod pass;
mod release;
mod takeover;
mod wait;

pub use heartbeat::{Heartbeat, HeartbeatInput, HeartbeatResult};
pub use pass::{Pass, PassInput};
pub use release::{Release, ReleaseInput, ReleaseStickResult};
pub use takeover::{Takeover, TakeoverInput, TakeoverStickResult};
pub use wait::{Wait, WaitForTurnResult, WaitInput};
