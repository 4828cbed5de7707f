//! The newest diff that a job left.

use baton_app::{
    Failure,
    commands::{
        jobs::{Diff, DiffInput, DiffResult},
        open::{Open, OpenInput, What},
    },
};
use baton_core::{code::ErrorCode, ids::RoomId, job::Isolation};
use maud::{Markup, html};

use super::page::Seen;
use crate::web::{
    form::Form,
    look::Look,
    parts::{Extent, ago, cli, diff, reference},
};

/// How often the store is asked for more of a diff.
const ASKED: usize = 10;

pub(super) fn latest_diff(look: &Look<'_>, seen: &Seen) -> Result<Markup, Failure> {
    let asked = DiffInput { room_id: seen.room.clone(), job: seen.job.job, slice: None, stat: true, offset: None };
    let newest = match look.ask::<Diff>(asked) {
        Ok(newest) => newest,
        Err(failure) if failure.code == ErrorCode::UnknownId => {
            return Ok(
                html! { h2 { "Diff" } p.quiet { "It left no diff yet. One is kept at the end of each slice that changed something." } },
            );
        }
        Err(failure) if failure.code == ErrorCode::PatchUnusable => {
            return Ok(html! { h2 { "Diff" } p.notice { (failure.message) } });
        }
        Err(failure) => return Err(failure),
    };
    let name = newest.reference.to_string();
    let whole = html! { p { "All of it: " (reference(&seen.room, &name)) } };
    let kept_at =
        seen.artifacts.iter().find(|artifact| artifact.reference == newest.reference).map(|kept| kept.created_at);
    Ok(html! {
        h2 { "Diff" }
        p.quiet {
            (reference(&seen.room, &name))
            @if let Some(at) = kept_at { " · " (ago(look, at)) }
            @if let Some(turn) = newest.turn { " · " (reference(&seen.room, &turn.to_string())) }
            @if let Some(base) = &newest.base { " · against " code { (base.get(..12).unwrap_or(base)) } }
            " · +" (newest.additions) " −" (newest.deletions)
        }
        (uses(look, seen, &newest))
        @match text(look, &seen.room, &name)? {
            Ok(text) => (diff(&text, Extent::Page, &whole)),
            Err(why) => p.notice { (why) },
        }
    })
}

/// What can be done with the patch, or why nothing can.
fn uses(look: &Look<'_>, seen: &Seen, newest: &DiffResult) -> Markup {
    let (id, room) = (seen.job.job.to_string(), &seen.room);
    if let Some(why) = &newest.why_not {
        return html! { @if newest.isolation == Isolation::Worktree { p.notice data-patch="unusable" { (why) } } };
    }
    if newest.additions + newest.deletions == 0 && newest.files.is_empty() {
        return html! { p.quiet { "Nothing is left of what it changed." } };
    }
    let apply = Form::of("jobs.apply", format!("The patch of {id} is in the workspace.")).class("stack");
    let branch = Form::of("jobs.branch", format!("{id} has a branch.")).class("stack");
    html! {
        @if look.may_act() {
            div.tools {
                details.act {
                    summary { "Apply" }
                    (apply.with("room_id", room).with("job", &id).body(look, html! {
                        p.quiet { "All of it or nothing, into the files of the workspace. It takes the stick, or scopes over every file." }
                        p { button type="submit" { "Apply " (id) } }
                    }))
                }
                details.act {
                    summary { "Branch" }
                    (branch.with("room_id", room).with("job", &id).body(look, html! {
                        label { span { "Name" } input name="branch" maxlength="200" placeholder={ "baton/" (id) }; }
                        p { button type="submit" { "Make the branch" } }
                    }))
                }
            }
        }
        details.cli-of { summary { "In a terminal" } p { (cli(&look.command(&format!("job apply {id}"), room))) " " (cli(&look.command(&format!("job branch {id}"), room))) } }
    }
}

/// What is in a file, or why that cannot be shown.
fn text(look: &Look<'_>, room: &RoomId, name: &str) -> Result<Result<String, String>, Failure> {
    let (mut whole, mut offset) = (String::new(), None);
    for _ in 0..ASKED {
        let input = OpenInput { id: name.to_owned(), offset, workspace: Some(room.to_string()) };
        let What::Artifact(opened) = look.ask::<Open>(input)?.what else { break };
        let Some(passage) = opened.content else { return Ok(Err(opened.unavailable.unwrap_or_default())) };
        whole.push_str(&passage.text);
        let Some(next) = passage.next_offset.and_then(|next| i64::try_from(next).ok()) else { break };
        offset = Some(next);
    }
    Ok(Ok(whole))
}
