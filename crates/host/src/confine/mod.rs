//! Runs a command that cannot write below some directories.
//!
//! Linux has Landlock for it, whose rules only allow: `plan.rs` turns "everything but these" into a list of places that
//! may be written, `mounts.rs` finds the other names under which a directory is mounted. Elsewhere there is no
//! confinement, and a command that needs it is refused rather than run without.

mod error;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(not(target_os = "linux"))]
mod portable;

pub use error::ConfineError;
#[cfg(target_os = "linux")]
pub use linux::{Confinement, availability};
#[cfg(not(target_os = "linux"))]
pub use portable::{Confinement, availability};

/// Whether commands can be confined on this machine.
pub fn is_available() -> bool {
    availability().is_ok()
}
