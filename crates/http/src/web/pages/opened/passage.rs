//! A text that may be long: as much of it as is good to read at once, and where it goes on.

use baton_app::{
    Failure,
    commands::open::{Passage, What},
};
use maud::{Markup, html};
use serde_json::Value;

use super::page::View;

/// Parts of a text that are put together on one page: one look shows a few KiB.
const PARTS: usize = 6;

/// Reads on where `open` stopped, for as long as the page has room.
pub(super) fn read_on(what: &mut What, more: impl Fn(i64) -> Result<What, Failure>) -> Result<(), Failure> {
    for _ in 1..PARTS {
        let Some(passage) = of(what) else { return Ok(()) };
        let Some(next) = passage.next_offset.and_then(|next| i64::try_from(next).ok()) else { return Ok(()) };
        let mut found = more(next)?;
        let (Some(passage), Some(next)) = (of(what), of(&mut found)) else { return Ok(()) };
        passage.text.push_str(&next.text);
        passage.next_offset = next.next_offset;
    }
    Ok(())
}

/// The text of something that has one.
fn of(what: &mut What) -> Option<&mut Passage> {
    match what {
        What::JobEvent(event) => Some(&mut event.text),
        What::Card(card) => Some(&mut card.text),
        What::Plan(plan) => Some(&mut plan.text),
        What::Note(note) => Some(&mut note.text),
        What::Anchor(anchor) => Some(&mut anchor.text),
        What::Artifact(artifact) => artifact.content.as_mut(),
        What::Job(_)
        | What::Task(_)
        | What::Runner(_)
        | What::ContextPack(_)
        | What::Envelope(_)
        | What::Turn(_)
        | What::Approval(_)
        | What::Event(_) => None,
    }
}

/// The text as somebody wrote it.
pub(super) fn prose(view: &View<'_>, passage: &Passage) -> Markup {
    html! { @if !passage.text.is_empty() { p.prose.text dir="auto" { (passage.text) } } (turning(view, passage)) }
}

/// The text as a program wrote it. JSON that is all there is spread out.
pub(super) fn text(view: &View<'_>, passage: &Passage) -> Markup {
    let whole = passage.from == 0 && passage.next_offset.is_none();
    let json = Some(&passage.text).filter(|text| whole && text.trim_start().starts_with(['{', '[']));
    let json = json.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let pretty = json.and_then(|json| serde_json::to_string_pretty(&json).ok());
    html! {
        @if passage.text.is_empty() { p.quiet { "It is empty." } }
        @else { pre tabindex="0" dir="auto" { code { (pretty.as_deref().unwrap_or(&passage.text)) } } }
        (turning(view, passage))
    }
}

/// Which part it is, and the others.
pub(super) fn turning(view: &View<'_>, passage: &Passage) -> Markup {
    let end = passage.from + passage.text.len() as u64;
    html! {
        @if passage.from > 0 || passage.next_offset.is_some() {
            nav.turning aria-label="Other parts of the text" {
                span.quiet { "bytes " (passage.from) " to " (end) " of " (passage.bytes) }
                @if passage.from > 0 { a.button href=(view.look.at.with(&[("offset", "0")])) { "From the beginning" } }
                @if let Some(next) = passage.next_offset { a.button href=(view.look.at.with(&[("offset", &next.to_string())])) { "Go on" } }
            }
        }
    }
}
