//! What a runner, or whoever wants one started, has to know of a room besides its jobs.

use baton_core::{ids::RoomId, limits, reference::Reference, time::Ttl};
use baton_store::{jobs, runners};

use crate::{App, Failure, refs};

/// Called when a job was queued in a room that has no runner.
pub type WhenQueued = dyn Fn(&RoomId) + Send + Sync;

impl App {
    /// Has `hook` called when a job is queued where there is no runner. The first one counts.
    pub fn when_queued(&self, hook: Box<WhenQueued>) {
        let _ = self.when_queued.set(hook);
    }

    /// How long until the first of the claims in force in `room` runs out.
    pub fn until_claim_expires(&self, room: &RoomId) -> Result<Option<Ttl>, Failure> {
        self.store.read(|tx| {
            let now = tx.now()?;
            Ok(jobs::next_expiry(tx, room, now)?.map(|expiry| expiry.since(now)))
        })
    }

    /// Those of `refs` that lead somewhere in `room`.
    pub fn resolving(&self, room: &RoomId, refs: Vec<Reference>) -> Result<Vec<Reference>, Failure> {
        self.store.read(|tx| refs::resolving(tx, room, refs.clone()))
    }

    /// Tells that a job was queued in `room`. It is committed by now, so nothing here makes the request fail.
    pub(crate) fn job_was_queued(&self, room: &RoomId) {
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
