//! What every part of the page looks at.

use baton_app::{
    Failure,
    commands::{
        agent::{InspectResult, Section},
        open::{Open, OpenInput, OpenedArtifact, What},
    },
};
use baton_core::{ids::RoomId, reference::Reference};
use maud::{Markup, html};
use serde::Serialize;

use crate::web::{
    at::path_with,
    look::Look,
    pages::room::Sight,
    parts::{copy, reference},
};

/// Longest JSON that is shown here, in characters.
const RAW_CHARS: usize = 2_500;
/// Longest JSON that can be copied from here: it is on the page a second time then.
const COPIED_CHARS: usize = 1_500;
/// Parts of a file that are put together: one look shows a few KiB.
const PARTS: usize = 4;

/// An agent, and who looks at it.
pub(super) struct View<'a> {
    pub(super) look: &'a Look<'a>,
    pub(super) sight: &'a Sight,
    pub(super) shown: &'a InspectResult,
    /// The part that is shown alone.
    pub(super) tab: Option<&'a str>,
}

impl View<'_> {
    pub(super) fn room(&self) -> &RoomId {
        self.sight.id()
    }

    pub(super) fn refer(&self, about: &Reference) -> Markup {
        match about.is_stable() {
            true => reference(self.room(), &about.to_string()),
            false => html! { code { bdi { (about) } } },
        }
    }

    /// Where something is shown whole.
    pub(super) fn opened(&self, about: &str) -> String {
        path_with(&["rooms", self.room().as_str(), "open"], &[("ref", about)])
    }

    /// A link to what is older, and one to the part alone.
    pub(super) fn turning(&self, tab: &str, section: Section) -> Markup {
        let older = self.shown.older.iter().find(|cursor| cursor.section == section);
        html! {
            @if let Some(older) = older {
                @let address = if self.tab.is_some() { self.look.at.with(&[("before", &older.before.to_string())]) } else { self.look.at.with(&[("tab", tab), ("before", "")]) };
                p { a.button href=(address) { (if self.tab.is_some() { "Older" } else { "More" }) } }
            }
        }
    }

    /// A file, by its beginning.
    pub(super) fn file(&self, about: &Reference) -> Result<Option<OpenedArtifact>, Failure> {
        let ask = |offset: Option<i64>| {
            let input = OpenInput { id: about.to_string(), offset, workspace: Some(self.room().to_string()) };
            match self.look.ask::<Open>(input)?.what {
                What::Artifact(artifact) => Ok::<_, Failure>(Some(artifact)),
                _ => Ok(None),
            }
        };
        let Some(mut file) = ask(Some(0))? else { return Ok(None) };
        for _ in 1..PARTS {
            let Some(content) = &mut file.content else { break };
            let Some(next) = content.next_offset.and_then(|next| i64::try_from(next).ok()) else { break };
            let Some(more) = ask(Some(next))?.and_then(|file| file.content) else { break };
            content.text.push_str(&more.text);
            content.next_offset = more.next_offset;
        }
        Ok(Some(*file))
    }

    /// Something as it was sent. What is long is cut, and whole where it is opened.
    pub(super) fn raw(&self, about: &str, value: &impl Serialize) -> Markup {
        let json = serde_json::to_string_pretty(value).unwrap_or_else(|error| error.to_string());
        let long = json.chars().nth(RAW_CHARS).is_some();
        let part: String = json.chars().take(RAW_CHARS).collect();
        html! {
            details.raw {
                summary { "Raw" }
                pre tabindex="0" { code { (part) @if long { "\n…" } } }
                @if long { p.quiet { "The rest is not shown here. " a href=(self.opened(about)) { "All of it" } "." } }
                @else if json.len() <= COPIED_CHARS { (copy(&json, "JSON")) }
            }
        }
    }
}

/// A part of the page under its heading.
pub(super) fn part(id: &str, title: &str, body: Markup) -> Markup {
    let heading = format!("{id}-title");
    html! { section.card aria-labelledby=(heading) { h2 id=(heading) { (title) } (body) } }
}

/// Says that there is nothing.
pub(super) fn none(words: &str) -> Markup {
    html! { p.quiet { (words) } }
}
