//! The button that opens the panel in which a job is made, with what it is for filled in; and the way back.

use maud::{Markup, html};

use crate::web::{at::At, look::Look};

/// Says which panel is open.
const PANEL: &str = "panel";
/// What an address says of the panel: that it is open, and what it is for.
const FIELDS: [&str; 5] = [PANEL, "room", "task", "agent", "title"];

/// A link to the same page with the panel open: `delegate_link(look, &[("task", "TASK-001")])`. What it can be for is a
/// `room`, a `task`, an `agent` (whose work it carries on) and a `title`; the room is the page's own unless it is named.
/// A viewer sees nothing of it.
pub(in crate::web) fn delegate_link(look: &Look<'_>, fields: &[(&str, &str)]) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    let said = |name: &str| fields.iter().any(|(given, _)| *given == name);
    let others = own(look.at).filter(|name| *name != PANEL && !said(name)).map(|name| (name, ""));
    let opened = [(PANEL, "delegate")].into_iter().chain(fields.iter().copied());
    html! { a.button href=(look.at.with(&others.chain(opened).collect::<Vec<_>>())) data-delegate { "Delegate" } }
}

/// The same page with the panel closed, and all else as it is.
pub(in crate::web) fn without_panel(at: &At) -> String {
    at.with(&own(at).map(|name| (name, "")).collect::<Vec<_>>())
}

fn own(at: &At) -> impl Iterator<Item = &'static str> {
    FIELDS.into_iter().filter(|name| !is_filter(at.path(), name))
}

/// Whether a field says what the page itself is to show, panel or not.
fn is_filter(path: &str, name: &str) -> bool {
    match name {
        "task" => path.ends_with("/jobs"),
        "room" => matches!(path, "/jobs" | "/search" | "/agents" | "/approvals"),
        _ => false,
    }
}
