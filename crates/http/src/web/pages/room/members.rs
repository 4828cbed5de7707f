//! The members in turn order: who they are, whether they are there, and the order itself.

use baton_app::view::{MemberStatus, RoomMember};
use baton_core::agent::Presence;
use maud::{Markup, html};

use super::sight::Sight;
use crate::web::{
    form::Form,
    look::Look,
    parts::{ago, cli, copy, delegate_link, empty, presence_dot, process_word},
};

/// More members than this are ordered on the command line: every button carries the whole order.
const MOVABLE: usize = 12;

pub(super) fn region(look: &Look<'_>, sight: &Sight) -> Markup {
    let members = &sight.state.members;
    let movable = sight.is_open() && (2..=MOVABLE).contains(&members.len());
    html! {
        section.card aria-labelledby="members-title" {
            h2 id="members-title" { "Members, in turn order" }
            @if members.is_empty() {
                (empty("Nobody is here", html! { p { "An agent joins by itself when it works here, or with " (cli(&look.store_command("join"))) "." } }))
            }
            ol.members role="list" {
                @for (place, member) in members.iter().enumerate() { (row(look, sight, place, member, movable)) }
            }
            details.cli-of { summary { "As CLI commands" }
                p { (cli(&look.command("agent list", sight.id()))) }
                p { (cli(&look.command(&order_command(sight), sight.id()))) }
            }
        }
    }
}

fn row(look: &Look<'_>, sight: &Sight, place: usize, member: &RoomMember, movable: bool) -> Markup {
    let (id, room) = (&member.agent_id, &sight.state.room);
    let view = sight.view(id);
    let presence = view.map_or_else(|| by_status(member.status), |view| view.liveness);
    html! {
        li id={ "member-" (id) } data-agent=(id) data-row {
            span.place aria-hidden="true" { (place + 1) }
            div {
                p {
                    span data-presence=(presence.as_str()) { (presence_dot(presence)) }
                    (sight.agent(id)) (copy(id.as_str(), "agent id"))
                    @if let Some(role) = &member.role { " " span.badge { bdi { (role) } } }
                    @if room.owner.as_ref() == Some(id) { " " span.badge.good { "holds the stick" } }
                    @if room.reserved_for.as_ref() == Some(id) { " " span.badge.talk { "next" } }
                    @if *id == sight.you { " " span.badge { "you" } }
                }
                p.quiet {
                    (presence.as_str()) ", process " span data-process=(process_word(member.process)) { (process_word(member.process)) }
                    ", " span data-connection=(member.connection.state.as_str()) title=(member.connection.why) { (member.connection.state.as_str()) }
                }
                p.quiet { "seen " (ago(look, member.last_seen_at)) ", joined " (ago(look, member.joined_at)) }
                div.tools {
                    @if sight.is_open() { (delegate_link(look, &[("agent", id.as_str())])) }
                    @if movable && place > 0 { (step(look, sight, place, place - 1, "↑", "Earlier")) }
                    @if movable && place + 1 < sight.state.members.len() { (step(look, sight, place, place + 1, "↓", "Later")) }
                }
            }
        }
    }
}

/// How present somebody is of whom only the room itself tells.
const fn by_status(status: MemberStatus) -> Presence {
    match status {
        MemberStatus::Active => Presence::Active,
        MemberStatus::Inactive => Presence::Stale,
    }
}

/// A button that has two members change places.
fn step(look: &Look<'_>, sight: &Sight, from: usize, to: usize, sign: &str, word: &str) -> Markup {
    let mut order: Vec<&str> = sight.state.members.iter().map(|member| member.agent_id.as_str()).collect();
    order.swap(from, to);
    let name = &sight.state.members[from].display_name;
    Form::of("room.reorder", "The turn order is changed.")
        .with("room_id", sight.id())
        .with("order[]", order.join("\n"))
        .body(look, html! { button.small type="submit" title={ (word) " in the turn order" } aria-label={ (word) " in the turn order: " (name) } { (sign) } })
}

fn order_command(sight: &Sight) -> String {
    let order: Vec<&str> = sight.state.members.iter().map(|member| member.agent_id.as_str()).collect();
    format!("room reorder {}", order.join(" "))
}
