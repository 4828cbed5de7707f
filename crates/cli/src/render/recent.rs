//! What happened last in several rooms.

use baton_app::commands::room::{RecentEvent, RecentResult};
use baton_core::time::Timestamp;

use super::{
    event::{Names, told},
    words::{ago, line},
};

/// Events, newest first, each with where it happened.
pub(crate) fn recent_page(found: &RecentResult, now: Timestamp) -> String {
    if found.events.is_empty() {
        return "Nothing has happened yet.\n".to_owned();
    }
    found.events.iter().map(|recent| recent_line(found, recent, now)).collect()
}

fn recent_line(found: &RecentResult, recent: &RecentEvent, now: Timestamp) -> String {
    let RecentEvent { room_id, event } = recent;
    let room = found.rooms.iter().find(|room| room.room_id == *room_id);
    let place = room.and_then(|room| room.name.as_deref().or(room.canonical_path.as_deref()));
    let nobody = Names::new();
    let (sentence, _) = told(event, room.map_or(&nobody, |room| &room.names));
    let (place, when) = (line(place.unwrap_or(room_id.as_str())), ago(event.created_at, now));
    format!("{when:<14} {place}@{}  {}\n", event.event_seq, line(&sentence))
}
