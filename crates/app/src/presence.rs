//! Presence: every call of a member shows that it is there, and few of them write it.

use baton_core::{ids::AgentId, limits, room::Room, time::Timestamp};
use baton_store::{StoreError, rooms};

use crate::App;

/// Marks `agent` as seen, unless that was stored moments ago. A read must not fail over it, so a store that
/// cannot be written right now only makes the presence a little older.
pub(crate) fn refresh(app: &App, room: &Room, agent: &AgentId, now: Timestamp) {
    let Some(member) = room.member(agent) else { return };
    if now.since(member.last_seen_at) < limits::PRESENCE_GRAIN {
        return;
    }
    let _ = app.store.write::<_, StoreError>(|tx| rooms::seen(tx, &room.id, agent, now));
}
