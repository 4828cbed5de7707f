//! Presence: every call of a member shows that it is there, and few of them write it.

use baton_core::{limits, room::Room, time::Timestamp};
use baton_store::{StoreError, rooms};

use crate::{App, Caller, Failure, app::Request};

/// Marks the caller as seen, unless that was stored moments ago, and records its return if it comes back as
/// another process. A read must not fail over it, so a store that cannot be written right now only makes the
/// presence a little older.
pub(crate) fn refresh(app: &App, caller: &Caller, room: &Room, now: Timestamp) {
    let actor = caller.actor();
    let Some(member) = room.member(&actor.agent_id) else { return };
    if room.comeback(&actor, &app.probe).is_some() {
        let request = Request { command: "presence", input: &(), key: None };
        // Changing nothing is enough: every change begins with the return.
        let _: Result<(), Failure> = app.change(caller, &request, &room.id, |_| Ok(()));
    } else if now.since(member.last_seen_at) >= limits::PRESENCE_GRAIN {
        let _ = app.store.write::<_, StoreError>(|tx| rooms::seen(tx, &room.id, &actor.agent_id, now));
    }
}
