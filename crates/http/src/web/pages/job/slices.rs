//! The slices: each is a turn of the job's agent, with what it took and what it left.

use baton_app::commands::{library::ArtifactView, turn::TurnView};
use maud::{Markup, html};

use super::page::Seen;
use crate::web::{
    look::Look,
    parts::{ago, reference},
};

pub(super) fn slices(look: &Look<'_>, seen: &Seen) -> Markup {
    let of =
        |turn: &TurnView| seen.artifacts.iter().filter(|artifact| artifact.turn == Some(turn.turn)).collect::<Vec<_>>();
    html! {
        h2 { "Slices" }
        @if seen.turns.is_empty() { p.quiet { "None yet. A runner plays a slice at a time, until the job is done with proof." } } @else {
            div.wide-table tabindex="0" role="region" aria-label="Slices" {
                table.slices {
                    thead { tr { th scope="col" { "Slice" } th scope="col" { "Outcome" } th scope="col" { "Tokens" } th scope="col" { "Prompt" } th scope="col" { "Left behind" } th scope="col" { "Begun" } } }
                    tbody { @for turn in &seen.turns { (row(look, seen, turn, &of(turn))) } }
                }
            }
        }
    }
}

fn row(look: &Look<'_>, seen: &Seen, turn: &TurnView, files: &[&ArtifactView]) -> Markup {
    let is_prompt = |file: &&&ArtifactView| file.kind == baton_core::library::ArtifactKind::Prompt;
    let links = |some: Vec<&ArtifactView>| html! { @for file in some { div title=(file.name) { (reference(&seen.room, &file.reference.to_string())) } } };
    html! {
        tr id={ "turn-" (turn.turn) } data-row data-turn=(turn.turn) {
            td { (turn.number) " " (reference(&seen.room, &turn.turn.to_string())) }
            td {
                @match turn.outcome { Some(outcome) => (outcome), None => b { "running" } }
                @if let Some(why) = &turn.why { p.quiet dir="auto" { (why) } }
            }
            td { (turn.usage.input_tokens) " in" br; (turn.usage.cached_tokens) " cached" br; (turn.usage.output_tokens) " out" }
            td {
                @if let Some(mode) = turn.mode { p.quiet { (mode) ", " (turn.sent_tokens) " of " (turn.tokens) " tokens sent" } }
                (links(files.iter().filter(is_prompt).copied().collect()))
            }
            td { (links(files.iter().filter(|file| !is_prompt(file)).copied().collect())) @if turn.tools > 0 { p.quiet { (turn.tools) " uses of tools" } } }
            td { (ago(look, turn.began_at)) }
        }
    }
}
