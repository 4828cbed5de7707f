//! A session that was woken and did nothing: delivered, not processed.

use baton_core::limits;
use baton_store::{agent_sessions, engine::Tx};

use super::{Need, NeedKind, scene::Scene};
use crate::Failure;

pub(super) fn unprocessed(tx: &mut dyn Tx, scene: &Scene<'_>) -> Result<Vec<Need>, Failure> {
    let sessions = agent_sessions::of_room(tx, &scene.room.id)?;
    let need = |session: agent_sessions::AgentSession| {
        let member = scene.room.member(&session.agent_id)?;
        let woken_at = session.woken_at.filter(|_| session.woken > session.told && session.idle_since.is_some())?;
        if scene.now.since(woken_at) < limits::WAKE_UNANSWERED || member.liveness(scene.eyes).is_gone() {
            return None;
        }
        let who = scene.whom(&session.agent_id);
        let title = format!("{} was woken and did nothing", who.name);
        let words =
            "A message or the stick was delivered to its idle session. Look at its screen: it may wait for a person.";
        let command = scene.command(&format!("agent show {}", who.name));
        let need = scene.need(NeedKind::Unprocessed, woken_at, session.woken.0, who);
        Some(Need { title, words: words.to_owned(), command, ..need })
    };
    Ok(sessions.into_iter().filter_map(need).collect())
}
