//! What is to be done here, each with a way to delegate it.

use baton_app::{
    Failure,
    commands::tasks::{List, ListInput, TaskView},
};
use baton_core::task::State;
use maud::{Markup, html};

use super::sight::Sight;
use crate::web::{
    form::Form,
    look::Look,
    parts::{cli, delegate_link, reference},
};

/// Tasks that are shown, the newest.
const SHOWN: u32 = 12;

pub(super) fn region(look: &Look<'_>, sight: &Sight) -> Result<Markup, Failure> {
    let input = ListInput { room_id: sight.id().clone(), state: None, mine: false, before: None, limit: Some(SHOWN) };
    let found = look.ask::<List>(input)?;
    Ok(html! {
        section.card aria-labelledby="tasks-title" {
            h2 id="tasks-title" { "Tasks" }
            @if found.tasks.is_empty() { p.quiet { "None yet. What is to be done can be written down here, and delegated." } }
            ul.tasks role="list" { @for task in &found.tasks { (row(look, sight, task)) } }
            @if found.has_more { p.quiet { "Older ones: " (cli(&look.command("task list", sight.id()))) } }
            @if sight.is_open() && look.may_act() { (form(look, sight)) }
        }
    })
}

fn row(look: &Look<'_>, sight: &Sight, task: &TaskView) -> Markup {
    let id = task.task.to_string();
    html! {
        li id={ "task-" (id) } data-task=(id) data-row {
            p { (reference(sight.id(), &id)) " " span dir="auto" { (task.title) } }
            p.quiet {
                span class={ "badge " (tone(task.state)) } { (task.state.as_str().replace('_', " ")) }
                @if let Some(assignee) = &task.assignee { " " (sight.agent(assignee)) }
                @if sight.is_open() && task.state != State::Done { " " (delegate_link(look, &[("task", &id)])) }
            }
        }
    }
}

const fn tone(state: State) -> &'static str {
    match state {
        State::InProgress => "talk",
        State::Done => "good",
        State::Open => "",
    }
}

fn form(look: &Look<'_>, sight: &Sight) -> Markup {
    let body = html! {
        label { span { "What is to be done" } input name="title" required; }
        label { span { "Done when (optional)" } input name="definition_of_done"; }
        p { button type="submit" { "Write it down" } }
        (cli(&look.command("task create \"…\"", sight.id())))
    };
    let form = Form::of("tasks.create", "The task is written down.").class("stack").with("room_id", sight.id());
    html! { details.act { summary { "New task" } (form.body(look, body)) } }
}
