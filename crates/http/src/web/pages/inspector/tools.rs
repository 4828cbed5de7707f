//! Which tools it used, the last first.

use baton_app::commands::agent::Section;
use baton_core::turn::ToolState;
use maud::{Markup, html};

use super::view::{View, none, part};
use crate::web::parts::{ago, reference};

pub(super) fn region(view: &View<'_>) -> Markup {
    let all = &view.shown.tools;
    let body = html! {
        @if all.is_empty() { (none("No use of a tool is on record. Runners tell of them, and agents that say so.")) }
        @else {
            table.nodes {
                thead { tr { th scope="col" { "Tool" } th scope="col" { "State" } th scope="col" { "What with" } th scope="col" { "Turn" } th scope="col" { "When" } } }
                tbody {
                    @for tool in all {
                        tr {
                            th scope="row" { bdi { (tool.name) } }
                            td data-label="State" { span class=[(tool.state == ToolState::Failed).then_some("badge alarm")] { (tool.state.as_str()) } }
                            td data-label="What with" { code { bdi { (tool.detail) } } }
                            td data-label="Turn" { (reference(view.room(), &tool.turn.to_string())) }
                            td data-label="When" { (ago(view.look, tool.at)) }
                        }
                    }
                }
            }
        }
        (view.turning("tools", Section::Tools))
    };
    part("tools", "Tools", body)
}
