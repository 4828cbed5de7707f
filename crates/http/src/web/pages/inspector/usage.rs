//! What its turns took, each and in all.

use baton_app::commands::agent::Section;
use baton_core::turn::Usage;
use maud::{Markup, html};

use super::view::{View, none, part};
use crate::web::parts::reference;

pub(super) fn region(view: &View<'_>) -> Markup {
    let (all, total) = (&view.shown.turns, &view.shown.usage);
    let body = html! {
        @if all.is_empty() { (none("No turn is on record, so nothing was counted.")) }
        @else {
            div.scrolled tabindex="0" role="group" aria-label="Usage of each turn" { table.usage {
                thead { tr { th scope="col" { "Turn" } th scope="col" { "In" } th scope="col" { "From a cache" } th scope="col" { "Out" } th scope="col" { "Cost" } th scope="col" { "Tools" } } }
                tbody {
                    @for entry in all {
                        tr { th scope="row" { (reference(view.room(), &entry.turn.turn.to_string())) } (numbers(&entry.turn.usage)) td { (entry.turn.tools) } }
                    }
                }
                tfoot { tr { th scope="row" { "All " (view.shown.turn_count) } (numbers(total)) td {} } }
            } }
        }
        (view.turning("usage", Section::Turns))
    };
    part("usage", "Usage, in tokens", body)
}

fn numbers(usage: &Usage) -> Markup {
    html! {
        td { (usage.input_tokens) } td { (usage.cached_tokens) } td { (usage.output_tokens) }
        td { @if let Some(cost) = usage.cost_microusd { "$" (format!("{}.{:04}", cost / 1_000_000, cost % 1_000_000 / 100)) } @else { span.quiet { "not told" } } }
    }
}
