//! What can be seen from here, and what other machines have told.

use std::cell::RefCell;

use baton_core::process::{Liveness, ProcessIdentity, Proof, Witness};
use baton_store::hosts::Testimony;

use super::Probe;

/// A witness for rooms whose members are on several machines.
#[derive(Debug)]
pub(crate) struct Eyes<'a> {
    probe: &'a Probe,
    told: Testimony,
    /// Processes that were looked at already. One look at a room asks about the same few again and again.
    seen: RefCell<Vec<(ProcessIdentity, Liveness)>>,
}

impl<'a> Eyes<'a> {
    pub(crate) fn new(probe: &'a Probe, told: Testimony) -> Self {
        Self { probe, told, seen: RefCell::default() }
    }

    /// What its machine has told about a process.
    pub(crate) fn was_told(&self, process: &ProcessIdentity) -> Option<Proof> {
        self.told.of(process)
    }
}

impl Witness for Eyes<'_> {
    fn liveness(&self, process: &ProcessIdentity) -> Liveness {
        let known = self
            .seen
            .borrow()
            .iter()
            .find(|(known, _)| known.pid == process.pid && known == process)
            .map(|(_, liveness)| liveness.clone());
        known.unwrap_or_else(|| {
            let liveness = match self.probe.liveness(process) {
                Liveness::Unknown => self.was_told(process).map_or(Liveness::Unknown, Liveness::Gone),
                seen => seen,
            };
            self.seen.borrow_mut().push((process.clone(), liveness.clone()));
            liveness
        })
    }
}
