//! What its program prints: while it runs as it comes, and then the end of what was kept of it.

use baton_app::{
    Failure,
    commands::{
        jobs::{Log, LogInput},
        open::{Open, OpenInput, What},
    },
};
use baton_core::turn::ToolUse;
use maud::{Markup, html};

use super::page::Seen;
use crate::web::{
    look::Look,
    parts::{ago, reference},
};

/// Uses of tools that are shown.
const USES: usize = 25;
/// How often the store is asked for later ones.
const ASKED: usize = 6;

pub(super) fn log(look: &Look<'_>, seen: &Seen) -> Result<Markup, Failure> {
    let printed = look.ask::<Log>(LogInput { room_id: seen.room.clone(), job: seen.job.job })?;
    let turn = printed.turn.map(|turn| turn.to_string());
    let running = seen.turns.first().filter(|turn| turn.outcome.is_none());
    Ok(html! {
        h2 { "Log" }
        @if let (true, Some(turn)) = (printed.live, running) {
            @let (uses, stream) = (tools(look, seen, &turn.turn.to_string())?, seen.opened.agent.connection.stream);
            p data-live { span.dot.good aria-hidden="true" {} " " (reference(&seen.room, &turn.turn.to_string())) " is running, since " (ago(look, turn.began_at)) ". Its stream is " b { (stream) } "." }
            @if !uses.is_empty() {
                details.tools-used {
                    summary { "The last tools that it used" }
                    ol.tooluses { @for used in &uses { li class=(used.state) { (used.name) " " bdi { (used.detail) } " " span.quiet { (used.state) ", " (ago(look, used.at)) } } } }
                }
            }
        } @else if let Some(kept) = &printed.reference {
            p.quiet { "The end of " (reference(&seen.room, &kept.to_string())) @if let Some(turn) = &turn { ", of " (reference(&seen.room, turn)) } }
        }
        @match (&printed.text, &printed.unavailable) {
            (Some(text), _) => pre tabindex="0" data-tail { code { (text) } },
            (None, Some(why)) => p.quiet { (why) },
            (None, None) => {}
        }
    })
}

/// The last tools that a turn used.
fn tools(look: &Look<'_>, seen: &Seen, turn: &str) -> Result<Vec<ToolUse>, Failure> {
    let (mut uses, mut offset) = (Vec::new(), None);
    for _ in 0..ASKED {
        let input = OpenInput { id: turn.to_owned(), offset, workspace: Some(seen.room.to_string()) };
        let What::Turn(opened) = look.ask::<Open>(input)?.what else { break };
        uses.extend(opened.tools);
        let Some(next) = opened.next_offset.and_then(|next| i64::try_from(next.0).ok()) else { break };
        offset = Some(next);
    }
    let begin = uses.len().saturating_sub(USES);
    Ok(uses.split_off(begin))
}
