//! Refusals of the guard in words: who, until when, and the one next step. No full stop at the end: one program adds its own.

use baton_core::{ids::AgentId, room::Room, scope::Refusal, time::Timestamp};

use baton_store::{engine::Tx, former};

use super::line::line;
use crate::Failure;

/// Longest name of a path or an agent in a refusal.
const NAME_CHARS: usize = 120;

/// The fate of the edit that a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Stopped,
    /// The room only warns.
    GoesOn,
}

/// The refusal, or the warning, as the model reads it.
pub(super) fn refusal(room: &Room, refusal: &Refusal, by: &AgentId, now: Timestamp, fate: Fate) -> String {
    let outcome = |paths: &[String]| match fate {
        Fate::Stopped => format!("{} not changed", files(paths)),
        Fate::GoesOn => "This room only warns, so the edit goes on".to_owned(),
    };
    let name = |agent: &AgentId| name(room, agent);
    let take = "Next: call wait_for_turn (in a shell: baton wait), edit when it says your_turn, then release_stick";
    match refusal {
        Refusal::StickNeeded { holder, held_until, kept_for, is_own, paths, .. } => {
            let stick = match (holder, held_until, kept_for) {
                (Some(_), Some(until), _) if *is_own => {
                    format!("your turn is not in force here any more (its lease ended {})", at(*until, now))
                }
                (Some(holder), Some(until), _) => format!("{} holds the stick until {}", name(holder), at(*until, now)),
                (_, _, Some(kept)) if kept == by => "the stick is kept for you".to_owned(),
                (_, _, Some(kept)) => format!("the stick is kept for {}", name(kept)),
                (_, _, None) => "nobody holds the stick, and you are not alone here".to_owned(),
            };
            format!("Baton: {stick}. {}. {take}", outcome(paths))
        }
        Refusal::Conflict(met) | Refusal::StaleFound(met) => {
            let (owner, scope) = (line(&met.owner_agent, NAME_CHARS), line(&met.scope, NAME_CHARS));
            let until = at(met.expires_at, now);
            format!(
                "Baton: {owner} has reserved {scope} until {until}. {}. Next: work on other files until then; to ask for it: baton send \
                 --to {owner} --category INFO --subject 'I need a file that you reserved'",
                outcome(std::slice::from_ref(&met.incoming_scope))
            )
        }
        Refusal::ReleaseForbidden { .. } | Refusal::NotFound { .. } | Refusal::TooMany { .. } => {
            format!("Baton: {}", refusal.to_string().trim_end_matches('.'))
        }
    }
}

/// The refusal of an edit after work that the agent was not told of.
pub(super) fn missed(work: &str, paths: &[String]) -> String {
    let (outcome, what) = match paths {
        [] => ("The command was not run".to_owned(), "what it changes"),
        [_] => (format!("{} not changed", files(paths)), "it"),
        _ => (format!("{} not changed", files(paths)), "them"),
    };
    format!(
        "Baton: {work} after you last looked at this room, so files may have changed since you read them. {outcome}. Next: read {what} again, then try again with what you find"
    )
}

/// The name of an agent with its program, as people know it.
pub(super) fn name(room: &Room, agent: &AgentId) -> String {
    called(room, agent, None)
}

/// The name of an agent that may have left.
pub(super) fn known_name(tx: &mut dyn Tx, room: &Room, agent: &AgentId) -> Result<String, Failure> {
    let left = match room.member(agent) {
        Some(_) => None,
        None => former::last(tx, &room.id, agent)?.map(|former| former.name),
    };
    Ok(called(room, agent, left.as_deref()))
}

/// The name of an agent with its program. `former` is the name of one that left.
fn called(room: &Room, agent: &AgentId, former: Option<&str>) -> String {
    let program = agent.as_str().split(':').next().unwrap_or_default();
    match room.member(agent).map(|member| member.display_name.as_str()).or(former) {
        Some(name) => format!("{} ({program})", line(name, NAME_CHARS)),
        None => line(agent.as_str(), NAME_CHARS),
    }
}

fn files(paths: &[String]) -> String {
    match paths {
        [] => "The file was".to_owned(),
        [one] if one == "." => "The working tree was".to_owned(),
        [one] => format!("{} was", line(one, NAME_CHARS)),
        [first, rest @ ..] => format!("{} and {} more were", line(first, NAME_CHARS), rest.len()),
    }
}

/// A moment with how far away it is.
pub(super) fn at(moment: Timestamp, now: Timestamp) -> String {
    let shown = moment.to_string();
    let clock = shown.get(11..16).map_or(shown.as_str(), |clock| clock);
    let left = moment.since(now).as_millis() / 60_000;
    if moment <= now { format!("{clock} UTC, which has passed") } else { format!("{clock} UTC, in {left} min") }
}
