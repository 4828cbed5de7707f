//! What one agent hands to another, and requests for another agent.

use baton_app::commands::open::{OpenedApproval, OpenedEnvelope};
use baton_core::{envelope::Attachment, inbox::Stage, reference::Reference};
use maud::{Markup, html};

use super::{
    facts::{facts, part},
    page::View,
};
use crate::web::parts::{ShownRequest, ago, asked_for, decide, prose, raw, reference};

pub(super) fn envelope(view: &View<'_>, opened: &OpenedEnvelope) -> Markup {
    let (given, room) = (&opened.envelope, view.room());
    let payload = &given.payload;
    let at = |at: Option<_>| at.map(|at| ago(view.look, at));
    let to = |found: &Option<Reference>| found.as_ref().map(|one| reference(room, &one.to_string()));
    let pointed = html! { ul.lines role="list" { @for one in &payload.artifacts { li { (attachment(view, one)) } } } };
    html! {
        article.card {
            h2 { (view.sight.agent(&given.from_node_id)) " to " (view.sight.agent(&given.to_node_id)) }
            p {
                span.badge { (given.kind) } " " span.badge.talk { (stage(opened.state)) }
                @if opened.awaits_response { " " span.badge.ask { "awaits a response" } }
                @if let Some(verdict) = &payload.status { " " span class={ "badge " (if verdict.ok { "good" } else { "alarm" }) } { (if verdict.ok { "ok" } else { "not ok" }) } }
            }
            (prose(&payload.message))
            @if let Some(reason) = payload.status.as_ref().and_then(|verdict| verdict.reason.as_ref()) { (prose(reason)) }
            (part("Files", !payload.artifacts.is_empty(), pointed))
            @if let Some(structured) = &payload.structured { (raw("Structured output", structured)) }
            (facts(&[
                ("Sent", at(Some(opened.sent_at))),
                ("Delivered", at(opened.delivered_at)),
                ("Seen", at(opened.seen_at)),
                ("Accepted", at(opened.accepted_at)),
                ("Consumed by", opened.turn.map(|turn| reference(room, &turn.to_string()))),
                ("Answers", to(&opened.answers)),
                ("Answered by", to(&opened.answered_by)),
                ("Context", given.context_ref.as_ref().map(|pack| reference(room, pack))),
            ]))
            (raw("The envelope, as it was sent", given))
        }
    }
}

const fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Queued => "not delivered yet",
        Stage::Delivered => "delivered",
        Stage::Seen => "seen",
        Stage::Accepted => "accepted",
    }
}

fn attachment(view: &View<'_>, attachment: &Attachment) -> Markup {
    let stable = attachment.reference.parse::<Reference>().is_ok_and(|one| one.is_stable());
    html! {
        @if stable { (reference(view.room(), &attachment.reference)) } @else { code { bdi { (attachment.reference) } } }
        " " span.quiet { bdi { (attachment.kind) } }
    }
}

pub(super) fn approval(view: &View<'_>, opened: &OpenedApproval) -> Markup {
    let (asked, shown) = (&opened.approval, ShownRequest::of(opened.clone()));
    let modified = (!opened.modified.is_empty()).then(|| html! { bdi { (opened.modified.join(", ")) } });
    html! {
        article.card {
            h2 dir="auto" { (asked.title) }
            p {
                span.badge { (asked.status) } @if opened.by_policy { " " span.badge { "by the room's policy" } }
            }
            (facts(&[
                ("Asked by", Some(html! { (view.sight.agent(&asked.requested_by_agent_id)) ", " (ago(view.look, asked.requested_at)) })),
                ("Decided", asked.decided_at.map(|at| html! { @if let Some(by) = &asked.decided_by { "by " bdi { (by) } ", " } (ago(view.look, at)) })),
                ("Why", asked.reason.as_ref().map(|reason| html! { span dir="auto" { (reason) } })),
                ("Changed before", modified),
                ("Digest", asked.digest.as_ref().filter(|_| shown.is_none()).map(|digest| html! { code { (digest) } })),
                ("Job", asked.job.map(|job| reference(view.room(), &job.to_string()))),
            ]))
            @match &shown {
                Some(shown) => { (asked_for(view.room(), shown)) (decide(view.look, view.room(), asked.approval, Some(shown))) }
                None => (raw("What was asked for", &opened.request)),
            }
        }
    }
}
