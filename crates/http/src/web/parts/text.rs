//! Text of others on a page, what can be copied, and what is said where there is nothing.

use baton_core::ids::RoomId;
use maud::{Markup, html};
use serde::Serialize;

use crate::web::at::path_with;

/// Text as somebody wrote it, lines and all.
pub(in crate::web) fn prose(text: &str) -> Markup {
    html! { p.prose dir="auto" { (text) } }
}

/// A button that copies a text. Without scripts the text can be marked, wherever it is shown.
pub(in crate::web) fn copy(text: &str, label: &str) -> Markup {
    html! { button.copy type="button" data-copy=(text) title={ "Copy " (label) } aria-label={ "Copy " (label) } {} }
}

/// The same thing on a command line.
pub(in crate::web) fn cli(command: &str) -> Markup {
    html! { span.cli { code { (command) } (copy(command, "as CLI command")) } }
}

/// Anything that `open` takes, as a link, with a button that copies it.
pub(in crate::web) fn reference(room: &RoomId, reference: &str) -> Markup {
    let job = reference.strip_prefix("JOB-").filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    let address = match job {
        Some(_) => crate::web::at::path(&["rooms", room.as_str(), "jobs", reference]),
        None => path_with(&["rooms", room.as_str(), "open"], &[("ref", reference)]),
    };
    html! { span.ref { a href=(address) { bdi { (reference) } } (copy(reference, "ref")) } }
}

/// Something as it is stored, behind a click.
pub(in crate::web) fn raw(label: &str, value: &impl Serialize) -> Markup {
    let json = serde_json::to_string_pretty(value).unwrap_or_else(|error| error.to_string());
    html! { details.raw { summary { (label) } pre tabindex="0" { code { (json) } } (copy(&json, "JSON")) } }
}

/// Where there is nothing: what that means, and what to do.
pub(in crate::web) fn empty(what: &str, next: Markup) -> Markup {
    html! { div.empty { p { strong { (what) } } (next) } }
}
