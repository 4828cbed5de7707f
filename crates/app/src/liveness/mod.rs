//! Which process is this, and does it still run?
//!
//! A pid alone proves nothing: it is reused. A process is boot + pid namespace + pid + start ticks, and the inode
//! of its pidfd where the kernel numbers those uniquely. [`identify()`] takes these down, [`Probe`] compares them
//! later, from any process on the same machine.
//!
//! What must stay true: [`Gone`](baton_core::process::Liveness::Gone) is proof, because others act on it at once.
//! Whatever cannot be seen from here (another host, another pid namespace, a hidden `/proc`) is *unknown*, and
//! timeouts decide. Start at [`Probe`].

#[cfg(target_os = "linux")]
mod cache;
#[cfg(not(target_os = "linux"))]
mod elsewhere;
mod eyes;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod identify;
#[cfg(target_os = "linux")]
mod pidfd;
#[cfg(target_os = "linux")]
mod probe;
#[cfg(target_os = "linux")]
mod sighting;
#[cfg(target_os = "linux")]
mod stat;
#[cfg(test)]
mod tests;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{Probe, identify};
#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{is_here, this_host};
#[cfg(target_os = "linux")]
pub use {identify::identify, probe::Probe};

pub(crate) use eyes::Eyes;

#[cfg(target_os = "linux")]
pub(crate) use {
    host::{is_here, this_host},
    identify::{identify_as, seen},
};
