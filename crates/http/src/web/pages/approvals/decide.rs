//! Approve, deny, or approve with changes.

use baton_core::ids::RoomId;
use maud::{Markup, html};
use serde_json::{Map, Value};

use crate::web::{form::Form, look::Look};

/// What can be made different, with what it is called, and whether it takes more than a line.
const CHANGES: [(&str, &str, bool); 8] = [
    ("title", "Title", false),
    ("prompt", "What it is to do", true),
    ("message", "What it is handed first", true),
    ("role", "Role", false),
    ("executor", "Executor", false),
    ("executor_profile", "Profile", false),
    ("executor_model", "Model", false),
    ("priority", "Priority", false),
];

/// The decisions on a request. What was asked for, where it is known, is filled in.
pub(in crate::web::pages) fn decide(
    look: &Look<'_>,
    room: &RoomId,
    approval: &str,
    request: Option<&Map<String, Value>>,
) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    let form = |decision: &str, done: String| {
        Form::of("agent.approval.resolve", done)
            .with("room_id", room)
            .with("approval", approval)
            .with("decision", decision)
    };
    let deny = html! {
        label { span { "Why not" } input name="reason" autocomplete="off"; }
        button.danger type="submit" { "Deny" }
    };
    let modify = html! {
        p.quiet { "What you leave empty stays as it was asked for." }
        @for (name, label, long) in CHANGES {
            @let asked = request.and_then(|request| request.get(name)).and_then(Value::as_str).unwrap_or_default();
            label {
                span { (label) }
                @if long { textarea name={ "changes." (name) } rows="3" placeholder=(asked) {} }
                @else { input name={ "changes." (name) } placeholder=(asked) autocomplete="off"; }
            }
        }
        label { span { "May it ask for further agents?" } (choice("changes.spawn_nodes:bool")) }
        label { span { "May it only look?" } (choice("changes.read_only:bool")) }
        label { span { "Why" } input name="reason" autocomplete="off"; }
        button.primary type="submit" { "Approve with these changes" }
    };
    html! {
        (form("approve", format!("Approved {approval}.")).class("inline").body(look, html! { button.primary type="submit" { "Approve" } }))
        details.act { summary.button { "Deny…" } (form("deny", format!("Denied {approval}.")).class("stack").body(look, deny)) }
        details.act { summary.button { "Edit…" } (form("modify", format!("Approved {approval}, with changes.")).class("stack").body(look, modify)) }
    }
}

fn choice(name: &str) -> Markup {
    html! { select name=(name) { option value="" { "as asked" } option value="true" { "yes" } option value="false" { "no" } } }
}
