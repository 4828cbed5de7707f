//! What happens when a job waits and nobody is there to do it.

use baton_core::{ids::RoomId, limits};
use baton_store::runners;

use crate::{App, Failure};

/// Called when a job was queued in a room that has no runner.
pub type WhenQueued = dyn Fn(&RoomId) + Send + Sync;

impl App {
    /// Has `hook` called when a job is queued where there is no runner. The first one counts.
    pub fn when_queued(&self, hook: Box<WhenQueued>) {
        let _ = self.when_queued.set(hook);
    }

    /// Tells that a job was queued in `room`. It is committed by now, so nothing here makes the request fail.
    pub(super) fn job_was_queued(&self, room: &RoomId) {
        let Some(hook) = self.when_queued.get() else { return };
        let found = self.store.read::<_, Failure>(|tx| {
            let now = tx.now()?;
            Ok(runners::present(tx, room, now, limits::RUNNERS_SHOWN)?)
        });
        if found.is_ok_and(|runners| runners.is_empty()) {
            hook(room);
        }
    }
}
