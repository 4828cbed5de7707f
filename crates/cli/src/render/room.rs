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
use crate::{ui::clean, wording::who};

/// A room on one line.
pub(crate) fn room_line(room: &PathRoom) -> String {
    let who = who_has_it(owner(room), recipient(room));
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
pub(crate) fn who_has_it(owner: Option<&str>, reserved_for: Option<&str>) -> String {
    match (owner, reserved_for) {
        (Some(owner), _) => format!("held by {}", clean(owner)),
        (None, Some(recipient)) => format!("kept for {}", clean(recipient)),
        (None, None) => "free".to_owned(),
    }
}

/// Who holds the stick, as people call them.
fn owner(room: &PathRoom) -> Option<&str> {
    room.owner_agent.as_deref().or_else(|| room.owner.as_ref().map(AgentId::as_str))
}

/// Whom the stick is kept for, as people call them.
fn recipient(room: &PathRoom) -> Option<&str> {
    room.reserved_for_agent.as_deref().or_else(|| room.reserved_for.as_ref().map(AgentId::as_str))
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
    let called: Vec<String> = state.members.iter().map(|member| who(&member.display_name, &member.agent_id)).collect();
    let width = called.iter().map(|called| called.chars().count()).max().unwrap_or(0);
    for (member, called) in state.members.iter().zip(&called) {
        let mark = if room.owner.as_ref() == Some(&member.agent_id) {
            '*'
        } else if room.reserved_for.as_ref() == Some(&member.agent_id) {
            '>'
        } else {
            ' '
        };
        let presence = presence(member, now);
        let beside = member.parallel_to.as_ref().map(|first| format!("  beside {}", name_in(state, first)));
        let me = if member.agent_id == *you { "  (you)" } else { "" };
        page.push_str(&format!(
            "{mark} {}. {called:<width$}  {presence}{}{me}\n",
            member.ordinal + 1,
            beside.unwrap_or_default()
        ));
    }
    if let Some(handoff) = &state.handoff {
        let from = state.handoff_from.as_ref().map_or_else(|| "someone".to_owned(), |from| name_in(state, from));
        let lost = state.revoked_agent.as_ref().map(|lost| format!(", left unfinished by {}", clean(lost)));
        page.push_str(&format!("\nHandoff from {from}{}\n{}", lost.unwrap_or_default(), handoff_page(handoff)));
    }
    page
}

/// An agent's name where it is a member that is here, else its id.
pub(crate) fn name_in(state: &GetRoomStateResult, agent: &AgentId) -> String {
    let member = state.members.iter().find(|member| member.agent_id == *agent);
    member.map_or_else(|| agent.to_string(), |member| clean(&member.display_name))
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
    let owner = clean(owner(room).unwrap_or("nobody"));
    let kept = room
        .kept_by
        .as_ref()
        .map_or_else(String::new, |guardian| format!(", kept by {}", clean(&guardian.to_string())));
    let recipient = clean(recipient(room).unwrap_or("nobody"));
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
