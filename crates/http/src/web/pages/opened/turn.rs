//! A turn: what it consumed, what its agent was told and used, and how it ended.

use baton_app::commands::open::{Input, OpenedTurn, Told};
use baton_core::{
    runner::pointer,
    turn::{ToolState, ToolUse, Usage},
};
use maud::{Markup, html};

use super::{
    facts::{artifacts, facts, part, refs},
    page::View,
};
use crate::web::parts::{ago, reference};

pub(super) fn turn(view: &View<'_>, opened: &OpenedTurn) -> Markup {
    let (turn, look) = (&opened.turn, view.look);
    let ended = turn.ended_at.map(|at| html! { (ago(look, at)) " after " (at.since(turn.began_at)) });
    html! {
        article.card {
            h2 { "Turn " (turn.number) " of " (view.sight.agent(&turn.agent_id)) }
            p { span.badge { (turn.outcome.map_or("open", |outcome| outcome.as_str())) } @if turn.returned { " " span.badge.ask { "what it had consumed went back to the queue" } } }
            (facts(&[
                ("Began", Some(ago(look, turn.began_at))),
                ("Ended", ended),
                ("Why", turn.why.as_ref().map(|why| html! { span dir="auto" { (why) } })),
                ("Job", turn.job.map(|job| reference(view.room(), &job.to_string()))),
                ("Runner", turn.runner_id.as_ref().map(|runner| reference(view.room(), &pointer(runner)))),
                ("With", turn.executor.map(|executor| html! { (executor) })),
                ("Conversation", turn.session.as_ref().map(|session| html! { code { bdi { (session) } } })),
                ("Took", took(&turn.usage)),
                ("Points to", refs(view, &opened.refs)),
            ]))
            (part("Consumed", !opened.inputs.is_empty(), html! { ul.lines role="list" { @for input in &opened.inputs { (consumed(view, input)) } } }))
            (part("Told", !opened.prompts.is_empty(), html! { ul.lines role="list" { @for told in &opened.prompts { (prompt(view, told)) } } }))
            (artifacts(view, &opened.artifacts))
            (part(&format!("Tools, {} used", turn.tools), !opened.tools.is_empty(), tools(view, &opened.tools)))
            @if let Some(next) = opened.next_offset { p { a.button href=(look.at.with(&[("offset", &next.to_string())])) { "More tools" } } }
        }
    }
}

fn took(usage: &Usage) -> Option<Markup> {
    (*usage != Usage::default()).then(|| {
        html! {
            (usage.input_tokens) " tokens in" @if usage.cached_tokens > 0 { " (" (usage.cached_tokens) " from a cache)" } ", " (usage.output_tokens) " out"
            @if let Some(cost) = usage.cost_microusd { ", $" (format!("{}.{:04}", cost / 1_000_000, cost % 1_000_000 / 100)) }
        }
    })
}

fn consumed(view: &View<'_>, input: &Input) -> Markup {
    let named = input.reference.as_ref().map(|one| reference(view.room(), &one.to_string()));
    html! {
        li data-row {
            @if let Some(named) = named { (named) " " } @else { "message " (input.message) " " }
            span.badge { (if input.interrupts { "interrupt" } else { input.category.as_str() }) } " from " (view.sight.agent(&input.from)) ": "
            span dir="auto" { (input.text) }
        }
    }
}

/// What its agent was told, with the whole of it and its blocks behind links.
fn prompt(view: &View<'_>, told: &Told) -> Markup {
    html! {
        li data-row {
            span.badge { (told.mode) } " " (told.sent_tokens) " of " (told.tokens) " tokens, " (ago(view.look, told.at))
            @if let Some(role) = &told.role { ", as " bdi { (role) } }
            @if let Some(pack) = &told.context_ref { ", with " (reference(view.room(), &pack.to_string())) }
            @if let Some(kept) = refs(view, &told.refs) { (kept) }
        }
    }
}

fn tools(view: &View<'_>, used: &[ToolUse]) -> Markup {
    html! {
        table {
            thead { tr { th scope="col" { "Tool" } th scope="col" { "State" } th scope="col" { "What with" } th scope="col" { "When" } } }
            tbody {
                @for one in used {
                    tr { td { bdi { (one.name) } } td { (state(one.state)) } td { code { bdi { (one.detail) } } } td { (ago(view.look, one.at)) } }
                }
            }
        }
    }
}

const fn state(state: ToolState) -> &'static str {
    match state {
        ToolState::Started => "started",
        ToolState::Done => "done",
        ToolState::Failed => "failed",
    }
}
