//! Sessions that were woken or resumed and did nothing: delivered, not processed.

use baton_core::{limits, process::Witness as _, room::Member, time::Timestamp};
use baton_store::{
    agent_sessions::{self, AgentSession},
    engine::Tx,
    inbox,
};

use super::{Need, NeedKind, scene::Scene};
use crate::Failure;

pub(super) fn unprocessed(tx: &mut dyn Tx, scene: &Scene<'_>) -> Result<Vec<Need>, Failure> {
    let sessions = agent_sessions::of_room(tx, &scene.room.id)?;
    let mut needs = Vec::new();
    for session in sessions {
        let waits = session.woken > session.told || has_waiting(tx, scene, &session)?;
        needs.extend(need(scene, session, waits));
    }
    Ok(needs)
}

/// Whether what a session was woken for still waits for it, whatever it did since: its messages are unread, or the stick is
/// kept for it.
fn has_waiting(tx: &mut dyn Tx, scene: &Scene<'_>, session: &AgentSession) -> Result<bool, Failure> {
    let kept = scene.room.reservation().filter(|kept| kept.recipient == session.agent_id);
    if kept.is_some_and(|kept| kept.pending.seq <= session.woken) {
        return Ok(true);
    }
    let mail = inbox::waiting(tx, &scene.room.id, &session.agent_id)?;
    Ok(mail.unseen > 0 && mail.calls.is_some_and(|message| message <= session.woken))
}

fn need(scene: &Scene<'_>, session: AgentSession, waits: bool) -> Option<Need> {
    let member = scene.room.member(&session.agent_id)?;
    let woken_at = session.woken_at?;
    let who = scene.whom(&session.agent_id);
    let (title, words) = match failure(&session) {
        Some(words) => (format!("{} could not be resumed", who.name), words),
        None if scene.now.since(woken_at) < limits::WAKE_UNANSWERED || !waits => return None,
        None if scene.room.is_resting(scene.now, member) => {
            (format!("{} was resumed and did nothing", who.name), unanswered_resumption(scene, &session)?)
        }
        None => (format!("{} was woken and did nothing", who.name), unanswered_wake(scene, member, &session)?),
    };
    let command = scene.command(&format!("agent show {}", who.name));
    Some(Need { title, words, command, ..need_since(scene, woken_at, &session) })
}

fn need_since(scene: &Scene<'_>, woken_at: Timestamp, session: &AgentSession) -> Need {
    scene.need(NeedKind::Unprocessed, woken_at, session.woken.0, scene.whom(&session.agent_id))
}

/// The reason of a resumption that failed, and where the program's output is.
fn failure(session: &AgentSession) -> Option<String> {
    let resumption = session.resumption.as_ref()?;
    let why = resumption.failure.as_ref()?;
    let output = resumption.output.as_ref().map_or_else(String::new, |output| format!(" Its output is {output}."));
    Some(format!("Its session was to be resumed for a message or the stick, and that failed: {why}.{output}"))
}

/// A resumption that the session's hooks did not answer: its program lost them, or the runner ended first.
fn unanswered_resumption(scene: &Scene<'_>, session: &AgentSession) -> Option<String> {
    let resumption = session.resumption.as_ref();
    let runner = resumption.and_then(|resumption| resumption.runner.as_ref());
    if runner.is_some_and(|runner| !scene.eyes.liveness(runner).is_gone()) {
        return None;
    }
    let output = resumption.and_then(|resumption| resumption.output.as_ref());
    let output = output.map_or_else(String::new, |output| format!(" Its output is {output}."));
    Some(format!("A runner took what its session was to be told, and the session did not go on with it.{output}"))
}

fn unanswered_wake(scene: &Scene<'_>, member: &Member, session: &AgentSession) -> Option<String> {
    if session.idle_since.is_none() || member.liveness(scene.eyes).is_gone() {
        return None;
    }
    let words =
        "A message or the stick was delivered to its idle session. Look at its screen: it may wait for a person.";
    Some(words.to_owned())
}
