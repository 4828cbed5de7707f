//! Text of others on a page, what can be copied, and what is said where there is nothing.

use baton_core::{ids::RoomId, reference::Reference};
use maud::{Markup, html};
use serde::Serialize;

use crate::web::at::{path, path_with};

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

/// A reference, with a button that copies it: what `open` takes is a link to it, a receipt says itself what was run or
/// where to look outside.
pub(in crate::web) fn reference(room: &RoomId, reference: &str) -> Markup {
    let place = match reference.parse() {
        Ok(Reference::Job(job)) => {
            let address = path(&["rooms", room.as_str(), "jobs", &job.to_string()]);
            html! { a href=(address) { bdi { (reference) } } }
        }
        Ok(Reference::Link(link)) => html! { a href=(link) rel="noopener noreferrer" { bdi { (reference) } } },
        Ok(Reference::Command(_)) | Err(_) => html! { code { bdi { (reference) } } },
        Ok(_) => {
            let address = path_with(&["rooms", room.as_str(), "open"], &[("ref", reference)]);
            html! { a href=(address) { bdi { (reference) } } }
        }
    };
    html! { span.ref { (place) (copy(reference, "ref")) } }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_opened_is_a_link_and_a_receipt_is_what_it_says() {
        let shown = |text: &str| reference(&"room_1".parse().unwrap(), text).into_string();
        assert!(shown("JOB-001").contains("href=\"/rooms/room_1/jobs/JOB-001\""));
        assert!(shown("JOB-001@7").contains("href=\"/rooms/room_1/open?ref=JOB-001%407\""));
        assert!(shown("LINK: https://example.org/x").contains("href=\"https://example.org/x\""));
        for plain in ["CMD: cargo test", "LINK: javascript:alert(1)", "<b>nothing</b>"] {
            assert!(!shown(plain).contains("href"), "{plain}");
        }
    }
}
