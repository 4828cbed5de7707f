//! Systems without `/proc` and pidfds: nothing is claimed, so timeouts decide.

use std::os::fd::OwnedFd;

use baton_core::process::{Liveness, ProcessIdentity, Witness};

/// No process can be identified here.
pub fn identify(_pid: u32) -> Option<ProcessIdentity> {
    None
}

/// It cannot be told which machine this is.
pub(crate) fn this_host() -> Option<&'static str> {
    None
}

/// No process can be looked at here.
pub(crate) fn is_here(_process: &ProcessIdentity) -> bool {
    false
}

/// Knows nothing about any process.
#[derive(Debug, Default)]
pub struct Probe(());

impl Probe {
    /// A probe.
    pub fn new() -> Self {
        Self::default()
    }

    /// No process can be watched here.
    pub fn watch(&self, _process: &ProcessIdentity) -> Option<OwnedFd> {
        None
    }
}

impl Witness for Probe {
    fn liveness(&self, _process: &ProcessIdentity) -> Liveness {
        Liveness::Unknown
    }
}
