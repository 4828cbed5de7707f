//! The thread: what was said, oldest first, like a conversation, with a box below to say something.

use baton_app::commands::jobs::JobEvent;
use baton_core::{job::Kind, limits};
use maud::{Markup, html};

use super::page::Seen;
use crate::web::{
    form::Form,
    look::Look,
    parts::{agent, ago, prose, reference},
};

/// What somebody did, in words.
const fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Created => "asked for it",
        Kind::Claimed => "took it up",
        Kind::Reclaimed => "took it over",
        Kind::Progress => "goes on",
        Kind::Checkpoint => "reached something",
        Kind::Question => "asks",
        Kind::Manager => "told it",
        Kind::ProofGate => "lacks proof",
        Kind::Error => "met an error",
        Kind::Completed => "is done",
        Kind::Failed => "failed",
        Kind::Canceled => "canceled it",
        Kind::Requeued => "put it back into the queue",
        Kind::Applied => "applied its patch",
        Kind::Branched => "made a branch of its patch",
    }
}

const fn is_minor(kind: Kind) -> bool {
    matches!(kind, Kind::Created | Kind::Claimed | Kind::Reclaimed | Kind::Progress | Kind::Requeued)
}

pub(super) fn thread(look: &Look<'_>, seen: &Seen) -> Markup {
    let without = look.at.query("progress") == Some("no");
    html! {
        div.tools {
            h2 { "Thread" }
            @if without { a href=(look.at.with(&[("progress", "")])) { "with progress" } } @else { a href=(look.at.with(&[("progress", "no")])) { "without progress" } }
        }
        @if let Some(before) = seen.before { p { a.button href=(look.at.with(&[("before", &before.to_string())])) { "Older" } } }
        ol.thread { @for event in &seen.events { (row(look, seen, event)) } }
        @if look.at.query("before").is_some() { p { a.button href=(look.at.with(&[("before", "")])) { "Newest" } } }
        @if seen.job.status.is_active() { (reply(look, seen)) }
    }
}

fn row(look: &Look<'_>, seen: &Seen, event: &JobEvent) -> Markup {
    let minor = if is_minor(event.kind) { " minor" } else { "" };
    html! {
        li id={ "ev-" (event.seq) } class={ (event.kind) (minor) } data-seq=(event.seq) data-kind=(event.kind) data-row {
            p.quiet {
                (agent(&seen.room, &seen.names, &event.by)) " " b { (words(event.kind)) }
                @if let Some(percent) = event.percent { ", " (percent) " %" }
                " · " (ago(look, event.at)) " · " (reference(&seen.room, &event.reference.to_string()))
            }
            (prose(&event.message))
            @if !event.refs.is_empty() { p { @for one in &event.refs { (reference(&seen.room, &one.to_string())) " " } } }
        }
    }
}

fn reply(look: &Look<'_>, seen: &Seen) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    let id = seen.job.job.to_string();
    let label = if seen.job.needs_manager { "Your answer" } else { "Tell it something" };
    let form = Form::of("jobs.message", format!("Told {id}."));
    html! {
        div.reply {
            (form.with("room_id", &seen.room).with("job", &id).body(look, html! {
                label { span { (label) } textarea name="message" rows="2" required maxlength=(limits::JOB_MESSAGE_CHARS) {} }
                button.primary type="submit" { "Send" }
            }))
        }
    }
}
