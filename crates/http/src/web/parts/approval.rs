//! A request for another agent: what is asked for, and how it is decided on.

use baton_app::commands::open::OpenedApproval;
use baton_core::{
    ids::RoomId,
    job::{Choice, Isolation, Priority, Profile},
    spawn::{ApprovalId, ApprovalStatus, NodeSpec, SpecDigest},
};
use maud::{Markup, html};

use super::{prose, raw, reference, stick::said};
use crate::web::{form::Form, look::Look};

/// A pending request as a page shows it: only that is approved.
pub(in crate::web) struct ShownRequest {
    pub(in crate::web) spec: NodeSpec,
    pub(in crate::web) digest: SpecDigest,
}

impl ShownRequest {
    /// A request as it was opened, if it is still to be decided.
    pub(in crate::web) fn of(opened: OpenedApproval) -> Option<Self> {
        let digest = opened.approval.digest.filter(|_| opened.approval.status == ApprovalStatus::Pending)?;
        Some(Self { spec: serde_json::from_value(opened.request.into()).ok()?, digest })
    }
}

/// All that is asked for.
pub(in crate::web) fn asked_for(room: &RoomId, shown: &ShownRequest) -> Markup {
    let (spec, routing) = (&shown.spec, &shown.spec.routing);
    html! {
        dl.facts {
            div { dt { "Prompt" } dd { (prose(&spec.prompt)) } }
            @if spec.payload.message != spec.prompt { div { dt { "Handed first" } dd { (prose(&spec.payload.message)) } } }
            @if let Some(role) = &spec.role { div { dt { "Role" } dd { bdi { (role) } } } }
            div { dt { "Done by" } dd { (routing.executor.as_str()) ", " (routing.profile().as_str()) @if let Some(model) = &routing.executor_model { ", " bdi { (model) } } } }
            div { dt { "Works in" } dd { (place(routing.isolation)) } }
            div { dt { "May" } dd { (if spec.grants.read_only { "only look" } else { "change files" }) @if spec.grants.spawn_nodes { ", and ask for further agents" } } }
            div { dt { "Priority" } dd { (priority(spec.priority)) ", " bdi { (spec.kind) } } }
            @if let Some(task) = spec.task { div { dt { "Task" } dd { (reference(room, &task.to_string())) } } }
            @if let Some(pack) = &spec.context_ref { div { dt { "Context" } dd { (reference(room, pack)) } } }
            @if !spec.payload.artifacts.is_empty() {
                div { dt { "Comes with" } dd { @for one in &spec.payload.artifacts { (reference(room, &one.reference)) " " } } }
            }
            div { dt { "Digest" } dd { code { (shown.digest) } } }
        }
        (raw("Raw", spec))
    }
}

/// Approving, denying, and approving with changes. Only what is shown can be approved.
pub(in crate::web) fn decide(look: &Look<'_>, room: &RoomId, id: ApprovalId, shown: Option<&ShownRequest>) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    let form = |decision: &str, done: String| {
        Form::of("agent.approval.resolve", done).with("room_id", room).with("approval", id).with("decision", decision)
    };
    html! {
        div.tools {
            @match shown {
                Some(shown) => (form("approve", format!("Approved {id}.")).with("digest", &shown.digest).body(look, html! { button.primary type="submit" { "Approve" } })),
                None => span { "To approve it, see what it asks for: " (reference(room, &id.to_string())) },
            }
            details.act {
                summary { "Deny…" }
                (form("deny", format!("Denied {id}.")).class("stack").body(look, html! {
                    label { span { "Why; it is told" } input name="reason" autocomplete="off"; }
                    p { button.danger type="submit" { "Deny" } }
                }))
            }
            @if let Some(shown) = shown {
                details.act {
                    summary { "Edit…" }
                    (form("modify", format!("Approved {id}, with changes.")).with("digest", &shown.digest).class("stack").body(look, html! {
                        (changes(&shown.spec))
                        label { span { "What to say to it" } input name="reason" autocomplete="off"; }
                        p { button.primary type="submit" { "Approve with changes" } }
                    }))
                    p.quiet { "It never may do more than the one that asked for it, whatever is changed." }
                }
            }
            (said(&look.command(&format!("approval approve {id}"), room)))
        }
    }
}

fn changes(spec: &NodeSpec) -> Markup {
    let routing = &spec.routing;
    let profile = routing.executor_profile.map_or("", Profile::as_str);
    html! {
        label { span { "Title" } input name="changes.title" value=(spec.title); }
        label { span { "Prompt" } textarea name="changes.prompt" rows="4" { (spec.prompt) } }
        label { span { "Handed first" } textarea name="changes.message" rows="2" { (spec.payload.message) } }
        div.pair {
            label { span { "Role" } input name="changes.role" value=[spec.role.as_ref()]; }
            label { span { "Kind" } input name="changes.kind" value=(spec.kind); }
            (choose("Priority", "changes.priority", &["low", "normal", "high"], priority(spec.priority)))
            (choose("Executor", "changes.executor", &words(Choice::ALL, Choice::as_str), routing.executor.as_str()))
            (choose("Profile", "changes.executor_profile", &["", "fast", "deep", "audit"], profile))
            label { span { "Model" } input name="changes.executor_model" value=[routing.executor_model.as_ref()]; }
            (choose("Works in", "changes.isolation", &words(Isolation::ALL, Isolation::as_str), routing.isolation.as_str()))
            (choose("May only look", "changes.read_only:bool", &["true", "false"], bool_word(spec.grants.read_only)))
            (choose("May ask for agents", "changes.spawn_nodes:bool", &["true", "false"], bool_word(spec.grants.spawn_nodes)))
        }
    }
}

fn choose(label: &str, name: &str, words: &[&str], chosen: &str) -> Markup {
    let shown = |word: &str| match word {
        "" => "as it comes".to_owned(),
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        other => other.to_owned(),
    };
    html! {
        label { span { (label) } select name=(name) {
            @for word in words { option value=(word) selected[*word == chosen] { (shown(word)) } }
        } }
    }
}

fn words<T: Copy>(all: &[T], word: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().copied().map(word).collect()
}

const fn bool_word(yes: bool) -> &'static str {
    if yes { "true" } else { "false" }
}

const fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "low",
        Priority::Medium => "normal",
        Priority::High => "high",
    }
}

const fn place(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Workspace => "the workspace itself",
        Isolation::Worktree => "a worktree of its own",
    }
}
