//! The witness that the rules ask whether an owner still runs.

use std::{
    os::fd::OwnedFd,
    sync::{Mutex, PoisonError},
};

use baton_core::process::{Liveness, ProcessIdentity, Proof, Witness};

use super::{
    cache::Cache,
    host,
    sighting::{Sighting, look},
};

/// Looks at processes. Fast when asked again about the same one, because it is asked inside write transactions.
#[derive(Debug, Default)]
pub struct Probe {
    verified: Mutex<Cache>,
}

/// What the frame of a process says before anyone looks at the process.
enum Frame {
    Ours,
    Other(Liveness),
}

impl Probe {
    /// A probe that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A handle that becomes readable when that exact process ends. `None` when it is gone already or cannot be
    /// watched; ask [`liveness`](Witness::liveness) which.
    pub fn watch(&self, process: &ProcessIdentity) -> Option<OwnedFd> {
        match frame_of(process) {
            Frame::Ours => match look(process) {
                Sighting::Running(handle) => handle,
                Sighting::Gone(_) | Sighting::Hidden => None,
            },
            Frame::Other(_) => None,
        }
    }

    fn with_cache<T>(&self, use_it: impl FnOnce(&mut Cache) -> T) -> T {
        // The cache stays sound whatever a panicking thread did: each entry was verified on its own.
        use_it(&mut self.verified.lock().unwrap_or_else(PoisonError::into_inner))
    }

    #[cfg(test)]
    pub(super) fn handles(&self) -> usize {
        self.with_cache(|cache| cache.len())
    }
}

impl Witness for Probe {
    fn liveness(&self, process: &ProcessIdentity) -> Liveness {
        if let Frame::Other(answer) = frame_of(process) {
            return answer;
        }
        if self.with_cache(|cache| cache.still_runs(process)) {
            return Liveness::Alive;
        }
        match look(process) {
            Sighting::Running(Some(handle)) => {
                self.with_cache(|cache| cache.keep(process, handle));
                Liveness::Alive
            }
            Sighting::Running(None) => Liveness::Alive,
            Sighting::Gone(proof) => Liveness::Gone(proof),
            Sighting::Hidden => Liveness::Unknown,
        }
    }
}

fn frame_of(process: &ProcessIdentity) -> Frame {
    match host::here() {
        Some(here) if process.host_id != here.host_id => Frame::Other(Liveness::Unknown),
        Some(here) if process.boot_id != here.boot_id => Frame::Other(Liveness::Gone(Proof::Rebooted)),
        Some(here) if process.pid_namespace != here.pid_namespace => Frame::Other(Liveness::Unknown),
        Some(_) => Frame::Ours,
        None => Frame::Other(Liveness::Unknown),
    }
}
