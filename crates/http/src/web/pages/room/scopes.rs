//! Who has reserved which paths, as a tree of paths.

use baton_app::{
    Failure,
    commands::scope::{ScopeView, Status, StatusInput},
};
use baton_core::{agent::user_of, ids::AgentId};
use maud::{Markup, html};

use super::{sight::Sight, tree::Tree};
use crate::web::{
    form::Form,
    look::Look,
    parts::{cli, presence_dot, reference, until},
};

pub(super) fn region(look: &Look<'_>, sight: &Sight) -> Result<Markup, Failure> {
    let found = look.ask::<Status>(StatusInput { room_id: sight.id().clone(), path: None, all: false })?;
    let tree = Tree::of(found.scopes.iter().map(|scope| (scope.scope.as_str(), scope)));
    Ok(html! {
        section.card aria-labelledby="scopes-title" {
            h2 id="scopes-title" { "Scopes" }
            @if found.scopes.is_empty() {
                p.quiet { "No paths are reserved. An agent reserves what it is about to change, and others keep away:" }
                p { (cli(&look.command("scope reserve PATH", sight.id()))) }
            } @else {
                ul.tree role="list" {
                    @for scope in &tree.here { (leaf(look, sight, "the whole room", scope)) }
                    (below(look, sight, &tree))
                }
            }
            @if found.has_more { p.quiet { "More than fit here: " (cli(&look.command("scope status", sight.id()))) } }
        }
    })
}

fn below(look: &Look<'_>, sight: &Sight, tree: &Tree<&ScopeView>) -> Markup {
    html! {
        @for (name, inner) in &tree.below {
            @for scope in &inner.here { (leaf(look, sight, name, scope)) }
            @if inner.here.is_empty() { li.way { code { bdi { (name) "/" } } } }
            @if !inner.below.is_empty() { li { ul role="list" { (below(look, sight, inner)) } } }
        }
    }
}

fn leaf(look: &Look<'_>, sight: &Sight, name: &str, scope: &ScopeView) -> Markup {
    html! {
        li id={ "scope-" (scope.reservation) } data-scope=(scope.scope) data-row {
            p {
                code.path { bdi { (name) } } " " (presence_dot(scope.owner_liveness)) (sight.agent(&scope.owner))
                @if let Some(bead) = &scope.bead_id { " " (reference(sight.id(), bead.as_str())) }
            }
            div.tools.quiet { (until(look, scope.expires_at)) @if may_release(look, sight, scope) { (release(look, sight, scope)) } }
        }
    }
}

/// A person gives back what is theirs, under whichever of their names.
fn may_release(look: &Look<'_>, sight: &Sight, scope: &ScopeView) -> bool {
    look.may_act() && sight.is_open() && (scope.yours || is_same_person(look, sight, &scope.owner))
}

/// Whether an owner is whoever looks, at a terminal of theirs. The room has on record who is a person.
fn is_same_person(look: &Look<'_>, sight: &Sight, owner: &AgentId) -> bool {
    let you = look.caller.actor();
    let user = user_of(&you.agent_id, you.sender_kind());
    user.is_some() && user_of(owner, sight.view(owner).and_then(|view| view.session_kind)) == user
}

fn release(look: &Look<'_>, sight: &Sight, scope: &ScopeView) -> Markup {
    let form = Form::of("scope.release", format!("{} is given back.", scope.scope)).with("room_id", sight.id());
    let form = form.with("scopes[]", &scope.scope);
    let form = if scope.yours { form } else { form.with("_as", &scope.owner) };
    form.body(look, html! { button.small type="submit" aria-label={ "Release " (scope.scope) } { "Release" } })
}
