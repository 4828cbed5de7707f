//! The keys, as a page and as a dialog.

use baton_app::Failure;
use maud::{Markup, html};

use crate::web::{
    look::Look,
    page::{Page, Place, Region},
};

const KEYS: [(&str, &str); 13] = [
    ("/", "Search everything"),
    ("?", "These keys"),
    ("j  k", "Next, previous"),
    ("Enter", "Open what is marked"),
    ("g n", "Now: what needs you"),
    ("g r", "Rooms"),
    ("g j", "Jobs"),
    ("g a", "Agents"),
    ("g p", "Approvals"),
    ("g d", "Doctor"),
    ("e", "Answer, or the first button of what is marked"),
    ("Ctrl+Enter", "Send what you have typed"),
    ("Esc", "Close, or leave a field"),
];

/// `GET /keys`
pub(super) fn page(_look: &Look<'_>) -> Result<Page, Failure> {
    Ok(Page::new("Keys", Place::Elsewhere).region(Region::new("keys", list())))
}

/// The same on any page, when `?` is pressed.
pub(in crate::web) fn dialog() -> Markup {
    html! {
        dialog.keys id="keys" aria-labelledby="keys-title" {
            h2 id="keys-title" { "Keys" }
            (list())
            form method="dialog" { button { "Close" } }
        }
    }
}

fn list() -> Markup {
    html! {
        dl.keylist { @for (key, does) in KEYS { div { dt { @for one in key.split_whitespace() { kbd { (one) } " " } } dd { (does) } } } }
    }
}
