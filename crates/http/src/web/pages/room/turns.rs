//! Whose turns the events of a slice were in, and when those began and ended.

use std::collections::BTreeMap;

use baton_app::view::RoomEvent;
use baton_core::{ids::AgentId, lease::Fence, time::Timestamp};

use super::sight::Sight;

/// A turn, as far as is known here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) holder: Option<AgentId>,
    pub(super) began: Option<Timestamp>,
    pub(super) ended: Option<Timestamp>,
}

/// The turns that events were in.
pub(super) fn turns(sight: &Sight, events: &[RoomEvent]) -> BTreeMap<Fence, Turn> {
    let mut turns: BTreeMap<Fence, Turn> = BTreeMap::new();
    for event in events {
        let turn = turns.entry(event.turn_id).or_default();
        match event.event_type.as_str() {
            "claim" | "takeover" => {
                turn.holder.clone_from(&event.to_agent_id);
                turn.began = Some(event.created_at);
                // Whoever was taken over held it until then.
                if event.event_type == "takeover"
                    && let Some(before) = event.turn_id.0.checked_sub(1)
                {
                    let before = turns.entry(Fence(before)).or_default();
                    before.ended = before.ended.or(Some(event.created_at));
                    before.holder = before.holder.take().or_else(|| event.from_agent_id.clone());
                }
            }
            "release" | "pass" => {
                turn.ended = Some(event.created_at);
                turn.holder = turn.holder.take().or_else(|| event.from_agent_id.clone());
            }
            _ => {}
        }
    }
    if let (room, Some(since)) = (&sight.state.room, sight.state.owned_since) {
        let now = turns.entry(room.turn_id).or_default();
        (now.holder, now.began, now.ended) = (room.owner.clone(), Some(since), None);
    }
    turns
}
