//! The timeline in words: each event of a room as a sentence, for every surface that shows one.
//!
//! A sentence is made of [`Piece`]s, so that a terminal can print it and a page can link what it names. A template says how
//! the pieces stand together; nothing that an agent wrote is ever read as a template.

use baton_core::{
    agent::ConnectionState,
    ids::AgentId,
    process::{Liveness, Proof},
    protocol::{ACCEPTED_LABEL, ProtocolEvent, SEEN_LABEL},
    room::TakeoverReason,
};
use serde_json::Value;

use crate::view::RoomEvent;

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Words of ours.
    Words(String),
    /// An agent, by its id.
    Agent(AgentId),
    /// An agent's id, where the sentence is about that.
    Id(AgentId),
    /// An agent, by what people call it.
    Named(String),
    /// What `open` takes.
    Ref(String),
    /// Paths.
    Scope(String),
    /// The contract's label for an event.
    Label(&'static str),
}

/// Who does a thing that the log names nobody for.
const SOMEONE: &str = "someone";

/// What happened, as a sentence.
pub fn sentence(event: &RoomEvent) -> Vec<Piece> {
    match &event.protocol {
        Some(said) => of_protocol(said),
        None => fill(template(event), |slot| event_slot(event, slot)),
    }
}

/// What was said with it, in the words of whoever said it.
pub fn said(event: &RoomEvent) -> Option<&str> {
    match &event.protocol {
        Some(said) => said.payload.get("subject").and_then(Value::as_str),
        // The sentence says it already, or it is a word for programs.
        None => {
            let is_told = matches!(event.event_type.as_str(), "tell" | "claim" | "scope.transfer");
            event.reason.as_deref().filter(|_| !is_told).or(event.note.as_deref())
        }
    }
}

/// The parts of what a protocol event says, in the order in which they are read, with what people call them.
pub fn particulars(event: &ProtocolEvent) -> Vec<(&'static str, String)> {
    const PARTS: [(&str, &str); 12] = [
        ("summary", "summary"),
        ("next_action", "next"),
        ("blocker", "blocker"),
        ("requested_action", "request"),
        ("urgency", "urgency"),
        ("body", "text"),
        ("incursion_kind", "overlap"),
        ("owner_liveness", "owner"),
        ("prior_session_agent", "before"),
        ("resume_reason", "reason"),
        ("evidence", "evidence"),
        ("resolution_hint", "next"),
    ];
    let said = |(part, label): &(&str, &'static str)| {
        let is_idle =
            is_edit(event) && (*part == "incursion_kind" || event.to_agent.is_none() && *part == "owner_liveness");
        let text = event.payload.get(part).and_then(Value::as_str).filter(|_| !is_idle)?;
        Some(match *part {
            "owner_liveness" => (*label, format!("{}, {text}", addressed(event.to_agent.as_deref()))),
            "resume_reason" => (*label, resumed_because(text).to_owned()),
            _ => (*label, text.to_owned()),
        })
    };
    let mut parts: Vec<_> = PARTS.iter().filter_map(said).collect();
    let paths = event.payload.get("paths").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if paths.len() > 1 {
        parts.push(("files", paths.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")));
    }
    let about = about(event);
    if !about.is_empty() {
        parts.push(("about", about.join(", ")));
    }
    parts
}

/// What is seen of a process, as a sentence.
pub const fn liveness(liveness: &Liveness) -> &'static str {
    match liveness {
        Liveness::Alive => "Its process runs.",
        Liveness::Gone(Proof::Exited) => "Its process is gone: it has exited.",
        Liveness::Gone(Proof::Zombie) => "Its process is gone: it has exited and only waits to be cleaned up.",
        Liveness::Gone(Proof::PidReused) => "Its process is gone: its number belongs to a later one.",
        Liveness::Gone(Proof::Rebooted) => "Its process is gone: its machine has booted since.",
        Liveness::Unknown => "Its process cannot be seen from here.",
    }
}

/// What opens a takeover, as a sentence.
pub const fn takeover_open(reason: TakeoverReason) -> &'static str {
    match reason {
        TakeoverReason::ClaimTimeout => "The stick was kept for it, and it did not claim it in time.",
        TakeoverReason::OwnerTimeout => "It holds the stick, and its lease ran out.",
        TakeoverReason::OwnerGone => "It holds the stick.",
        TakeoverReason::RecipientGone => "The stick is kept for it.",
    }
}

/// Whom a message is from or for, as people say it.
pub fn addressed(agent: Option<&str>) -> String {
    match agent {
        None => SOMEONE.to_owned(),
        Some("broadcast") => "everybody".to_owned(),
        Some(name) => name.to_owned(),
    }
}

/// Why an identity was resumed, as people say it.
fn resumed_because(word: &str) -> &str {
    match word {
        "uncommitted_scope" => "uncommitted changes in its scope",
        "in_progress_ownership" => "work of its own in progress",
        other => other,
    }
}

/// Which work and which paths it is about.
fn about(event: &ProtocolEvent) -> Vec<String> {
    let beads = event.payload.get("bead_ids").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let all = beads.iter().filter_map(Value::as_str).map(str::to_owned);
    let mut about: Vec<String> = all.collect();
    if about.is_empty() {
        about.extend(event.bead_id.as_ref().map(ToString::to_string));
    }
    // Of an incursion the sentence says it.
    about.extend(event.scope.clone().filter(|_| event.event_type != "INCURSION"));
    about
}

/// Puts pieces into the places that a template has for them.
fn fill(template: &'static str, slot: impl Fn(&str) -> Piece) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some((words, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        if !words.is_empty() {
            pieces.push(Piece::Words(words.to_owned()));
        }
        pieces.push(slot(name));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest.to_owned()));
    }
    pieces
}

/// What happened between whom, after the contract's label for it.
pub fn of_protocol(event: &ProtocolEvent) -> Vec<Piece> {
    let template = match event.event_type.as_str() {
        "HANDOFF" => "{label} {to} by {from}",
        "BLOCKED" => "{label}: {from} asks {to}",
        "DECISION" => "{label} by {from}, for {to}",
        "INFO" => "{label} to {to} by {from}",
        "INCURSION" if is_edit(event) => "{label}: {from} changed {scope} without the stick",
        "INCURSION" => "{label}: {from} came upon {to} in {scope}{times}",
        "RESUME" => "{label}: {from} goes on as {to}",
        _ => "{label}: {from} to {to}",
    };
    fill(template, |slot| protocol_slot(event, slot))
}

/// Whether an incursion is of files that changed without a turn, and not of a scope.
fn is_edit(event: &ProtocolEvent) -> bool {
    event.payload.get("paths").is_some()
}

fn protocol_slot(event: &ProtocolEvent, slot: &str) -> Piece {
    match slot {
        "label" => Piece::Label(event.label()),
        "from" => Piece::Named(addressed(event.from_agent.as_deref())),
        "to" => Piece::Named(addressed(event.to_agent.as_deref())),
        "times" if event.count() > 1 => Piece::Words(format!(", {} times", event.count())),
        "times" => Piece::Words(String::new()),
        _ => Piece::Scope(event.scope.clone().unwrap_or_else(|| "/".to_owned())),
    }
}

fn event_slot(event: &RoomEvent, slot: &str) -> Piece {
    let agent = |agent: &Option<AgentId>| agent.clone().map_or_else(|| Piece::Words(SOMEONE.to_owned()), Piece::Agent);
    let words = |words: Option<String>| Piece::Words(words.unwrap_or_default());
    let reference = |reference: Option<String>| reference.map_or_else(|| Piece::Words(String::new()), Piece::Ref);
    match slot {
        "from" => agent(&event.from_agent_id),
        "to" => agent(&event.to_agent_id),
        "id" => event
            .to_agent_id
            .as_ref()
            .or(event.from_agent_id.as_ref())
            .map_or_else(|| Piece::Words(SOMEONE.to_owned()), |id| Piece::Id(id.clone())),
        "called" => Piece::Named(event.display_name.clone().unwrap_or_default()),
        "scope" => Piece::Scope(event.scope.clone().unwrap_or_default()),
        "task" => reference(event.task.map(|task| task.to_string())),
        "job" => reference(event.job.map(|job| job.to_string())),
        "kept" => reference(event.refs.first().map(ToString::to_string)),
        "messages" => Piece::Words(messages(event)),
        "action" => words(Some(event.messages.first().map_or("an action".to_owned(), |seq| format!("action {seq}")))),
        "seen" => Piece::Label(SEEN_LABEL),
        "accepted" => Piece::Label(ACCEPTED_LABEL),
        _ => words(Some(event.event_type.clone())),
    }
}

/// `message 7`, `messages 7 and 9`.
fn messages(event: &RoomEvent) -> String {
    let numbers: Vec<_> = event.messages.iter().map(ToString::to_string).collect();
    match numbers.as_slice() {
        [] => "messages".to_owned(),
        [one] => format!("message {one}"),
        [first @ .., last] => format!("messages {} and {last}", first.join(", ")),
    }
}

/// How the pieces of an event that the protocol has no label for stand together.
fn template(event: &RoomEvent) -> &'static str {
    match event.event_type.as_str() {
        "create" => "{from} opened the room",
        "join" if event.agent_id_override == Some(true) => "{id} joined as {called}, under an id given by hand",
        "join" => "{id} joined as {called}",
        "leave" if event.proof.is_some() => "{from} is gone",
        "leave" => "{from} left",
        "rest" => "the session of {from} ended and can be resumed",
        "reorder" => "{from} changed the turn order",
        "register" => "{id} is called {called} from now on",
        "wake" => "{from} chose what wakes {to}",
        "claim" if event.from_agent_id.is_some() => "{to} took up the stick from {from}",
        "claim" => "{to} took up the stick",
        "release" | "pass" if event.to_agent_id.is_none() => "{from} released the stick",
        "release" => "{from} released the stick to {to}",
        "pass" => "{from} passed the stick to {to}",
        "takeover" => "{to} took the stick over from {from}",
        "note" => "{from} noted",
        "policy" => "{from} changed the room's policy",
        "rename" => "{from} gave the room a name",
        "close" => "{from} closed the room",
        "action.submit" => "{from} submitted to {to}",
        "action.result" => "{from} told {to} how far {action} is",
        "message.create" if event.to_agent_id.is_some() => "{from} told {to}",
        "message.create" => "{from} told everybody",
        "conversation.task" => "{from} told how far a task is",
        "agent.connect" => "{to} is connected",
        "agent.disconnect" => match event.connection {
            Some(ConnectionState::Gone) => "{to} is gone",
            Some(ConnectionState::Disconnected) => "{to} is disconnected",
            Some(ConnectionState::Connected | ConnectionState::Idle) => "the stream of {to} ended",
            None => "{to} is not connected any more",
        },
        "agent.return" => "{to} is there again",
        "scope.reserve" if event.to_agent_id.is_some() => "{from} reserved {scope} in place of {to}",
        "scope.reserve" => "{from} reserved {scope}",
        "scope.release" => "{to} gave back {scope}",
        "scope.expire" => "the reservation of {scope} by {to} ran out",
        "scope.transfer" => "the reservation of {scope} went on from {from} to {to}",
        "task.create" if event.to_agent_id.is_some() => "{from} wrote down {task} for {to}",
        "task.create" => "{from} wrote down {task}",
        "task.start" => "{from} began {task}",
        "task.done" => "{from} finished {task}",
        "task.assign" if event.to_agent_id == event.from_agent_id => "{from} took on {task}",
        "task.assign" if event.to_agent_id.is_some() => "{from} gave {task} to {to}",
        "task.assign" => "{from} put {task} back: it is nobody's",
        "task.focus" if event.task.is_some() => "{from} turned to {task}",
        "task.focus" => "{from} turned to no task in particular",
        "job.created" => "{from} asked for {job}",
        "job.claimed" => "{from} claimed {job} for a runner",
        "job.reclaimed" => "{from} took {job} over for a runner",
        "job.progress" => "{from} goes on with {job}",
        "job.checkpoint" => "{from} reached something in {job}",
        "job.question" => "{from} asks about {job}",
        "job.proof_gate" => "{from} lacks proof that {job} is done",
        "job.error" => "{from} met an error in {job}",
        "job.manager" => "{from} told {job}",
        "job.completed" => "{from} finished {job}",
        "job.failed" => "{from} could not do {job}",
        "job.canceled" => "{from} withdrew {job}",
        "job.requeued" => "{from} wants {job} done again",
        "job.applied" => "{from} applied the patch of {job}",
        "job.branched" => "{from} made a branch of the patch of {job}",
        "runner.register" => "{from} offers a runner",
        "runner.retire" => "{from} signed off a runner",
        "runner.reset" => "{from} says that a program of a runner is mended",
        "card.create" => "{from} kept {kept}",
        "card.pin" => "{from} changed {kept}",
        "anchor.set" => "{from} described {kept}",
        "plan.create" => "{from} made {kept}",
        "artifact.keep" => "{from} kept {kept}",
        "artifact.drop" => "{from} gave up a file",
        "brief.set" => "{from} said what the room is for",
        "spawn.request" => "{from} asked for another agent, {kept}",
        "spawn.approve" => "{from} approved {kept}, which is {job}",
        "spawn.deny" => "{from} denied {kept}",
        "agent.grant" => "{from} decided what {to} may do",
        "tell" if event.reason.is_some() => "{from} told {to}, and stops what it does",
        "tell" => "{from} told {to}",
        "envelope.send" => "{from} handed {kept} to {to}",
        "envelope.forward" => "what {from} owes, and its edges, went on to {to}",
        "edge.set" => "{from} opened an edge",
        "edge.remove" => "{from} closed an edge",
        "turn.begin" if event.messages.is_empty() => "{to} began {kept}",
        "turn.begin" => "{to} began {kept} with {messages}",
        "turn.prompt" => "{to} was told what to do in {kept}",
        "turn.tools" => "{to} used",
        "turn.end" => "{kept} of {to} ended",
        "deliver" => "{from} was told of {messages}",
        "see" => "{seen} by {from}: {messages} from {to}",
        "accept" => "{accepted} by {from}: {messages} from {to}",
        "forward" => "{messages} went on to {to}",
        _ => "{from} {other} {to}",
    }
}
