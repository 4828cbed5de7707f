//! The room's timings and rules, in words, and the form to change them.

use baton_app::{
    Failure,
    commands::envelope::{EdgeList, EdgeListInput},
};
use baton_core::{
    policy::{Edges, Guard, Policy, Resume, Spawning, Wake},
    time::Ttl,
};
use maud::{Markup, html};

use super::sight::Sight;
use crate::web::{at::path, form::Form, look::Look, parts::cli};

/// A timing: its field, what it is called, and what it means.
type Timing = (&'static str, &'static str, &'static str, Ttl);

fn timings(policy: &Policy) -> [Timing; 6] {
    [
        (
            "owner_lease_ttl_ms",
            "Lease",
            "how long a holder may stay silent before others may take over",
            policy.owner_lease_ttl_ms,
        ),
        ("heartbeat_interval_ms", "Heartbeat", "how often a holder should call in", policy.heartbeat_interval_ms),
        ("claim_ttl_ms", "Claim", "how long the next holder has the first right to claim", policy.claim_ttl_ms),
        (
            "presence_ttl_ms",
            "Presence",
            "how long a member counts as present after its last call",
            policy.presence_ttl_ms,
        ),
        (
            "wait_for_turn_max_wait_ms",
            "Wait",
            "how long a wait lasts when the call does not say",
            policy.wait_for_turn_max_wait_ms,
        ),
        (
            "wait_for_turn_poll_ms",
            "Re-read",
            "how often a waiter looks even if nothing woke it",
            policy.wait_for_turn_poll_ms,
        ),
    ]
}

const fn edges_words(edges: Edges) -> &'static str {
    match edges {
        Edges::Mesh => "envelopes go between all",
        Edges::Explicit => "envelopes go only along edges",
    }
}

const fn spawn_words(spawn: Spawning) -> &'static str {
    match spawn {
        Spawning::Ask => "a person decides on every request for another agent",
        Spawning::Auto => "requests for another agent are approved",
        Spawning::Off => "requests for another agent are refused",
    }
}

const fn guard_words(guard: Guard) -> &'static str {
    match guard {
        Guard::Off => "edits are never stopped",
        Guard::Warn => "an agent that edits without the stick is told",
        Guard::On => "edits without the stick are refused while somebody else is here",
        Guard::Strict => "the same, and shell commands are confined or refused",
    }
}

pub(in crate::web::pages) const fn wake_words(wake: Wake) -> &'static str {
    match wake {
        Wake::Off => "idle agents are left alone",
        Wake::Messages => "messages wake idle agents",
        Wake::All => "messages, the stick and jobs wake idle agents",
    }
}

const fn resume_words(resume: Resume) -> &'static str {
    match resume {
        Resume::Off => "a session that ends leaves",
        Resume::On => "runners resume sessions that ended",
    }
}

pub(super) fn region(look: &Look<'_>, sight: &Sight) -> Result<Markup, Failure> {
    let policy = &sight.state.policy;
    let edges = look.ask::<EdgeList>(EdgeListInput { room_id: sight.id().clone(), agent: None })?.edges.len();
    Ok(html! {
        section.card aria-labelledby="policy-title" {
            h2 id="policy-title" { "Policy" }
            dl.policy {
                @for (_, name, means, span) in timings(policy) { div { dt { (name) } dd { b { (span) } " " span.quiet { (means) } } } }
                div { dt { "Edges" } dd { b { (policy.edges) } " " span.quiet { (edges_words(policy.edges)) ", " a href=(path(&["rooms", sight.id().as_str(), "graph"])) { (edges) @if edges == 1 { " edge" } @else { " edges" } } } } }
                div { dt { "Spawn" } dd { b { (policy.spawn) } " " span.quiet { (spawn_words(policy.spawn)) } } }
                div { dt { "Guard" } dd { b { (policy.guard) } " " span.quiet { (guard_words(policy.guard)) } } }
                div { dt { "Wake" } dd { b { (policy.wake) } " " span.quiet { (wake_words(policy.wake)) } } }
                div { dt { "Resume" } dd { b { (policy.resume) } " " span.quiet { (resume_words(policy.resume)) } } }
            }
            @if sight.is_open() && look.may_act() { details.act { summary { "Change the policy" } (form(look, sight)) } }
        }
    })
}

fn form(look: &Look<'_>, sight: &Sight) -> Markup {
    let policy = &sight.state.policy;
    let body = html! {
        p.quiet { "A number and a unit: 500ms, 30s, 45m, 4h. What is left empty stays. A running lease keeps its end." }
        @for (field, name, _, span) in timings(policy) { label { span { (name) } input name={ "policy." (field) ":time" } placeholder=(span) autocomplete="off"; } }
        label { span { "Edges" } select name="policy.edges" { @for one in [Edges::Mesh, Edges::Explicit] { option value=(one) selected[one == policy.edges] { (one) ": " (edges_words(one)) } } } }
        label { span { "Spawn" } select name="policy.spawn" { @for one in [Spawning::Ask, Spawning::Auto, Spawning::Off] { option value=(one) selected[one == policy.spawn] { (one) ": " (spawn_words(one)) } } } }
        label { span { "Guard" } select name="policy.guard" { @for &one in Guard::ALL { option value=(one) selected[one == policy.guard] { (one) ": " (guard_words(one)) } } } }
        label { span { "Wake" } select name="policy.wake" { @for &one in Wake::ALL { option value=(one) selected[one == policy.wake] { (one) ": " (wake_words(one)) } } } }
        label { span { "Resume" } select name="policy.resume" { @for &one in Resume::ALL { option value=(one) selected[one == policy.resume] { (one) ": " (resume_words(one)) } } } }
        p { button type="submit" { "Save the policy" } }
        (cli(&look.command("room policy --lease 30m", sight.id())))
    };
    Form::of("room.policy", "The policy is saved.").class("stack").with("room_id", sight.id()).body(look, body)
}
