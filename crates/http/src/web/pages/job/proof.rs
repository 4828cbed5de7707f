//! Proof: how each reference stands, what was demanded, and what is missing.

use baton_app::commands::open::{Open, OpenInput};
use baton_core::{
    job::{ExpectedArtifact, Kind, Standing, Status},
    library::ArtifactKind,
    reference::Reference,
};
use maud::{Markup, html};
use serde_json::Value;

use super::page::Seen;
use crate::web::{
    look::Look,
    parts::{prose, reference},
};

/// References that are followed to see whether they lead somewhere.
const FOLLOWED: usize = 10;

pub(super) fn proof(look: &Look<'_>, seen: &Seen) -> Markup {
    let job = &seen.job;
    let expected = job.meta.get("expected_artifacts").and_then(Value::as_array).into_iter().flatten();
    let expected: Vec<ExpectedArtifact> =
        expected.filter_map(Value::as_str).filter_map(ExpectedArtifact::named).collect();
    let demand = seen.events.iter().rev().find(|event| event.kind == Kind::ProofGate);
    let mut refs: Vec<&Reference> = job.refs.iter().collect();
    let said = seen.events.iter().rev().filter(|event| event.kind != Kind::Progress).flat_map(|event| &event.refs);
    for one in said.filter(|one| !job.refs.contains(one)) {
        if refs.len() < FOLLOWED && !refs.contains(&one) {
            refs.push(one);
        }
    }
    refs.truncate(FOLLOWED);
    html! {
        h2 { "Proof" }
        @match job.status {
            Status::Done => p { "It is done, with the refs below." },
            _ if job.needs_proof => p.notice data-proof="missing" { "Reported DONE without proof. A message of yours that names what shows it (CARD-1) is enough." },
            _ => p.quiet { "A job is done when something that was made during it shows so." },
        }
        @if let Some(demand) = demand { div data-proof="demanded" { p.quiet { "Last demanded: " (reference(&seen.room, &demand.reference.to_string())) } (prose(&demand.message)) } }
        @if !expected.is_empty() {
            ul { @for artifact in &expected { li { (artifact.as_str().replace('_', " ")) ": " (found(seen, *artifact)) } } }
        }
        @if refs.is_empty() { p.quiet { "No refs were given yet." } } @else {
            ul { @for one in &refs { li { (followed(look, seen, one)) } } }
        }
    }
}

/// Whether a file of that sort is there.
fn found(seen: &Seen, artifact: ExpectedArtifact) -> Markup {
    let kind = match artifact {
        ExpectedArtifact::Report => ArtifactKind::Report,
        ExpectedArtifact::Diff | ExpectedArtifact::Patch => ArtifactKind::Diff,
        ExpectedArtifact::Bench | ExpectedArtifact::DocsUpdate => return html! { span.quiet { "look into the refs" } },
    };
    match seen.artifacts.iter().find(|file| file.kind == kind) {
        Some(file) => html! { "kept as " (reference(&seen.room, &file.reference.to_string())) },
        None => html! { span.badge.ask { "missing" } },
    }
}

fn followed(look: &Look<'_>, seen: &Seen, one: &Reference) -> Markup {
    let text = one.to_string();
    let standing = seen.job.proof.iter().find(|proven| proven.reference == *one).map(|proven| proven.standing);
    if !one.is_stable() {
        return html! { code { bdi { (text) } } " " (standing.map_or_else(|| html! { span.quiet { "a receipt: nothing to follow" } }, badge)) };
    }
    let leads =
        look.ask::<Open>(OpenInput { id: text.clone(), offset: None, workspace: Some(seen.room.to_string()) }).is_ok();
    html! { (reference(&seen.room, &text)) " " @if leads { span.badge.good { "leads there" } } @else { span.badge.alarm { "leads nowhere" } } " " @if let Some(standing) = standing { (badge(standing)) } }
}

/// How a reference stands as proof.
fn badge(standing: Standing) -> Markup {
    match standing {
        Standing::Made => html! { span.badge.good data-standing="made" { "made in this job" } },
        Standing::Manager => html! { span.badge.good data-standing="manager" { "named by a manager" } },
        Standing::Seen => html! { span.badge.good data-standing="seen" { "seen to run" } },
        Standing::Claimed => html! { span.badge data-standing="claimed" { "claimed, not seen" } },
        Standing::Failed => html! { span.badge.alarm data-standing="failed" { "seen to fail" } },
    }
}
