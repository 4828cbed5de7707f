//! The panel in which a job is made, from wherever one is: it lies beside the page that it was opened on.

use baton_app::{
    Failure,
    commands::{
        jobs::{Overview, OverviewInput, OverviewResult},
        room::{List, ListInput},
    },
};
use baton_core::{
    ids::{Role, RoomId},
    job::{Choice, Executor, ExpectedArtifact, Isolation, Profile},
    limits,
    runner::SkillProfile,
};
use maud::{Markup, html};

use crate::web::{
    form::Form,
    look::Look,
    parts::{cli, room_name, without_panel},
};

/// The panel, if the address asks for it.
pub(in crate::web) fn panel(look: &Look<'_>) -> Result<Option<Markup>, Failure> {
    if look.at.query("panel") != Some("delegate") || !look.may_act() {
        return Ok(None);
    }
    let given = look.at.query("room").or(Some(look.at.param("room"))).filter(|room| !room.is_empty());
    let room: Option<RoomId> = given.and_then(|room| room.parse().ok());
    let close = without_panel(look.at);
    let asked = match &room {
        Some(room) => {
            let input = OverviewInput { room_id: Some(room.clone()), limit: Some(1), ..OverviewInput::default() };
            // What the address names may not exist; then the panel says so, and the page stays.
            look.ask::<Overview>(input).ok()
        }
        None => None,
    };
    let body = match (&room, &asked) {
        (Some(room), Some(seen)) => form(look, Some(room), Some(seen), &close, html! {}),
        _ => form(look, None, None, &close, rooms(look)?),
    };
    Ok(Some(html! {
        aside.panel #delegate aria-labelledby="delegate-title" {
            div.head {
                h2 #delegate-title { "Delegate" }
                a.button.close href=(close) data-close { "Close" }
            }
            (body)
        }
    }))
}

/// Where it is to be done, when the page does not say.
fn rooms(look: &Look<'_>) -> Result<Markup, Failure> {
    let listed = look.ask::<List>(ListInput { context_path: None, all: true })?;
    Ok(html! {
        label {
            span { "Room" }
            select name="room_id" required {
                @for room in &listed.rooms {
                    option value=(room.room_id) { (room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id)) }
                }
            }
        }
        @if listed.rooms.is_empty() { p.notice { "There is no room yet. " (cli(&look.store_command("join"))) " in a workspace opens one." } }
    })
}

fn form(
    look: &Look<'_>,
    room: Option<&RoomId>,
    seen: Option<&OverviewResult>,
    close: &str,
    pick_room: Markup,
) -> Markup {
    let query = |name: &str| look.at.query(name).unwrap_or_default().to_owned();
    let (task, agent) = (query("task"), query("agent"));
    // A task that is there says when it is done; without one, one is written down along with the job.
    let own_task = task.is_empty();
    let command = if own_task { "tasks.macro.delegate" } else { "jobs.create" };
    let (kind, priority) = if own_task { ("job_kind", "job_priority") } else { ("kind", "priority") };
    let mut form = Form::of(command, "Delegated as {job}.").class("stack").back(close.to_owned());
    if let Some(room) = room {
        form = form.with("room_id", room);
    }
    if !agent.is_empty() {
        form = form.with("meta.about_agent", &agent);
    }
    form.body(look, html! {
        @if let Some(seen) = seen { (where_to(look, seen)) }
        (pick_room)
        @if !agent.is_empty() { p.quiet { "About " b { bdi { (agent) } } "; noted beside the job." } }
        label { span { "Title" } input name="title" required maxlength=(limits::TITLE_CHARS) value=(query("title")) autocomplete="off"; }
        label { span { "Prompt: what to do, in full" } textarea name="prompt" required rows="7" maxlength=(limits::PROMPT_CHARS) {} }
        @if own_task {
            p.quiet { "A task is written down with it." }
            label { span { "Done when (optional)" } input name="definition_of_done" placeholder="its refs lead to what changed and to the proof of it"; }
            label { span { "How to verify, a step a line (optional)" } textarea name="verification[]" rows="2" {} }
        } @else {
            label { span { "Task" } input name="task" required value=(task); }
        }
        div.pair {
            label { span { "Executor" } (choose("executor", Choice::ALL.iter().map(|one| one.as_str()), "auto")) }
            label { span { "Profile" } (optional("executor_profile", Profile::ALL.iter().map(|one| one.as_str()), "any")) }
        }
        div.pair {
            label { span { "Role" } (optional("meta.role", Role::BUILT_IN, "by its kind")) }
            label { span { "Priority" } (choose(priority, ["low", "normal", "high"], "normal")) }
        }
        fieldset {
            legend { "Expected artifacts" }
            @for artifact in ExpectedArtifact::ALL {
                label.check { input type="checkbox" name="expected_artifacts[]" value=(artifact); span { (artifact.as_str().replace('_', " ")) } }
            }
        }
        details.more {
            summary { "More" }
            div.stack {
                label { span { "Where it works" } (choose("isolation", Isolation::ALL.iter().map(|one| one.as_str()), "workspace")) }
                div.pair {
                    label { span { "Kind" } input name=(kind) placeholder="task" maxlength=(limits::JOB_KIND_CHARS); }
                    label { span { "Anchor" } input name="anchor" placeholder="a:core"; }
                }
                div.pair {
                    label { span { "Auto prefers" } (optional("policy.prefer[]", Executor::ALL.iter().map(|one| one.as_str()), "none")) }
                    label { span { "At least" } (optional("policy.min_profile", Profile::ALL.iter().map(|one| one.as_str()), "any")) }
                }
                fieldset {
                    legend { "Auto never takes" }
                    @for executor in Executor::ALL {
                        label.check { input type="checkbox" name="policy.forbid[]" value=(executor); span { (executor) } }
                    }
                }
                div.pair {
                    label { span { "Model" } input name="meta.executor_model" autocomplete="off"; }
                    label { span { "Behaviour pack" } (optional("meta.skill_profile", SkillProfile::ALL.iter().map(|one| one.as_str()), "the runner's")) }
                }
                label { span { "A role of the workspace, in place of the above" } input name="meta.role" placeholder="a file in .baton/roles"; }
                fieldset {
                    legend { "Its agent" }
                    label.check { input type="checkbox" name="meta.grants.read_only:bool" value="true"; span { "only looks, and changes no file" } }
                    label.check { input type="checkbox" name="meta.grants.spawn_nodes:bool" value="true"; span { "may ask for further agents" } }
                }
            }
        }
        p.tools { button.primary type="submit" { "Delegate" } a href=(close) { "Cancel" } }
        details.cli-of { summary { "In a terminal" } p { (cli(&shell(look, room, &task))) } }
    })
}

/// Where it goes, and who is there to do it.
fn where_to(look: &Look<'_>, seen: &OverviewResult) -> Markup {
    let able: Vec<String> = seen
        .runners
        .iter()
        .filter(|runner| runner.status != baton_core::runner::Standing::Offline)
        .filter_map(|runner| runner.capabilities.as_ref())
        .flat_map(|can| &can.executors)
        .map(|ability| {
            let profiles: Vec<&str> = ability.profiles.iter().map(|profile| profile.as_str()).collect();
            format!("{} ({})", ability.executor, profiles.join(", "))
        })
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    html! {
        @if let Some(room) = seen.rooms.first() {
            p.quiet {
                "In " b { bdi { (room_name(room.name.as_deref(), room.canonical_path.as_deref(), &room.room_id)) } } ". "
                @if able.is_empty() { "No runner is there; the job waits for one: " (cli(&look.command("run", &room.room_id))) }
                @else { "Runners here can do: " (able.join(", ")) "." }
            }
        }
    }
}

/// One of some words, of which one is usual.
fn choose<'a>(name: &str, words: impl IntoIterator<Item = &'a str>, usual: &str) -> Markup {
    html! { select name=(name) { @for word in words { option value=(word) selected[word == usual] { (word) } } } }
}

/// One of some words, or none.
fn optional<'a>(name: &str, words: impl IntoIterator<Item = &'a str>, none: &str) -> Markup {
    html! {
        select name=(name) {
            option value="" { (none) }
            @for word in words { option value=(word) { (word) } }
        }
    }
}

fn shell(look: &Look<'_>, room: Option<&RoomId>, task: &str) -> String {
    let words = match task {
        "" => "job delegate TITLE --prompt …".to_owned(),
        // What an address says is not what a shell is to read.
        task if task.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') => {
            format!("job create TITLE --prompt … --task {task}")
        }
        _ => "job create TITLE --prompt … --task TASK-001".to_owned(),
    };
    room.map_or_else(|| look.store_command(&words), |room| look.command(&words, room))
}
