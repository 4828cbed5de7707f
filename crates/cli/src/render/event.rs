//! The timeline: each event as a sentence, and what it says below it.

use baton_app::view::RoomEvent;
use baton_core::{
    ids::AgentId,
    protocol::{ACCEPTED_LABEL, SEEN_LABEL},
};

use super::{
    handoff_page, protocol,
    words::{line, listing},
};
use crate::ui::clean;

/// Where the lines below a sentence begin.
const INDENT: &str = "       ";

/// An event as a sentence.
pub(crate) fn event_line(event: &RoomEvent) -> String {
    let (sentence, below) = told(event);
    let head = format!("{:>5}  {}  turn {:<4} ", event.event_seq, event.created_at, event.turn_id);
    row(&head, &sentence, &below)
}

/// A row of a timeline: its head, a sentence, and what stands below it.
pub(super) fn row(head: &str, sentence: &str, below: &str) -> String {
    let sentence = clean(sentence);
    let mut lines = sentence.split('\n');
    let mut text = format!("{head}{}\n", lines.next().unwrap_or_default());
    // A text of several lines stays within its row.
    lines.for_each(|line| text.push_str(&format!("{}\n", format!("{INDENT}  {line}").trim_end())));
    below.lines().for_each(|line| text.push_str(&format!("{INDENT}{line}\n")));
    text
}

/// An event as a sentence, and what it says below it.
pub(super) fn told(event: &RoomEvent) -> (String, String) {
    match &event.protocol {
        Some(said) => {
            let subject = protocol::subject(said).map_or_else(String::new, |subject| format!(": {}", line(subject)));
            (protocol::sentence(said) + &subject, protocol::page(said))
        }
        None => (said(event), event.handoff.as_ref().map_or_else(String::new, handoff_page)),
    }
}

/// What happened, and what was said with it.
fn said(event: &RoomEvent) -> String {
    // That somebody is interrupted is in the sentence already.
    let words = event.reason.as_deref().filter(|_| event.event_type != "tell").or(event.note.as_deref());
    sentence(event) + &words.map_or_else(String::new, |words| format!(": {words}"))
}

fn sentence(event: &RoomEvent) -> String {
    let name = |agent: &Option<AgentId>| agent.as_ref().map_or("someone".to_owned(), AgentId::to_string);
    let (from, to) = (name(&event.from_agent_id), name(&event.to_agent_id));
    let called = event.display_name.as_deref().map(line).unwrap_or_default();
    let scope = event.scope.as_deref().map(line).unwrap_or_default();
    let task = event.task.map(|task| task.to_string()).unwrap_or_default();
    let job = event.job.map(|job| job.to_string()).unwrap_or_default();
    let kept = event.refs.first().map(|kept| line(&kept.to_string())).unwrap_or_default();
    let messages = messages(event);
    match event.event_type.as_str() {
        "create" => format!("{from} opened the room"),
        "join" if event.agent_id_override == Some(true) => {
            format!("{to} joined as {called}, under an id given by hand")
        }
        "join" => format!("{to} joined as {called}"),
        "leave" => format!("{from} left"),
        "reorder" => format!("{from} changed the turn order"),
        "register" => format!("{from} is called {called} from now on"),
        "claim" if event.from_agent_id.is_some() => format!("{to} took up the stick from {from}"),
        "claim" => format!("{to} took up the stick"),
        "release" | "pass" if event.to_agent_id.is_none() => format!("{from} released the stick"),
        "release" => format!("{from} released the stick to {to}"),
        "pass" => format!("{from} passed the stick to {to}"),
        "takeover" => format!("{to} took the stick over from {from}"),
        "note" => format!("{from} noted"),
        "policy" => format!("{from} changed the timings"),
        "rename" => format!("{from} gave the room a name"),
        "close" => format!("{from} closed the room"),
        "action.submit" => format!("{from} submitted to {to}"),
        "action.result" => format!("{from} told {to} how far {} is", asked(event)),
        "message.create" if event.to_agent_id.is_some() => format!("{from} told {to}"),
        "message.create" => format!("{from} told everybody"),
        "conversation.task" => format!("{from} told how far a task is"),
        "agent.connect" => format!("{to} is connected"),
        "agent.disconnect" => format!("{to} is not connected any more"),
        "scope.reserve" if event.to_agent_id.is_some() => format!("{from} reserved {scope} in place of {to}"),
        "scope.reserve" => format!("{from} reserved {scope}"),
        "scope.release" => format!("{to} gave back {scope}"),
        "scope.expire" => format!("the reservation of {scope} by {to} ran out"),
        "scope.transfer" => format!("the reservation of {scope} went on to {to}"),
        "task.create" if event.to_agent_id.is_some() => format!("{from} wrote down {task} for {to}"),
        "task.create" => format!("{from} wrote down {task}"),
        "task.start" => format!("{from} began {task}"),
        "task.done" => format!("{from} finished {task}"),
        "task.assign" if event.to_agent_id == event.from_agent_id => format!("{from} took on {task}"),
        "task.assign" if event.to_agent_id.is_some() => format!("{from} gave {task} to {to}"),
        "task.assign" => format!("{from} put {task} back: it is nobody's"),
        "task.focus" if event.task.is_some() => format!("{from} turned to {task}"),
        "task.focus" => format!("{from} turned to no task in particular"),
        "job.created" => format!("{from} asked for {job}"),
        "job.claimed" => format!("{from} claimed {job} for a runner"),
        "job.reclaimed" => format!("{from} took {job} over for a runner"),
        "job.progress" => format!("{from} goes on with {job}"),
        "job.checkpoint" => format!("{from} reached something in {job}"),
        "job.question" => format!("{from} asks about {job}"),
        "job.proof_gate" => format!("{from} lacks proof that {job} is done"),
        "job.error" => format!("{from} met an error in {job}"),
        "job.manager" => format!("{from} told {job}"),
        "job.completed" => format!("{from} finished {job}"),
        "job.failed" => format!("{from} could not do {job}"),
        "job.canceled" => format!("{from} withdrew {job}"),
        "job.requeued" => format!("{from} wants {job} done again"),
        "runner.register" => format!("{from} offers a runner"),
        "runner.retire" => format!("{from} signed off a runner"),
        "card.create" => format!("{from} kept {kept}"),
        "card.pin" => format!("{from} changed {kept}"),
        "anchor.set" => format!("{from} described {kept}"),
        "plan.create" => format!("{from} made {kept}"),
        "artifact.keep" => format!("{from} kept {kept}"),
        "artifact.drop" => format!("{from} gave up a file"),
        "brief.set" => format!("{from} said what the room is for"),
        "spawn.request" => format!("{from} asked for another agent, {kept}"),
        "spawn.approve" => format!("{from} approved {kept}, which is {job}"),
        "spawn.deny" => format!("{from} denied {kept}"),
        "agent.grant" => format!("{from} decided what {to} may do"),
        "tell" if event.reason.is_some() => format!("{from} told {to}, and stops what it does"),
        "tell" => format!("{from} told {to}"),
        "envelope.send" => format!("{from} handed {kept} to {to}"),
        "envelope.forward" => format!("what {from} owes, and its edges, went on to {to}"),
        "edge.set" => format!("{from} opened an edge"),
        "edge.remove" => format!("{from} closed an edge"),
        "turn.begin" if event.messages.is_empty() => format!("{to} began {kept}"),
        "turn.begin" => format!("{to} began {kept} with {messages}"),
        "turn.prompt" => format!("{to} was told what to do in {kept}"),
        "turn.tools" => format!("{to} used"),
        "turn.end" => format!("{kept} of {to} ended"),
        "deliver" => format!("{from} was told of {messages}"),
        "see" => format!("{SEEN_LABEL} by {from}: {messages} from {to}"),
        "accept" => format!("{ACCEPTED_LABEL} by {from}: {messages} from {to}"),
        "forward" => format!("{messages} went on to {to}"),
        other => format!("{from} {other} {to}"),
    }
}

/// `action 7`: what was asked in the event of that number.
fn asked(event: &RoomEvent) -> String {
    event.messages.first().map_or_else(|| "an action".to_owned(), |seq| format!("action {seq}"))
}

/// `message 7`, `messages 7 and 9`.
fn messages(event: &RoomEvent) -> String {
    let numbers: Vec<_> = event.messages.iter().map(ToString::to_string).collect();
    let word = if numbers.len() == 1 { "message" } else { "messages" };
    format!("{word} {}", listing(&numbers))
}

#[cfg(test)]
mod tests;
