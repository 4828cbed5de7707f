//! Something a script waits at until the test lets it go on.

use std::sync::{Arc, Condvar, Mutex};

/// A gate that is closed at first and, once open, stays open. Clones are the same gate.
#[derive(Clone, Debug, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// A closed gate.
    pub fn closed() -> Self {
        Self::default()
    }

    /// Lets everybody through who waits, and who comes later.
    pub fn open(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    pub(super) fn is_open(&self) -> bool {
        *self.0.0.lock().unwrap()
    }

    pub(super) fn wait(&self) {
        drop(self.0.1.wait_while(self.0.0.lock().unwrap(), |open| !*open).unwrap());
    }
}
