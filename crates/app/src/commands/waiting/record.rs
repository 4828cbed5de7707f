//! Noting that a call waits, while it does, so that others see who waits for whom.
//!
//! It is no event: nothing in the room is decided by it, and it ends with the process that waits, whether that says so or
//! not. So it is seen only while that process is there, and no longer than a call may wait; and a note that could
//! not be made keeps nobody from waiting.

use std::{
    process,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use baton_core::{
    ids::{AgentId, RoomId},
    process::Witness,
    time::Timestamp,
};
use baton_store::{
    StoreError,
    engine::Tx,
    waits::{self, Awaited, Wait},
};

use crate::{App, Failure, liveness::identify};

/// Waits that this process has begun.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// A note that a call waits.
pub(super) struct OnRecord {
    room: RoomId,
    id: String,
}

impl OnRecord {
    /// Notes that `agent` waits for at most `most`.
    pub(super) fn begin(app: &App, room: &RoomId, agent: &AgentId, awaited: Awaited, most: Duration) -> Option<Self> {
        let own = identify(process::id());
        let number = BEGUN.fetch_add(1, Ordering::Relaxed);
        let start = own.as_ref().map_or(0, |own| own.start_ticks);
        let id = format!("{}.{start}.{number}", process::id());
        let noted = app.store.write_if_free::<_, StoreError>(|tx| {
            let since = tx.now()?;
            let most = i64::try_from(most.as_millis()).unwrap_or(i64::MAX);
            let until = Timestamp::from_millis(since.as_millis().saturating_add(most));
            let (agent_id, process, awaited) = (agent.clone(), own.clone(), awaited.clone());
            waits::begin(tx, room, &Wait { id: id.clone(), agent_id, process, awaited, since, until })
        });
        noted.ok().map(|()| Self { room: room.clone(), id })
    }

    /// Notes that it does not wait any longer.
    pub(super) fn end(self, app: &App) {
        let _ = app.store.write_if_free::<_, StoreError>(|tx| waits::end(tx, &self.room, &self.id));
    }
}

/// The calls that wait in a room, and whose processes are not proven gone.
pub(crate) fn in_progress(
    tx: &mut dyn Tx,
    room: &RoomId,
    witness: &dyn Witness,
    now: Timestamp,
) -> Result<Vec<Wait>, Failure> {
    let mut found = waits::of_room(tx, room, now)?;
    found.retain(|wait| !wait.process.as_ref().is_some_and(|process| witness.liveness(process).is_gone()));
    Ok(found)
}
