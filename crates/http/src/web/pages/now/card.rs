//! One thing that needs you, with what you can do about it.

use baton_app::commands::agent::{Evidence, Need, NeedKind};
use maud::{Markup, html};

use crate::web::{
    at::path,
    form::Form,
    look::Look,
    pages::approvals::decide,
    parts::{Names, agent, ago, cli, prose, reference, room_name, until},
};

pub(super) fn card(look: &Look<'_>, need: &Need) -> Markup {
    let room = &need.room_id;
    let name = room_name(need.room_name.as_deref(), need.canonical_path.as_deref(), room);
    let mut names = Names::new();
    for whom in [Some(&need.who), need.other.as_ref()].into_iter().flatten() {
        names.insert(whom.agent_id.clone(), whom.name.clone());
    }
    let kind = need.kind.as_str();
    html! {
        article class={ "card need " (tone(need.kind)) } id={ "need-" (room) "-" (kind) "-" (need.reference) }
            data-row data-need=(kind) data-room=(room) data-ref=(need.reference) {
            p.need-head {
                span class={ "badge " (tone(need.kind)) } { (label(need.kind)) } " "
                (pointer(need)) " "
                span.quiet { (ago(look, need.since)) " in " a href=(path(&["rooms", room.as_str()])) { bdi { (name) } } }
            }
            h3 dir="auto" { (need.title) }
            p.quiet {
                (said_by(need.kind)) " " (agent(room, &names, &need.who.agent_id))
                @if let Some(other) = &need.other { (between(need.kind)) (agent(room, &names, &other.agent_id)) }
            }
            @if need.words.trim() != need.title.trim() { (prose(&need.words)) }
            @if let Some(evidence) = &need.evidence { (seen(look, evidence)) }
            div.tools { (acts(look, need)) }
            details.cli-of { summary { "In a terminal" } (cli(&need.command)) }
        }
    }
}

const fn tone(kind: NeedKind) -> &'static str {
    match kind {
        NeedKind::Question | NeedKind::Approval | NeedKind::Proof => "ask",
        NeedKind::Ack | NeedKind::Response => "talk",
        NeedKind::Failed | NeedKind::Stuck | NeedKind::Incursion => "alarm",
    }
}

const fn label(kind: NeedKind) -> &'static str {
    match kind {
        NeedKind::Question => "Question",
        NeedKind::Approval => "Approval",
        NeedKind::Ack => "Needs input",
        NeedKind::Response => "Response owed",
        NeedKind::Proof => "Lacks proof",
        NeedKind::Failed => "Failed",
        NeedKind::Stuck => "Stuck",
        NeedKind::Incursion => "Incursion",
    }
}

const fn said_by(kind: NeedKind) -> &'static str {
    match kind {
        NeedKind::Stuck => "Held by",
        NeedKind::Incursion => "Wanted by",
        NeedKind::Question | NeedKind::Approval => "Asked by",
        NeedKind::Ack | NeedKind::Response | NeedKind::Proof | NeedKind::Failed => "From",
    }
}

const fn between(kind: NeedKind) -> &'static str {
    match kind {
        NeedKind::Incursion => ", where there is ",
        _ => ", the answer goes to ",
    }
}

/// What it is, as a link.
fn pointer(need: &Need) -> Markup {
    match need.kind {
        NeedKind::Stuck if need.status.is_none() => html! { span.quiet { "turn " (need.reference) } },
        NeedKind::Ack | NeedKind::Response | NeedKind::Incursion => {
            reference(&need.room_id, &format!("log@{}", need.reference))
        }
        _ => reference(&need.room_id, &need.reference),
    }
}

/// Why somebody counts as stuck.
fn seen(look: &Look<'_>, evidence: &Evidence) -> Markup {
    html! {
        dl.facts.evidence data-evidence {
            div { dt { "Evidence" } dd { (evidence.words) } }
            div { dt { "Lease" } dd { (until(look, evidence.lease_expires_at)) } }
            @if let Some(at) = evidence.last_seen_at { div { dt { "Last seen" } dd { (ago(look, at)) } } }
            @if let Some(pid) = evidence.pid { div { dt { "Process" } dd { "pid " (pid) } } }
        }
    }
}

fn acts(look: &Look<'_>, need: &Need) -> Markup {
    match need.kind {
        NeedKind::Question | NeedKind::Proof => html! { (reply(look, need)) (cancel(look, need)) },
        NeedKind::Failed => html! { (retry(look, need)) (cancel_if_open(look, need)) },
        NeedKind::Approval => decide(look, &need.room_id, &need.reference, None),
        NeedKind::Ack => accept(look, need),
        NeedKind::Response => respond(look, need),
        NeedKind::Stuck if need.status.is_some() => html! { (retry(look, need)) (cancel(look, need)) },
        NeedKind::Stuck => take_over(look, need),
        NeedKind::Incursion => tell_both(look, need),
    }
}

fn job(command: &'static str, done: String, need: &Need) -> Form {
    Form::of(command, done).with("room_id", &need.room_id).with("job", &need.reference)
}

fn reply(look: &Look<'_>, need: &Need) -> Markup {
    job("jobs.message", format!("Answered {}.", need.reference), need).class("inline").body(
        look,
        html! {
            label.grow { span.hidden { "Your answer to " (need.reference) } input name="message" required maxlength="400" placeholder="Your answer" autocomplete="off"; }
            button.primary type="submit" { "Reply" }
        },
    )
}

fn cancel(look: &Look<'_>, need: &Need) -> Markup {
    with_reason(
        look,
        "Cancel…",
        job("jobs.cancel", format!("Cancelled {}.", need.reference), need),
        "Why it is not wanted any more",
        html! { button.danger type="submit" { "Cancel the job" } },
    )
}

/// A job that is over needs no cancelling.
fn cancel_if_open(look: &Look<'_>, need: &Need) -> Markup {
    match need.status {
        Some(status) if status.is_active() => cancel(look, need),
        _ => html! {},
    }
}

fn retry(look: &Look<'_>, need: &Need) -> Markup {
    let form = job("jobs.requeue", format!("{} is in the queue again.", need.reference), need);
    form.with("reason", "Try again.").class("inline").body(look, html! { button.primary type="submit" { "Retry" } })
}

fn accept(look: &Look<'_>, need: &Need) -> Markup {
    let form = Form::of("inbox.ack", "Accepted.").with("room_id", &need.room_id).with("message:int", &need.reference);
    let form = need.to.iter().fold(form, |form, to| form.with("_as", to));
    form.class("inline").body(
        look,
        html! {
            label.grow { span.hidden { "What you say to it" } input name="note" placeholder="What you say to it (optional)" autocomplete="off"; }
            button.primary type="submit" { "Accept" }
        },
    )
}

fn respond(look: &Look<'_>, need: &Need) -> Markup {
    let to = need.other.as_ref().unwrap_or(&need.who);
    let form = Form::of("envelope.send", "Answered.").with("room_id", &need.room_id).with("to", &to.agent_id);
    let form = need.envelope.iter().fold(form, |form, id| form.with("meta.inReplyTo", id));
    let form = need.to.iter().fold(form, |form, to| form.with("_as", to));
    form.class("inline").body(
        look,
        html! {
            label.grow { span.hidden { "Your answer" } input name="message" required placeholder="Your answer" autocomplete="off"; }
            button.primary type="submit" { "Answer" }
        },
    )
}

fn take_over(look: &Look<'_>, need: &Need) -> Markup {
    let turn = need.evidence.as_ref().and_then(|evidence| evidence.turn_id).map(|turn| turn.to_string());
    let form = Form::of("stick.takeover", "You hold the stick now.").with("room_id", &need.room_id);
    let form = form.with("expected_turn_id:int", turn.unwrap_or_else(|| need.reference.clone()));
    with_reason(
        look,
        "Take over…",
        form,
        "Why you take over",
        html! { button.primary type="submit" { "Take over the stick" } },
    )
}

fn tell_both(look: &Look<'_>, need: &Need) -> Markup {
    let whom = [Some(&need.who), need.other.as_ref()];
    html! {
        @for whom in whom.into_iter().flatten() {
            (Form::of("inbox.tell", format!("Told {}.", whom.name)).with("room_id", &need.room_id).with("to", &whom.agent_id).class("inline").body(
                look,
                html! {
                    label.grow { span.hidden { "Tell " (whom.name) } input name="text" required placeholder={ "Tell " (whom.name) } autocomplete="off"; }
                    button type="submit" { "Tell " bdi { (whom.name) } }
                },
            ))
        }
    }
}

/// Something that wants a second thought: what it does stands behind a first click, with why.
fn with_reason(look: &Look<'_>, label: &str, form: Form, why: &str, button: Markup) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    let body = html! { label { span { (why) } input name="reason" required autocomplete="off"; } (button) };
    html! { details.act { summary.button { (label) } (form.class("stack").body(look, body)) } }
}
