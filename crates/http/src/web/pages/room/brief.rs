//! What the room is for, and the form to say so.

use baton_app::{
    Failure,
    commands::context::{BriefResult, BriefShow, BriefShowInput},
};
use baton_core::context::Mode;
use maud::{Markup, html};

use super::sight::Sight;
use crate::web::{
    form::Form,
    look::Look,
    parts::{ago, cli, prose},
};

pub(super) fn region(look: &Look<'_>, sight: &Sight) -> Result<Markup, Failure> {
    let stated = look.ask::<BriefShow>(BriefShowInput { room_id: sight.id().clone() })?;
    let brief = &stated.brief;
    Ok(html! {
        section.card aria-labelledby="brief-title" {
            h2 id="brief-title" { "Brief" }
            @if stated.revision.is_none() { p.quiet { "Nobody has said yet what this room is for. What is said here goes to every agent that starts work." } }
            dl.handoff {
                @if let Some(goal) = &brief.goal { div { dt { "Goal" } dd { (prose(goal)) } } }
                @if !brief.definition_of_done.is_empty() {
                    div { dt { "Done when" } dd { ul.points { @for point in &brief.definition_of_done { li dir="auto" { (point) } } } } }
                }
                @if let Some(mode) = brief.global_mode { div { dt { "Mode" } dd { (mode_words(mode)) } } }
                @if let Some(docs) = &brief.docs_root { div { dt { "Documents" } dd { code { bdi { (docs) } } } } }
                @for (name, value) in &brief.constraints { div { dt { bdi { (name) } } dd { code { bdi { (value) } } } } }
            }
            @if let (Some(by), Some(at)) = (&stated.updated_by, stated.updated_at) { p.quiet { "Said by " (sight.agent(by)) ", " (ago(look, at)) } }
            @if sight.is_open() && look.may_act() { details.act { summary { "Edit the brief" } (form(look, sight, &stated)) } }
        }
    })
}

const fn mode_words(mode: Mode) -> &'static str {
    match mode {
        Mode::Planning => "planning",
        Mode::Implementation => "implementation",
    }
}

fn form(look: &Look<'_>, sight: &Sight, stated: &BriefResult) -> Markup {
    let brief = &stated.brief;
    let mode = brief.global_mode.map_or("", |mode| mode.as_str());
    let modes =
        [("", "not said"), (Mode::Planning.as_str(), "planning"), (Mode::Implementation.as_str(), "implementation")];
    let body = html! {
        label { span { "Goal" } textarea name="=goal" rows="3" { (brief.goal.as_deref().unwrap_or_default()) } }
        label { span { "Done when, one a line" } textarea name="=definition_of_done[]" rows="3" { (brief.definition_of_done.join("\n")) } }
        label { span { "Mode" } select name="=global_mode" { @for (value, words) in modes { option value=(value) selected[value == mode] { (words) } } } }
        label { span { "Documents, from the room's root" } input name="=docs_root" value=[brief.docs_root.as_deref()]; }
        label { span { "Constraints to add or take out (null), as JSON" } textarea name="constraints:json" rows="2" placeholder="{\"max_files\": 20}" {} }
        p { button type="submit" { "Save the brief" } }
        (cli(&look.command("brief edit --goal \"…\"", sight.id())))
    };
    let form = Form::of("context.brief.edit", "The brief is saved.").class("stack").with("room_id", sight.id());
    // Shown even when there is none yet, so that two people who both begin are told of each other.
    form.with("revision:int", stated.revision.map_or(0, |revision| revision.0)).body(look, body)
}
