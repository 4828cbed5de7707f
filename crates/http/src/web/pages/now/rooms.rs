//! Every room at a glance: who holds the stick and until when, what each agent is at, and which jobs run.

use baton_app::{
    Failure,
    commands::{
        agent::{self, AgentView},
        jobs::{self, JobView},
        room::RoomGlance,
    },
};
use baton_core::{agent::ConnectionState, job::Status};
use maud::{Markup, html};

use crate::web::{
    at::path,
    look::Look,
    parts::{
        Names, agent as agent_link, cli, deadline, delegate_link, empty, reference, room_name, state_badge, state_tone,
        stick,
    },
};

/// Jobs that are shown of a room.
const JOBS: u32 = 4;
/// Agents that are.
const AGENTS: usize = 8;

pub(super) fn region(look: &Look<'_>, open: &[RoomGlance], has_more: bool) -> Result<Markup, Failure> {
    let mut rows = Vec::with_capacity(open.len());
    for glance in open {
        let room_id = glance.room.room_id.clone();
        let agents = look.ask::<agent::List>(agent::ListInput { room_id: room_id.clone(), all: false })?.agents;
        let wanted = jobs::ListInput {
            room_id,
            status: Some(Status::Running),
            task: None,
            anchor: None,
            cursor: None,
            limit: Some(JOBS),
        };
        rows.push(row(look, glance, &agents, &look.ask::<jobs::List>(wanted)?));
    }
    Ok(html! {
        h2 { "Rooms" }
        @if rows.is_empty() {
            (empty("No room is open", html! { p { "A room begins when somebody joins a workspace: " (cli(&look.store_command("join"))) } p { "Agents join by themselves once they have Baton's tools: " (cli(&look.store_command("install --all"))) } }))
        }
        div.glances { @for row in rows { (row) } }
        @if has_more { p { a href="/rooms" { "All rooms" } } }
    })
}

fn row(look: &Look<'_>, glance: &RoomGlance, agents: &[AgentView], running: &jobs::ListResult) -> Markup {
    let RoomGlance { room, agents: members } = glance;
    let id = &room.room_id;
    let names: Names = members.iter().map(|member| (member.agent_id.clone(), member.name.clone())).collect();
    let name = room_name(room.name.as_deref(), room.canonical_path.as_deref(), id);
    html! {
        article class={ "glance card " (state_tone(room.state)) } id={ "glance-" (id) } data-row data-room=(id) {
            header {
                h3 { a href=(path(&["rooms", id.as_str()])) { bdi { (name) } } }
                p.stick {
                    (state_badge(room.state))
                    @if let Some(holder) = room.owner.as_ref().or(room.reserved_for.as_ref()) { " " (agent_link(id, &names, holder)) }
                    @if let Some(until) = deadline(look, room) { span.quiet { ", " (until) } }
                }
                div.tools { (stick::claim(look, room)) (delegate_link(look, &[("room", id.as_str())])) }
            }
            ul.doing role="list" { @for one in agents.iter().take(AGENTS) { (doing(glance, &names, one)) } }
            @if agents.len() > AGENTS { p.quiet { "and " (agents.len() - AGENTS) " more" } }
            @if agents.is_empty() { p.quiet { "Nobody is here." } }
            @if !running.jobs.is_empty() {
                ul.running role="list" { @for job in &running.jobs { (work(glance, job)) } }
                @if running.has_more { p.quiet { a href=(path(&["rooms", id.as_str(), "jobs"])) { "More jobs run" } } }
            }
        }
    }
}

/// What an agent is at.
fn doing(glance: &RoomGlance, names: &Names, one: &AgentView) -> Markup {
    let id = &glance.room.room_id;
    let state = one.connection.state;
    html! {
        li data-agent=(one.agent_id) data-connection=(state.as_str()) {
            span class={ "dot " (connection_tone(state)) } aria-hidden="true" {}
            span { (agent_link(id, names, &one.agent_id)) " " span.quiet { (state.as_str()) ": " bdi { (one.connection.why) } } }
            @if !one.in_progress.is_empty() { span.at { "at " @for task in one.in_progress.iter().take(3) { (reference(id, &task.to_string())) " " } } }
        }
    }
}

const fn connection_tone(state: ConnectionState) -> &'static str {
    match state {
        ConnectionState::Connected => "good",
        ConnectionState::Idle => "talk",
        ConnectionState::Disconnected | ConnectionState::Gone => "",
    }
}

fn work(glance: &RoomGlance, job: &JobView) -> Markup {
    html! {
        li {
            (reference(&glance.room.room_id, &job.job.to_string())) " " span dir="auto" { (job.title) }
            @if let Some(runner) = &job.runner_id { span.quiet { " on " bdi { (runner) } } }
        }
    }
}
