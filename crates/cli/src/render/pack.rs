//! Briefs and context packs.

use baton_app::commands::{
    context::{BriefResult, PackResult, PackView},
    open::OpenedPack,
};
use baton_core::{
    context::{Brief, ContextPack, Cut, FieldDiff, Remark},
    handoff::ArtifactRole,
    reference::Reference,
    time::Timestamp,
};
use serde_json::Value;

use super::words::{ago, block, columns, line};

/// What a room is for, and who said so.
pub(crate) fn brief_page(shown: &BriefResult, now: Timestamp) -> String {
    let (Some(revision), Some(by), Some(at)) = (shown.revision, &shown.updated_by, shown.updated_at) else {
        return "Nobody has said what this room is for.\nnext: baton brief edit --goal …\n".to_owned();
    };
    format!("Revision {revision}, by {by}, changed {}\n{}", ago(at, now), said(&shown.brief))
}

fn said(brief: &Brief) -> String {
    let mut page = brief.goal.as_ref().map_or_else(String::new, |goal| block("goal", goal));
    brief.definition_of_done.iter().for_each(|item| page.push_str(&block("done when", item)));
    if let Some(mode) = brief.global_mode {
        page.push_str(&block("mode", mode.as_str()));
    }
    if let Some(root) = &brief.docs_root {
        page.push_str(&block("docs", root));
    }
    for (name, value) in &brief.constraints {
        page.push_str(&block("must", &named(name, value)));
    }
    page
}

/// A pack that was just kept.
pub(crate) fn pack_kept(kept: &PackResult) -> String {
    let (reference, tokens, budget) = (&kept.reference, kept.tokens, kept.budget);
    let mut page = format!("{reference}  for {}, {tokens} of {budget} tokens\n", line(&kept.node_id));
    page.push_str(&cut(&kept.cut));
    kept.gaps.iter().for_each(|gap| page.push_str(&block("not seen", gap)));
    page + &format!("next: baton open {reference}\n")
}

/// Packs, a line each.
pub(crate) fn pack_lines(packs: &[PackView], now: Timestamp) -> String {
    let row = |pack: &PackView| {
        let node = pack.node_id.as_ref().map_or_else(String::new, ToString::to_string);
        let gone = if pack.dropped_at.is_some() { ", given up" } else { "" };
        let made = format!("{} by {}{gone}", ago(pack.created_at, now), pack.created_by);
        [pack.reference.to_string(), line(&node), format!("{} tokens", pack.tokens), made]
    };
    columns(&packs.iter().map(row).collect::<Vec<_>>())
}

/// What two packs differ in, field by field.
pub(crate) fn difference_lines(differences: &[FieldDiff]) -> String {
    if differences.is_empty() {
        return "They say the same.\n".to_owned();
    }
    let mut text = String::new();
    for FieldDiff { field, added, removed, changed } in differences {
        text.push_str(&format!("{}\n", line(field)));
        removed.iter().for_each(|value| text.push_str(&format!("  - {}\n", plain(value))));
        added.iter().for_each(|value| text.push_str(&format!("  + {}\n", plain(value))));
        for change in changed {
            text.push_str(&format!("  - {}\n  + {}\n", plain(&change.before), plain(&change.after)));
        }
    }
    text
}

/// All that a pack says.
pub(super) fn pack_page(opened: &OpenedPack, reference: &Reference, now: Timestamp) -> String {
    let file = &opened.artifact;
    let mut page = format!("{reference}  {} tokens\n", opened.tokens);
    page.push_str(&block("by", &format!("{}, created {}", file.created_by, ago(file.created_at, now))));
    if let Some(why) = &opened.unavailable {
        page.push_str(&block("not here", why));
    }
    opened.pack.as_ref().map_or(page.clone(), |pack| page + &contents(pack))
}

fn contents(pack: &ContextPack) -> String {
    let brief = Brief {
        goal: pack.goal.clone(),
        definition_of_done: pack.definition_of_done.clone(),
        global_mode: pack.global_mode,
        docs_root: pack.docs_root.clone(),
        constraints: pack.constraints.clone(),
    };
    let mut page = block("for", &pack.node_id) + &said(&brief);
    let remark = |label: &str, remark: &Remark| block(label, &format!("{} ({})", remark.text, remark.from));
    pack.do_not.iter().for_each(|item| page.push_str(&remark("do not", item)));
    pack.open_questions.iter().for_each(|item| page.push_str(&remark("question", item)));
    let facts = &pack.repo_facts;
    let known = [
        ("language", &facts.language),
        ("packages", &facts.package_manager),
        ("branch", &facts.branch),
        ("head", &facts.head),
    ];
    for (label, value) in known {
        value.iter().for_each(|value| page.push_str(&block(label, value)));
    }
    facts.dirty_files.iter().for_each(|path| page.push_str(&block("changed", path)));
    for input in &pack.inputs {
        let from = input.from.as_ref().map_or_else(String::new, |from| format!(" from {from}"));
        let says = input.message.as_ref().map_or_else(String::new, |message| format!(": {message}"));
        page.push_str(&block("input", &format!("{}{from}{says}", input.payload_id)));
    }
    pack.artifacts.iter().for_each(|file| page.push_str(&block("artifact", &file.id)));
    for file in &pack.relevant_files {
        let summary = file.summary.as_ref().map_or_else(String::new, |summary| format!("  {summary}"));
        page.push_str(&block(file.role.map_or("file", role), &format!("{}{summary}", file.path)));
    }
    pack.doc_refs.iter().for_each(|doc| page.push_str(&block("document", &format!("{}\n{}", doc.path, doc.excerpt))));
    page + &cut(&pack.cut)
}

const fn role(role: ArtifactRole) -> &'static str {
    match role {
        ArtifactRole::Examine => "examine",
        ArtifactRole::Review => "review",
        ArtifactRole::Edit => "edit",
        ArtifactRole::Context => "context",
        ArtifactRole::Output => "output",
    }
}

/// What there was no room for, if anything.
fn cut(cut: &Cut) -> String {
    let counts = serde_json::to_value(cut).unwrap_or_default();
    let counts = counts.as_object().into_iter().flatten().map(|(list, count)| format!("{count} of {list}"));
    let counts: Vec<String> = counts.collect();
    if counts.is_empty() { String::new() } else { block("cut", &counts.join(", ")) }
}

fn named(name: &str, value: &Value) -> String {
    format!("{name}: {}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) => line(text),
        other => line(&other.to_string()),
    }
}
