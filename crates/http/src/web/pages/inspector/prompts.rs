//! What it was told, turn by turn: how much, whether all or what was new, and the whole of it and its blocks.

use baton_app::{
    Failure,
    commands::{
        agent::{Section, TurnEntry},
        open::Told,
    },
};
use maud::{Markup, html};

use super::view::{View, none, part};
use crate::web::parts::{ago, reference};

/// Turns whose prompts are shown by their beginning.
const READ: usize = 2;
/// How much of each.
const PREVIEW_CHARS: usize = 1_500;

pub(super) fn region(view: &View<'_>) -> Result<Markup, Failure> {
    let all = &view.shown.turns;
    let mut rows = Vec::new();
    for (place, entry) in all.iter().enumerate() {
        rows.push(turn(view, entry, place < READ)?);
    }
    let body = html! {
        @if all.is_empty() { (none("It had no turn yet: what an agent is told is on record turn by turn.")) }
        ul.waits role="list" { @for row in &rows { (row) } }
        (view.turning("prompts", Section::Turns))
    };
    Ok(part("prompts", "Prompts", body))
}

fn turn(view: &View<'_>, entry: &TurnEntry, read: bool) -> Result<Markup, Failure> {
    let turn = &entry.turn;
    let mut told = Vec::new();
    for prompt in &entry.prompts {
        told.push(prompted(view, prompt, read)?);
    }
    Ok(html! {
        li id={ "prompts-" (turn.turn) } data-row data-turn=(turn.turn) {
            p {
                (reference(view.room(), &turn.turn.to_string())) " " span.badge { (turn.outcome.map_or("open", |outcome| outcome.as_str())) }
                " " span.quiet { "began " (ago(view.look, turn.began_at)) ", consumed " (entry.consumed.len()) @if entry.consumed.len() == 1 { " message" } @else { " messages" } }
            }
            @if told.is_empty() { p.quiet { "What it was told is not on record." } }
            @for told in &told { (told) }
        }
    })
}

fn prompted(view: &View<'_>, told: &Told, read: bool) -> Result<Markup, Failure> {
    let mut files = Vec::new();
    if read {
        for kept in &told.refs {
            files.extend(view.file(kept)?);
        }
    }
    Ok(html! {
        p {
            span.badge.talk { (told.mode) } " " (told.sent_tokens) " of " (told.tokens) " tokens sent, " (ago(view.look, told.at))
            @if let Some(role) = &told.role { ", as " bdi { (role) } }
            @if let Some(pack) = &told.context_ref { ", with " (view.refer(pack)) }
        }
        @if !read { p { @for kept in &told.refs { (view.refer(kept)) " " } } }
        @for file in &files {
            @let named = file.artifact.reference.to_string();
            details.raw {
                summary { bdi { (file.artifact.name) } ", " (file.artifact.bytes) " bytes" }
                @if let Some(content) = &file.content {
                    @let part: String = content.text.chars().take(PREVIEW_CHARS).collect();
                    pre tabindex="0" dir="auto" { code { (part) @if part.len() < content.text.len() { "\n…" } } }
                }
                @if let Some(why) = &file.unavailable { p.quiet { (why) } }
                p { (reference(view.room(), &named)) }
            }
        }
    })
}
