//! Rooms, events and handoffs as a person reads them.

use baton_app::{
    commands::room::GetRoomStateResult,
    view::{MemberStatus, PathRoom, ProcessState, RoomEvent},
};
use baton_core::{
    handoff::{Artifact, Handoff},
    ids::AgentId,
    room::RoomState,
    time::Timestamp,
};

use crate::ui::clean;

/// A room on one line.
pub(crate) fn room_line(room: &PathRoom) -> String {
    let who = who_has_it(room.owner.as_ref(), room.reserved_for.as_ref());
    format!(
        "{}  {:<14} turn {:<5} {who}, {} members  {}\n",
        room.room_id,
        room.state.as_str(),
        room.turn_id,
        room.members.len(),
        clean(room.canonical_path.as_deref().unwrap_or("(no path)")),
    )
}

/// Where the stick is, in a few words.
pub(crate) fn who_has_it(owner: Option<&AgentId>, reserved_for: Option<&AgentId>) -> String {
    match (owner, reserved_for) {
        (Some(owner), _) => format!("held by {owner}"),
        (None, Some(recipient)) => format!("kept for {recipient}"),
        (None, None) => "free".to_owned(),
    }
}

/// A room at a glance: who has the stick, who is there, what was handed over.
pub(crate) fn room_page(state: &GetRoomStateResult, now: Timestamp, you: &AgentId) -> String {
    let room = &state.room;
    let mut page = format!(
        "{}  {}\nturn {}, {}\n\n",
        room.room_id,
        clean(room.canonical_path.as_deref().unwrap_or("(no path)")),
        room.turn_id,
        state_sentence(room, now)
    );
    for member in &state.members {
        let mark = if room.owner.as_ref() == Some(&member.agent_id) {
            '*'
        } else if room.reserved_for.as_ref() == Some(&member.agent_id) {
            '>'
        } else {
            ' '
        };
        let presence = match (member.status, member.process) {
            (_, ProcessState::Gone) => "exited".to_owned(),
            (MemberStatus::Active, _) => format!("seen {} ago", now.since(member.last_seen_at)),
            (MemberStatus::Inactive, _) => format!("away, seen {} ago", now.since(member.last_seen_at)),
        };
        let me = if member.agent_id == *you { "  (you)" } else { "" };
        page.push_str(&format!(
            "{mark} {}. {:<28} {:<18} {presence}{me}\n",
            member.ordinal + 1,
            member.agent_id.as_str(),
            member.display_name
        ));
    }
    if let Some(handoff) = &state.handoff {
        let from = state.handoff_from.as_ref().map_or("someone", |from| from.as_str());
        page.push_str(&format!("\nHandoff from {from}\n{}", handoff_page(handoff)));
    }
    page
}

fn state_sentence(room: &PathRoom, now: Timestamp) -> String {
    let owner = room.owner.as_ref().map_or("nobody", |owner| owner.as_str());
    let recipient = room.reserved_for.as_ref().map_or("nobody", |recipient| recipient.as_str());
    match room.state {
        RoomState::Idle => "the stick is free".to_owned(),
        RoomState::Owned => format!("held by {owner}, lease {}", deadline(room.lease_expires_at, now)),
        RoomState::Reserved => format!("kept for {recipient}, claim {}", deadline(room.claim_expires_at, now)),
        RoomState::StaleOwner => {
            format!("held by {owner}, whose lease {}: it may be taken over", deadline(room.lease_expires_at, now))
        }
        RoomState::OwnerGone => format!("held by {owner}, whose process has exited: it may be taken over"),
        RoomState::RecipientGone => format!("kept for {recipient}, whose process has exited: it may be taken over"),
        RoomState::Dormant => "nobody is here; it can be resumed".to_owned(),
        RoomState::Closed => "closed".to_owned(),
    }
}

fn deadline(at: Option<Timestamp>, now: Timestamp) -> String {
    match at {
        Some(at) if at > now => format!("runs out in {}", at.since(now)),
        Some(at) => format!("ran out {} ago", now.since(at)),
        None => "has no end".to_owned(),
    }
}

/// A handoff, indented.
pub(crate) fn handoff_page(handoff: &Handoff) -> String {
    let mut page = block("status", &handoff.status) + &block("next", &handoff.next_action);
    for artifact in &handoff.artifacts {
        let note = artifact.note.as_deref().map_or_else(String::new, |note| format!("  {note}"));
        page.push_str(&block(&artifact_role(artifact), &(artifact_place(artifact) + &note)));
    }
    handoff.open_questions.iter().for_each(|question| page.push_str(&block("question", question)));
    handoff.do_not.iter().for_each(|item| page.push_str(&block("do not", item)));
    page
}

/// Where an artifact points: `PATH[:FIRST-LAST]`.
pub(crate) fn artifact_place(artifact: &Artifact) -> String {
    let lines = artifact.lines.map_or_else(String::new, |[first, last]| format!(":{first}-{last}"));
    format!("{}{lines}", artifact.path)
}

/// What an artifact is for, in the word that handoffs use.
pub(crate) fn artifact_role(artifact: &Artifact) -> String {
    match serde_json::to_value(artifact.role) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}

fn block(label: &str, text: &str) -> String {
    let text = clean(text);
    let mut lines = text.lines();
    let mut block = format!("  {label:<9} {}\n", lines.next().unwrap_or_default());
    lines.for_each(|line| block.push_str(&format!("  {:<9} {line}\n", "")));
    block
}

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
