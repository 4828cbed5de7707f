//! The timeline: each event as a sentence, and what it says below it.

use std::collections::BTreeMap;

use baton_app::{
    view::RoomEvent,
    wording::{self, Piece},
};
use baton_core::ids::AgentId;

use super::{handoff_page, protocol, words::line};
use crate::ui::clean;

/// Where the lines below a sentence begin.
const INDENT: &str = "       ";

/// What agents are called, by their ids.
pub(crate) type Names = BTreeMap<AgentId, String>;

/// An event as a sentence.
pub(crate) fn event_line(event: &RoomEvent, names: &Names) -> String {
    let (sentence, below) = told(event, names);
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
pub(super) fn told(event: &RoomEvent, names: &Names) -> (String, String) {
    let sentence: String = wording::sentence(event).iter().map(|piece| printed(piece, names)).collect();
    match &event.protocol {
        Some(said) => {
            let subject = wording::said(event).map_or_else(String::new, |subject| format!(": {}", line(subject)));
            (sentence + &subject, protocol::page(said))
        }
        None => {
            let said = wording::said(event).map_or_else(String::new, |said| format!(": {said}"));
            (sentence + &said, event.handoff.as_ref().map_or_else(String::new, handoff_page))
        }
    }
}

/// A piece of a sentence on a terminal.
pub(super) fn printed(piece: &Piece, names: &Names) -> String {
    match piece {
        Piece::Words(words) => words.clone(),
        Piece::Agent(agent) => names.get(agent).map_or_else(|| agent.to_string(), |name| line(name)),
        Piece::Id(agent) => agent.to_string(),
        Piece::Named(text) | Piece::Ref(text) | Piece::Scope(text) => line(text),
        Piece::Label(label) => (*label).to_owned(),
    }
}

#[cfg(test)]
mod tests;
