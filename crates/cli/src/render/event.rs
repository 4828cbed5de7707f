//! The timeline: each event as a sentence.

use baton_app::view::RoomEvent;
use baton_core::ids::AgentId;

use super::handoff_page;
use crate::ui::clean;

/// An event as a sentence.
pub(crate) fn event_line(event: &RoomEvent) -> String {
    let name = |agent: &Option<AgentId>| agent.as_ref().map_or("someone".to_owned(), AgentId::to_string);
    let (from, to) = (name(&event.from_agent_id), name(&event.to_agent_id));
    let sentence = match event.event_type.as_str() {
        "create" => format!("{from} opened the room"),
        "join" if event.agent_id_override == Some(true) => format!("{to} joined under an id given by hand"),
        "join" => format!("{to} joined"),
        "leave" => format!("{from} left"),
        "reorder" => format!("{from} changed the turn order"),
        "claim" if event.from_agent_id.is_some() => format!("{to} took up the stick from {from}"),
        "claim" => format!("{to} took up the stick"),
        "release" | "pass" if event.to_agent_id.is_none() => format!("{from} released the stick"),
        "release" => format!("{from} released the stick to {to}"),
        "pass" => format!("{from} passed the stick to {to}"),
        "takeover" => format!("{to} took the stick over from {from}"),
        "note" => format!("{from} noted"),
        "policy" => format!("{from} changed the timings"),
        "close" => format!("{from} closed the room"),
        other => format!("{from} {other} {to}"),
    };
    let said = event.reason.as_deref().or(event.note.as_deref()).map_or_else(String::new, |said| format!(": {said}"));
    let mut line = format!(
        "{:>5}  {}  turn {:<4} {}\n",
        event.event_seq,
        event.created_at,
        event.turn_id,
        clean(&(sentence + &said))
    );
    if let Some(handoff) = &event.handoff {
        handoff_page(handoff).lines().for_each(|text| line.push_str(&format!("       {text}\n")));
    }
    line
}
