//! What can be seen from here, and what other machines have told.

use baton_core::process::{Liveness, ProcessIdentity, Proof, Witness};
use baton_store::hosts::Testimony;

use super::Probe;

/// A witness for rooms whose members are on several machines.
#[derive(Debug)]
pub(crate) struct Eyes<'a> {
    probe: &'a Probe,
    told: Testimony,
}

impl<'a> Eyes<'a> {
    pub(crate) fn new(probe: &'a Probe, told: Testimony) -> Self {
        Self { probe, told }
    }

    /// What its machine has told about a process.
    pub(crate) fn was_told(&self, process: &ProcessIdentity) -> Option<Proof> {
        self.told.of(process)
    }
}

impl Witness for Eyes<'_> {
    fn liveness(&self, process: &ProcessIdentity) -> Liveness {
        match self.probe.liveness(process) {
            Liveness::Unknown => self.was_told(process).map_or(Liveness::Unknown, Liveness::Gone),
            seen => seen,
        }
    }
}
