//! Presence: every call of a member shows that it is there, and few of them write it.

use baton_core::{limits, room::Room, time::Timestamp};
use baton_store::{StoreError, rooms};

use crate::{App, Caller, Failure};

/// Marks the caller as seen, unless that was stored moments ago, and records its return if it comes back as
/// another process. A read must neither fail nor wait over it: while the store cannot be written, the presence is
/// only a little older.
pub(crate) fn refresh(app: &App, caller: &Caller, room: &Room, now: Timestamp) {
    let actor = caller.actor();
    let Some(member) = room.member(&actor.agent_id) else { return };
    if room.comeback(&actor, &app.probe).is_some() {
        // Changing nothing is enough: every change begins with the return.
        let _: Result<(), Failure> =
            app.store.write_if_free(|tx| app.change_in(tx, now, &actor, &room.id, &mut |_| Ok(())));
    } else if now.since(member.last_seen_at) >= limits::PRESENCE_GRAIN {
        let _: Result<(), StoreError> = app.store.write_if_free(|tx| rooms::seen(tx, &room.id, &actor.agent_id, now));
    }
}
