//! Cards, plans, notes and parts of the map.

use baton_app::commands::open::{OpenedAnchor, OpenedCard, OpenedNote, OpenedPlan};
use maud::{Markup, html};

use super::{
    facts::{cards, facts, jobs, more, part, refs},
    page::View,
    passage,
};
use crate::web::parts::{ago, reference};

pub(super) fn card(view: &View<'_>, opened: &OpenedCard) -> Markup {
    let card = &opened.card;
    let to = |id: Option<String>| id.map(|id| reference(view.room(), &id));
    html! {
        article.card {
            h2 dir="auto" { (card.title) }
            p { span.badge { (card.kind) } @if card.pinned { " " span.badge.good { "pinned" } } @for tag in &card.tags { " " span.badge { bdi { (tag) } } } }
            (passage::prose(view, &opened.text))
            (facts(&[
                ("By", Some(html! { (view.sight.agent(&card.created_by)) ", " (ago(view.look, card.created_at)) })),
                ("Task", to(card.task.map(|task| task.to_string()))),
                ("Job", to(card.job.map(|job| job.to_string()))),
                ("About", to(card.anchor.as_ref().map(ToString::to_string))),
                ("Points to", refs(view, &opened.refs)),
            ]))
        }
    }
}

pub(super) fn plan(view: &View<'_>, opened: &OpenedPlan) -> Markup {
    let plan = &opened.plan;
    let tasks =
        html! { ol.points { @for task in &opened.tasks { li { (reference(view.room(), &task.to_string())) } } } };
    html! {
        article.card {
            h2 dir="auto" { (plan.title) }
            (passage::prose(view, &opened.text))
            (facts(&[("By", Some(html! { (view.sight.agent(&plan.created_by)) ", " (ago(view.look, plan.created_at)) }))]))
            (part("Tasks, in order", !opened.tasks.is_empty(), tasks))
        }
    }
}

pub(super) fn note(view: &View<'_>, opened: &OpenedNote) -> Markup {
    html! {
        article.card {
            h2 { "Noted by " (view.sight.agent(&opened.by)) ", " (ago(view.look, opened.at)) }
            (passage::prose(view, &opened.text))
        }
    }
}

pub(super) fn anchor(view: &View<'_>, opened: &OpenedAnchor) -> Markup {
    html! {
        article.card {
            h2 dir="auto" { (opened.anchor.title) }
            (passage::prose(view, &opened.text))
            p.quiet { "changed " (ago(view.look, opened.anchor.updated_at)) }
            (jobs(view, &opened.jobs))
            (cards(view, &opened.cards))
            (more(&opened.more))
        }
    }
}
