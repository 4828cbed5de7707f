//! Handles on processes that were verified before, so that looking again is one system call.

use std::os::fd::OwnedFd;

use baton_core::process::ProcessIdentity;

use super::pidfd;

/// Most handles kept open. A room asks about its owner and the next in line, so this is many rooms.
const HANDLES_MAX: usize = 64;

/// Verified handles, the least recently used first.
#[derive(Debug, Default)]
pub(super) struct Cache(Vec<(ProcessIdentity, OwnedFd)>);

impl Cache {
    /// Whether `process` was verified before and still runs. Forgets it otherwise.
    pub(super) fn still_runs(&mut self, process: &ProcessIdentity) -> bool {
        let Some(index) = self.0.iter().position(|(known, _)| known.same_process(process)) else { return false };
        let entry = self.0.remove(index);
        if pidfd::has_ended(&entry.1) != Ok(false) {
            return false;
        }
        self.0.push(entry);
        true
    }

    /// Keeps a handle that was just verified to be on `process`.
    pub(super) fn keep(&mut self, process: &ProcessIdentity, fd: OwnedFd) {
        // Two threads may verify the same process at once; one handle is enough.
        self.0.retain(|(known, _)| !known.same_process(process));
        if self.0.len() >= HANDLES_MAX {
            self.0.remove(0);
        }
        self.0.push((process.clone(), fd));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}
