//! Who it is, whether it is there, and what a person can do: write to it, delegate, say what it may do.

use baton_app::commands::agent::{NodeKind, WaitView};
use baton_core::{ids::AgentId, policy::Wake};
use maud::{Markup, html};

use super::view::View;
use crate::web::{
    at::path,
    form::Form,
    pages::{
        graph::{state_mark, stream_words},
        room::wake_words,
    },
    parts::{ago, cli, copy, delegate_link, process_word, reference, until},
};

pub(super) fn region(view: &View<'_>) -> Markup {
    let (node, look) = (&view.shown.node, view.look);
    let connection = &node.connection;
    let stream = stream_words(connection).unwrap_or(connection.stream.as_str());
    html! {
        section.card.inspected aria-labelledby="agent-title" data-connection=(connection.state.as_str()) {
            h2 id="agent-title" {
                span.state { (state_mark(connection.state)) (connection.state.as_str()) }
                @if node.holds_stick { " " span.badge.good { "has the stick" } }
                " " span.badge { (node.kind.as_str()) }
                @if let Some(role) = &node.role { " " span.badge { bdi { (role) } } }
            }
            p dir="auto" { (connection.why) }
            dl.facts {
                div { dt { "Stream" } dd data-stream=(connection.stream.as_str()) { (stream) } }
                div { dt { "Last activity" } dd { @if let Some(at) = connection.last_activity_at { (ago(look, at)) } @else { "unknown" } } }
                div { dt { "Provider session" } dd data-session {
                    @if let Some(provider) = &connection.provider { bdi { (provider) } " " }
                    @if let Some(session) = &connection.session { code { bdi { (session) } } (copy(session, "session id")) } @else { span.quiet { "none told" } }
                } }
                div { dt { "Process" } dd { (process_word(view.shown.process)) } }
                @if let Some(at) = view.shown.resumable_until { div { dt { "Resumable" } dd { "its session ended; a runner may resume it, " (until(look, at)) } } }
                @if let Some(turn) = connection.turn { div { dt { "Turn" } dd { (reference(view.room(), &turn.to_string())) } } }
                div { dt { "Does" } dd { @if let Some(does) = &node.does { span dir="auto" { (does) } } @else { span.quiet { "nothing on record" } } } }
                @if let Some(job) = node.job { div { dt { "Job" } dd { (reference(view.room(), &job.to_string())) } } }
                @if !node.tasks.is_empty() { div { dt { "Tasks" } dd { @for task in &node.tasks { (reference(view.room(), &task.to_string())) " " } } } }
                @if !view.shown.scopes.is_empty() { div { dt { "Scopes" } dd { @for scope in &view.shown.scopes { code { bdi { (scope) } } " " } } } }
                @if !view.shown.waits.is_empty() { div { dt { "Waits" } dd { ul.waits role="list" { @for wait in &view.shown.waits { (waiting(view, wait)) } } } } }
                div { dt { "May" } dd { (may(view)) } }
                @if let Some(wake) = view.shown.wake { div { dt { "Wake" } dd data-wake=(wake) { b { (wake) } " " span.quiet { (if view.shown.wake_chosen { "chosen for it" } else { "as the room's policy says" }) } } } }
            }
            @if view.sight.is_open() && node.kind != NodeKind::Outside { (acts(view)) }
        }
    }
}

/// Who waits for whom, why, and since when.
fn waiting(view: &View<'_>, wait: &WaitView) -> Markup {
    let named = |id: &AgentId, name: &str| html! { a.agent href=(path(&["rooms", view.room().as_str(), "agents", id.as_str()])) title=(id) { bdi { (name) } } };
    html! {
        li data-wait=(wait.kind.as_str()) {
            (named(&wait.from_agent_id, &wait.from)) " waits for "
            @if let Some(to) = &wait.to_agent_id { (named(to, &wait.to)) } @else { b { (wait.to) } }
            " · " span dir="auto" { (wait.why) }
            @if wait.over { " " span.badge.alarm { "will not come" } }
            p.quiet {
                "since " (ago(view.look, wait.since))
                @if let Some(pending) = &wait.pending { " · " span dir="auto" { (pending) } }
                @if let Some(about) = &wait.reference { " · " (reference(view.room(), &about.to_string())) }
            }
        }
    }
}

fn may(view: &View<'_>) -> Markup {
    let grants = view.shown.grants;
    html! {
        (if grants.spawn_nodes { "ask for further agents" } else { "not ask for further agents" })
        @if grants.read_only { "; whoever it asks for may only look" }
    }
}

fn acts(view: &View<'_>) -> Markup {
    let (node, look) = (&view.shown.node, view.look);
    html! {
        @if node.agent_id != view.sight.you { (tell(view)) }
        div.tools { (delegate_link(look, &[("agent", node.agent_id.as_str())])) }
        @if look.may_act() && node.kind == NodeKind::Agent { (grant(view)) @if view.shown.wake.is_some() { (wakes(view)) } }
    }
}

fn tell(view: &View<'_>) -> Markup {
    let id = &view.shown.node.agent_id;
    let body = html! {
        label { span { "Message" } textarea name="text" rows="2" required {} }
        fieldset.choices {
            legend.hidden { "When it is read" }
            label.choice { input type="radio" name="mode" value="queue" checked; " for its next turn" }
            label.choice { input type="radio" name="mode" value="interrupt"; " now: what it does is stopped" }
        }
        p { button.primary type="submit" { "Send" } }
        (cli(&view.look.command(&format!("tell '{id}' \"…\""), view.sight.id())))
    };
    let form = Form::of("inbox.tell", "The message is sent.").class("stack");
    form.with("room_id", view.room()).with("to", id).body(view.look, body)
}

fn grant(view: &View<'_>) -> Markup {
    let (id, grants) = (&view.shown.node.agent_id, view.shown.grants);
    let choice = |name: &'static str, label: &str, is: bool, words: [&str; 2]| {
        html! {
            label { span { (label) }
                select name=(name) { option value="false" selected[!is] { (words[0]) } option value="true" selected[is] { (words[1]) } }
            }
        }
    };
    let body = html! {
        (choice("spawn_nodes:bool", "Further agents", grants.spawn_nodes, ["may not ask for them", "may ask for them"]))
        (choice("read_only:bool", "Whoever it asks for", grants.read_only, ["may change files", "may only look"]))
        p { button type="submit" { "Say so" } }
        (cli(&view.look.command(&format!("agent grant '{id}' --spawn"), view.sight.id())))
    };
    let form = Form::of("agent.grant", "What it may do is said.").class("stack");
    let form = form.with("room_id", view.room()).with("agent", id);
    html! { details.act { summary { "What it may do" } (form.body(view.look, body)) } }
}

fn wakes(view: &View<'_>) -> Markup {
    let id = &view.shown.node.agent_id;
    let chosen = view.shown.wake.filter(|_| view.shown.wake_chosen);
    let body = html! {
        label { span { "Woken while idle" }
            select name="wake" {
                option value="room" selected[chosen.is_none()] { "as the room's policy says" }
                @for &one in Wake::ALL { option value=(one) selected[chosen == Some(one)] { (one) ": " (wake_words(one)) } }
            }
        }
        p { button type="submit" { "Save" } }
        (cli(&view.look.command(&format!("agent wake '{id}' messages"), view.sight.id())))
    };
    let form = Form::of("agent.wake", "What wakes it is chosen.").class("stack");
    let form = form.with("room_id", view.room()).with("agent", id);
    html! { details.act { summary { "What wakes it" } (form.body(view.look, body)) } }
}
