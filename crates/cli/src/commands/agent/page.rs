//! What identities look like to a person.

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{AgentView, Candidate},
    view::ProcessState,
};
use baton_core::{agent::ResumeReason, code::ErrorCode, policy::Wake, spawn::Grants, task::TaskId, time::Timestamp};
use serde_json::Value;

use crate::{
    commands::surface::in_words,
    render::connection_line,
    ui::{Ui, clean},
    wording::{seen, table, who},
};

/// Agents, one on each line.
pub(super) fn lines(agents: &[AgentView], now: Timestamp) -> String {
    let rows: Vec<_> = agents.iter().map(|agent| row(agent, now)).collect();
    table(&rows)
}

fn row(agent: &AgentView, now: Timestamp) -> [String; 7] {
    let role = agent.role.as_ref().map_or_else(String::new, |role| format!("role:{role}"));
    let stick = if agent.holds_stick { "has the stick" } else { "" };
    let you = if agent.you && !agent.former { "  (you)" } else { "" };
    let wake = agent.wake.filter(|_| agent.wake_chosen).map_or_else(String::new, |wake| format!("wake:{wake}"));
    let work = [clean(&agent.scopes.join(", ")), tasks(&agent.in_progress), wake];
    let work: Vec<_> = work.into_iter().filter(|part| !part.is_empty()).collect();
    [
        who(&agent.name, &agent.agent_id),
        if agent.former { "left".to_owned() } else { agent.liveness.as_str().to_owned() },
        if agent.former { String::new() } else { agent.connection.state.as_str().to_owned() },
        role,
        stick.to_owned(),
        work.join("; "),
        presence(agent, now) + you,
    ]
}

/// One agent, with all there is to know.
pub(super) fn page(agent: &AgentView, grants: Grants, now: Timestamp) -> String {
    let you = if agent.you { "  (you)" } else { "" };
    let liveness = if agent.former { "a former name" } else { agent.liveness.as_str() };
    let mut rows = vec![["liveness".to_owned(), format!("{liveness}, {}", presence(agent, now))]];
    let mut add = |label: &str, text: String| {
        if !text.is_empty() {
            rows.push([label.to_owned(), text]);
        }
    };
    add("connection", connection_line(&agent.connection, now));
    add("role", agent.role.as_ref().map_or_else(String::new, ToString::to_string));
    add("stick", if agent.holds_stick { "held".to_owned() } else { String::new() });
    add("scopes", clean(&agent.scopes.join(", ")));
    add("at work", tasks(&agent.in_progress));
    add("wake", agent.wake.map_or_else(String::new, |wake| wakes(wake, agent.wake_chosen)));
    add("grants", if agent.former { String::new() } else { may(grants) });
    format!("{}{you}\n{}", who(&agent.name, &agent.agent_id), table(&rows))
}

/// An agent's wakes, in words.
pub(super) fn wakes(wake: Wake, is_chosen: bool) -> String {
    let words = match wake {
        Wake::Off => "off: it is left alone while it is idle",
        Wake::Messages => "messages: messages wake it",
        Wake::All => "all: messages, the stick and its jobs wake it",
    };
    let whose = if is_chosen { "chosen for it" } else { "as the room's policy says" };
    format!("{words} ({whose})")
}

/// What an agent may do, in words.
pub(super) fn may(grants: Grants) -> String {
    let spawn = if grants.spawn_nodes { "may ask for further agents" } else { "may not ask for further agents" };
    let look = if grants.read_only { "; whoever it asks for may only look" } else { "" };
    format!("{spawn}{look}")
}

/// When an agent was last there.
fn presence(agent: &AgentView, now: Timestamp) -> String {
    let seen = seen(agent.last_seen_at, now);
    match (agent.resumable_until, agent.process) {
        (Some(at), _) => format!("{seen}, its session ended and can be resumed for {}", at.since(now)),
        (None, ProcessState::Gone) => format!("{seen}, its process has exited"),
        (None, ProcessState::Alive | ProcessState::Unknown) => seen,
    }
}

/// What somebody who begins has, and what to do next.
pub(super) fn standing(agent: &AgentView) -> String {
    let rows: Vec<_> = [("scopes", clean(&agent.scopes.join(", "))), ("at work", tasks(&agent.in_progress))]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(label, text)| [label.to_owned(), text])
        .collect();
    let next = if agent.scopes.is_empty() { NEXT_RESERVE } else { "baton scope status" };
    format!("{}next: {next}\n", table(&rows))
}

/// What comes before work.
pub(super) const NEXT_RESERVE: &str = "baton scope reserve PATH…  (before you edit)";

fn tasks(in_progress: &[TaskId]) -> String {
    in_progress.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The identities that a refusal offers.
pub(super) fn candidates_of(failure: &Failure) -> Vec<Candidate> {
    let candidates = failure.details.get("candidates").cloned().unwrap_or_default();
    serde_json::from_value(candidates).unwrap_or_default()
}

/// Identities to choose from, the recommended one first and marked.
pub(super) fn choices(candidates: &[Candidate], now: Timestamp) -> String {
    let mut text = "Work was left unfinished here.\n".to_owned();
    for (place, candidate) in candidates.iter().enumerate() {
        text.push_str(&format!(
            "  {}. {}  {}, {}\n     {}\n",
            place + 1,
            who(&candidate.name, &candidate.prior_session_agent),
            candidate.liveness.as_str(),
            seen(candidate.last_seen_at, now),
            clean(&candidate.evidence),
        ));
    }
    if let Some(best) = candidates.first() {
        text.push_str(&format!("Recommended: {}, because {}.\n", clean(&best.name), because(best.resume_reason)));
    }
    text
}

fn because(reason: ResumeReason) -> &'static str {
    match reason {
        ResumeReason::UncommittedScope => "its changes are not committed yet",
        ResumeReason::InProgressOwnership => "it has work in progress",
        ResumeReason::ConfirmedByPerson => "a person confirmed it",
    }
}

/// Shows why a session cannot begin as somebody: whose work it would be, and what to run. Any other "no" is shown like
/// all of them.
pub(super) fn refuse(ui: Ui, failure: Failure, now: Timestamp) -> Result<ExitCode, Failure> {
    match failure.code {
        ErrorCode::AmbiguousSession => Ok(ui.failure_as(&failure, || ambiguous(&failure, now))),
        ErrorCode::AdoptionRejected => Ok(ui.failure_as(&failure, || rejected(&failure))),
        _ => Err(failure),
    }
}

fn ambiguous(failure: &Failure, now: Timestamp) -> String {
    format!("{}: {}{}", failure.code, choices(&candidates_of(failure), now), commands(failure))
}

/// The commands that would decide.
pub(super) fn commands(failure: &Failure) -> String {
    let commands = failure.details.get("choices").and_then(Value::as_array).into_iter().flatten();
    commands.filter_map(Value::as_str).map(|command| format!("  next: {}\n", clean(command))).collect()
}

fn rejected(failure: &Failure) -> String {
    let mut text = format!("{}: {}\n", failure.code, clean(&failure.message));
    if let (Some(session), Some(presence)) = (fact(failure, "prior_session_agent"), fact(failure, "prior_presence")) {
        text.push_str(&format!("  its session: {}, {}\n", clean(session), clean(presence)));
    }
    text.push_str(&format!("  next: {}\n", clean(&in_words(&failure.next))));
    text
}

/// A fact of a refusal that is a text.
pub(super) fn fact<'a>(failure: &'a Failure, key: &str) -> Option<&'a str> {
    failure.details.get(key).and_then(Value::as_str)
}
