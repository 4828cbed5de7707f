//! A card for what needs somebody: what it is about, what is asked, and the form that settles it.

use baton_app::commands::agent::{Need, NeedKind, Whom};
use baton_core::{job::Status, limits};
use maud::{Markup, html};

use crate::web::{
    at::path,
    form::Form,
    look::Look,
    parts::{ShownRequest, ago, asked_for, decide, prose, reference, room_name, stick},
};

/// A card.
pub(super) fn card(look: &Look<'_>, need: &Need, shown: Option<&ShownRequest>) -> Markup {
    let kind = need.kind.as_str();
    let name = room_name(need.room_name.as_deref(), need.canonical_path.as_deref(), &need.room_id);
    let key = format!("need-{}-{kind}-{}", need.room_id, need.reference);
    html! {
        article class={ "card need " (tone(need.kind)) } id=(key) data-need=(kind) data-room=(need.room_id) data-ref=(need.reference) data-row aria-labelledby={ (key) "-title" } {
            header {
                span class={ "badge " (tone(need.kind)) } { (label(need)) }
                h3 id={ (key) "-title" } dir="auto" { (need.title) }
                p.quiet.from { (from(need)) " · " (ago(look, need.since)) " · in " a href=(path(&["rooms", need.room_id.as_str()])) { bdi { (name) } } }
            }
            @match shown {
                Some(shown) => { (asked_for(&need.room_id, shown)) }
                None if need.kind != NeedKind::Stuck && need.words.trim() != need.title.trim() => { div.asked { (prose(&need.words)) } }
                None => {}
            }
            (acts(look, need, shown))
        }
    }
}

/// What sort of need it is, in words.
fn label(need: &Need) -> &'static str {
    match (need.kind, need.status) {
        (NeedKind::Question, _) => "asks",
        (NeedKind::Approval, _) => "wants an agent",
        (NeedKind::Ack, _) => "to accept",
        (NeedKind::Response, _) => "to answer",
        (NeedKind::Proof, _) => "shows no proof",
        (NeedKind::Failed, Some(Status::Failed)) => "failed",
        (NeedKind::Failed, _) => "met an error",
        (NeedKind::Stuck, Some(_)) => "runner is silent",
        (NeedKind::Stuck, None) => "stick is stuck",
        (NeedKind::Incursion, _) => "collision",
        (NeedKind::Blocked, _) => "nobody can do it",
        (NeedKind::Unprocessed, _) => "woken, did nothing",
    }
}

const fn tone(kind: NeedKind) -> &'static str {
    match kind {
        NeedKind::Question | NeedKind::Approval | NeedKind::Proof => "ask",
        NeedKind::Ack | NeedKind::Response | NeedKind::Unprocessed => "talk",
        NeedKind::Failed | NeedKind::Stuck | NeedKind::Incursion | NeedKind::Blocked => "alarm",
    }
}

/// Whom or what it comes from.
fn from(need: &Need) -> Markup {
    let named = |whom: &Whom| {
        let address = path(&["rooms", need.room_id.as_str(), "agents", whom.agent_id.as_str()]);
        html! { a.agent href=(address) title=(whom.agent_id) { bdi { (whom.name) } } }
    };
    html! {
        @match need.kind {
            NeedKind::Question | NeedKind::Proof | NeedKind::Failed | NeedKind::Blocked => { (reference(&need.room_id, &need.reference)) }
            NeedKind::Stuck if need.status.is_some() => { (reference(&need.room_id, &need.reference)) }
            NeedKind::Approval => { (reference(&need.room_id, &need.reference)) " by " (named(&need.who)) }
            NeedKind::Ack | NeedKind::Response | NeedKind::Stuck | NeedKind::Unprocessed => { (named(&need.who)) }
            NeedKind::Incursion => { (named(&need.who)) @if let Some(owner) = &need.other { " and " (named(owner)) } }
        }
    }
}

/// What can be done about it.
fn acts(look: &Look<'_>, need: &Need, shown: Option<&ShownRequest>) -> Markup {
    match need.kind {
        NeedKind::Question => html! { (reply(look, need, "Reply")) div.tools { (cancel(look, need)) (said(need)) } },
        NeedKind::Proof => {
            html! { (proof(look, need)) div.tools { (retry(look, need, "Have it done again")) (cancel(look, need)) (said(need)) } }
        }
        NeedKind::Failed if need.status == Some(Status::Failed) => {
            html! { div.tools { (retry(look, need, "Retry")) (said(need)) } }
        }
        NeedKind::Failed => {
            html! { (reply(look, need, "Tell it what to do")) div.tools { (retry(look, need, "Retry")) (cancel(look, need)) (said(need)) } }
        }
        NeedKind::Stuck => stuck(look, need),
        NeedKind::Ack => html! { (accept(look, need)) (said(need)) },
        NeedKind::Response => html! { (respond(look, need)) (said(need)) },
        NeedKind::Incursion => html! { (tell_both(look, need)) (said(need)) },
        NeedKind::Blocked => html! { div.tools { (cancel(look, need)) (said(need)) } },
        NeedKind::Unprocessed => said(need),
        NeedKind::Approval => match need.reference.parse() {
            Ok(id) => decide(look, &need.room_id, id, shown),
            Err(_) => said(need),
        },
    }
}

fn said(need: &Need) -> Markup {
    stick::said(&need.command)
}

fn of_job(command: &'static str, done: String, need: &Need) -> Form {
    Form::of(command, done).with("room_id", &need.room_id).with("job", &need.reference)
}

fn reply(look: &Look<'_>, need: &Need, label: &str) -> Markup {
    of_job("jobs.message", format!("Answered {}.", need.reference), need).class("answer").body(
        look,
        html! {
            label { span { "Your answer" } textarea name="message" rows="2" maxlength=(limits::JOB_MESSAGE_CHARS) required {} }
            button.primary type="submit" { (label) }
        },
    )
}

fn proof(look: &Look<'_>, need: &Need) -> Markup {
    of_job("jobs.message", format!("Answered {}.", need.reference), need).class("stack").body(
        look,
        html! {
            label { span { "What to tell it" } textarea name="message" rows="2" maxlength=(limits::JOB_MESSAGE_CHARS) required {} }
            label { span { "What shows it, one a line: CARD-1, TASK-001, JOB-002, notes@9" } textarea name="refs[]" rows="1" {} }
            p { button.primary type="submit" { "Reply" } }
        },
    )
}

fn retry(look: &Look<'_>, need: &Need, label: &str) -> Markup {
    let done = format!("{} is in the queue again.", need.reference);
    of_job("jobs.requeue", done, need).with("reason", "Tried again from the dashboard.").button(look, label)
}

fn cancel(look: &Look<'_>, need: &Need) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    html! {
        details.act {
            summary { "Cancel…" }
            (of_job("jobs.cancel", format!("Withdrew {}.", need.reference), need).class("stack").body(look, html! {
                label { span { "Why" } input name="reason" required autocomplete="off"; }
                p { button.danger type="submit" { "Withdraw " (need.reference) } }
            }))
        }
    }
}

fn stuck(look: &Look<'_>, need: &Need) -> Markup {
    let Some(evidence) = &need.evidence else { return said(need) };
    let shown = stick::evidence(look, evidence);
    match evidence.turn_id {
        Some(turn) => {
            html! { (shown) div.tools { (stick::take_over(look, &need.room_id, turn, html! { p { (evidence.words) } })) } }
        }
        None => html! { (shown) div.tools { (retry(look, need, "Retry")) (cancel(look, need)) (said(need)) } },
    }
}

/// A form of somebody who goes by the name that they were written to.
fn under_own_name(look: &Look<'_>, need: &Need, form: Form) -> Form {
    match &need.to {
        Some(to) if *to != look.caller.actor().agent_id => form.with("_as", to),
        _ => form,
    }
}

fn accept(look: &Look<'_>, need: &Need) -> Markup {
    let form = Form::of("inbox.ack", "Accepted.").class("answer");
    let form = form.with("room_id", &need.room_id).with("message:int", &need.reference);
    under_own_name(look, need, form).body(
        look,
        html! {
            label { span { "What you say to it, if anything" } input name="note" autocomplete="off"; }
            button.primary type="submit" { "Accept" }
        },
    )
}

fn respond(look: &Look<'_>, need: &Need) -> Markup {
    let (Some(to), Some(envelope)) = (&need.other, &need.envelope) else { return html! {} };
    let form = Form::of("envelope.send", format!("Answered {}.", to.name)).class("answer");
    let form = form.with("room_id", &need.room_id).with("to", &to.agent_id).with("meta.inReplyTo", envelope);
    under_own_name(look, need, form).body(
        look,
        html! {
            label { span { "Your answer to " bdi { (to.name) } } textarea name="message" rows="2" required {} }
            button.primary type="submit" { "Answer" }
        },
    )
}

fn tell_both(look: &Look<'_>, need: &Need) -> Markup {
    if !look.may_act() {
        return html! {};
    }
    html! {
        div.tools {
            a.button href=(path(&["rooms", need.room_id.as_str()])) { "Open the room" }
            @for whom in [Some(&need.who), need.other.as_ref()].into_iter().flatten() {
                details.act {
                    summary { "Tell " bdi { (whom.name) } "…" }
                    (Form::of("inbox.tell", format!("Told {}.", whom.name)).class("stack").with("room_id", &need.room_id).with("to", &whom.agent_id).body(look, html! {
                        label { span { "What it should do" } textarea name="text" rows="2" required {} }
                        p { button.primary type="submit" { "Tell " bdi { (whom.name) } } }
                    }))
                }
            }
        }
    }
}
