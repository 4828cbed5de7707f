//! Rooms and their members.

use baton_app::{
    commands::room::{AgentGlance, GetRoomStateResult, RoomGlance},
    view::{MemberStatus, PathRoom, RoomMember},
};
use baton_core::{
    agent::{ConnectionState, ConnectionStatus},
    ids::AgentId,
    room::RoomState,
    time::Timestamp,
};

use super::{handoff_page, words::deadline};
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

/// A room with who is in it: a line, and one for each member.
pub(crate) fn room_glance(glance: &RoomGlance) -> String {
    let name = glance.room.name.as_ref().map_or_else(String::new, |name| format!("  {}\n", clean(name)));
    let holds = |agent: &AgentGlance| if glance.room.owner.as_ref() == Some(&agent.agent_id) { '*' } else { ' ' };
    let member = |agent: &AgentGlance| {
        let (liveness, state) = (agent.liveness.as_str(), agent.connection.state.as_str());
        format!("{} {:<20} {liveness:<8} {state:<12} {}\n", holds(agent), clean(&agent.name), agent.agent_id)
    };
    room_line(&glance.room) + &name + &glance.agents.iter().map(member).collect::<String>()
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
        let presence = presence(member, now);
        let beside = member.parallel_to.as_ref().map_or_else(String::new, |first| format!("  beside {first}"));
        let me = if member.agent_id == *you { "  (you)" } else { "" };
        page.push_str(&format!(
            "{mark} {}. {:<28} {:<18} {presence}{beside}{me}\n",
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

/// Whether a member is there, and since when nothing was heard where that matters.
fn presence(member: &RoomMember, now: Timestamp) -> String {
    let ConnectionStatus { state, why } = &member.connection;
    let seen = format!("seen {} ago", now.since(member.last_seen_at));
    match (state, member.status) {
        (ConnectionState::Gone, _) => format!("{state}: {}", clean(why)),
        (ConnectionState::Disconnected, _) => format!("{state}, {seen}: {}", clean(why)),
        (ConnectionState::Connected | ConnectionState::Idle, MemberStatus::Active) => format!("{state}, {seen}"),
        (ConnectionState::Connected | ConnectionState::Idle, MemberStatus::Inactive) => {
            format!("{state}, away, {seen}")
        }
    }
}

fn state_sentence(room: &PathRoom, now: Timestamp) -> String {
    let owner = room.owner.as_ref().map_or("nobody", |owner| owner.as_str());
    let kept = room
        .kept_by
        .as_ref()
        .map_or_else(String::new, |guardian| format!(", kept by {}", clean(&guardian.to_string())));
    let recipient = room.reserved_for.as_ref().map_or("nobody", |recipient| recipient.as_str());
    match room.state {
        RoomState::Idle => "the stick is free".to_owned(),
        RoomState::Owned => format!("held by {owner}{kept}, lease {}", deadline(room.lease_expires_at, now)),
        RoomState::Reserved => format!("kept for {recipient}, claim {}", deadline(room.claim_expires_at, now)),
        RoomState::StaleOwner => {
            format!("held by {owner}{kept}, whose lease {}: it may be taken over", deadline(room.lease_expires_at, now))
        }
        RoomState::OwnerGone => format!("held by {owner}, whose process has exited: it may be taken over"),
        RoomState::RecipientGone => format!("kept for {recipient}, whose process has exited: it may be taken over"),
        RoomState::Dormant => "nobody is here; it can be resumed".to_owned(),
        RoomState::Closed => "closed".to_owned(),
    }
}
