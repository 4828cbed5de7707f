//! One form for what a pack is made of: each thing once, in its place, no longer than anybody reads, and without secrets.

use std::{borrow::Cow, collections::BTreeMap};

use serde_json::Value;

use super::{ContextPack, Input, RelevantFile, Remark, RepoFacts};
use crate::{
    handoff::ArtifactRole,
    limits,
    redact::{redact, redact_json},
};

/// The pack in its one form. Of two entries for the same thing the later one counts, in the place of the first.
pub(super) fn tidy(pack: ContextPack) -> ContextPack {
    let mut cut = pack.cut;
    let name = |text: &str| named(text, limits::PACK_NAME_BYTES);
    let mut doc_refs = pack.doc_refs;
    for doc in &mut doc_refs {
        (doc.path, doc.excerpt) = (name(&doc.path), said(&doc.excerpt));
    }
    doc_refs = united(doc_refs, |doc| &doc.path, |_, later| later);
    doc_refs.sort();
    limited(&mut doc_refs, &mut cut.doc_refs);
    let mut relevant_files = pack.relevant_files;
    for file in &mut relevant_files {
        (file.path, file.summary) = (name(&file.path), file.summary.as_deref().map(said));
    }
    relevant_files = united(relevant_files, |file| &file.path, refined);
    relevant_files.sort_by(|one, other| (rank(one), &one.path).cmp(&(rank(other), &other.path)));
    limited(&mut relevant_files, &mut cut.relevant_files);
    let mut inputs = pack.inputs;
    for input in &mut inputs {
        input.payload_id = name(&input.payload_id);
        input.from = input.from.as_deref().map(fact);
        input.message = input.message.as_deref().map(said);
    }
    inputs = united(inputs, |input| &input.payload_id, heard);
    newest(&mut inputs, &mut cut.inputs);
    let mut artifacts = pack.artifacts;
    for artifact in &mut artifacts {
        (artifact.id, artifact.kind) = (name(&artifact.id), fact(&artifact.kind));
    }
    artifacts = united(artifacts, |artifact| &artifact.id, |_, later| later);
    newest(&mut artifacts, &mut cut.artifacts);
    let done = pack.definition_of_done.iter().map(|text| redact(text.trim()).into_owned()).collect();
    let mut definition_of_done = united(done, |text: &String| text, |first, _| first);
    definition_of_done.retain(|text| !text.is_empty());
    limited(&mut definition_of_done, &mut cut.definition_of_done);
    ContextPack {
        pack_id: String::new(),
        run_id: fact(&pack.run_id),
        node_id: fact(&pack.node_id),
        created_at: pack.created_at,
        goal: pack.goal.map(|goal| redact(goal.trim()).into_owned()).filter(|goal| !goal.is_empty()),
        definition_of_done,
        global_mode: pack.global_mode,
        node_mode: if pack.node_mode.is_empty() { ContextPack::AUTO.to_owned() } else { fact(&pack.node_mode) },
        docs_root: pack.docs_root.as_deref().map(name),
        doc_refs,
        repo_facts: facts(&pack.repo_facts, &mut cut.dirty_files),
        relevant_files,
        inputs,
        artifacts,
        constraints: pack.constraints.into_iter().map(constraint).collect(),
        open_questions: remarks(pack.open_questions, &mut cut.open_questions),
        do_not: remarks(pack.do_not, &mut cut.do_not),
        cut,
    }
}

/// A text of at most `most` bytes. Where something is missing, there is an ellipsis.
pub(super) fn shortened(text: &str, most: usize) -> String {
    const ELLIPSIS: &str = "…";
    if text.len() <= most {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(most.saturating_sub(ELLIPSIS.len()));
    format!("{}{ELLIPSIS}", text[..end].trim_end())
}

/// A text on one line, without characters that show nothing.
fn named(text: &str, most: usize) -> String {
    let plain: Cow<'_, str> =
        if text.contains(char::is_control) { text.replace(char::is_control, " ").into() } else { text.into() };
    shortened(&redact(plain.trim()), most)
}

fn fact(text: &str) -> String {
    named(text, limits::PACK_FACT_BYTES)
}

fn said(text: &str) -> String {
    shortened(&redact(text.trim()), limits::PACK_TEXT_BYTES)
}

fn facts(facts: &RepoFacts, cut: &mut u32) -> RepoFacts {
    let short = |text: &Option<String>| text.as_deref().map(fact).filter(|text| !text.is_empty());
    let mut dirty_files: Vec<String> =
        facts.dirty_files.iter().map(|path| named(path, limits::PACK_NAME_BYTES)).collect();
    dirty_files.sort();
    dirty_files.dedup();
    limited(&mut dirty_files, cut);
    RepoFacts {
        language: short(&facts.language),
        package_manager: short(&facts.package_manager),
        branch: short(&facts.branch),
        head: short(&facts.head),
        dirty_files,
    }
}

fn remarks(given: Vec<Remark>, cut: &mut u32) -> Vec<Remark> {
    let plain = given
        .into_iter()
        .map(|remark| Remark { text: redact(remark.text.trim()).into_owned(), from: fact(&remark.from) });
    // Who asked first asked.
    let mut remarks = united(plain.collect(), |remark: &Remark| &remark.text, |first, _| first);
    remarks.retain(|remark| !remark.text.is_empty());
    limited(&mut remarks, cut);
    remarks
}

/// A constraint without secrets, which a name alone may give away: `"token": "…"`.
fn constraint((given, value): (String, Value)) -> (String, Value) {
    let value = in_order(redact_json(Some(&given), &value));
    (named(&given, limits::CONSTRAINT_NAME_BYTES), value)
}

/// The same value with its fields in one order.
fn in_order(value: Value) -> Value {
    match value {
        Value::Array(values) => Value::Array(values.into_iter().map(in_order).collect()),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.into_iter().map(|(name, value)| (name, in_order(value))).collect();
            fields.sort_by(|(one, _), (other, _)| one.cmp(other));
            Value::Object(fields.into_iter().collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

/// Each thing once, in the place where it came first.
fn united<T: Clone>(items: Vec<T>, key: fn(&T) -> &String, both: fn(T, T) -> T) -> Vec<T> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut all: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        match places.get(key(&item)) {
            Some(&place) => all[place] = both(all[place].clone(), item),
            None => {
                places.insert(key(&item).clone(), all.len());
                all.push(item);
            }
        }
    }
    all
}

/// What is known of a file from two sides.
fn refined(earlier: RelevantFile, later: RelevantFile) -> RelevantFile {
    RelevantFile {
        path: later.path,
        summary: later.summary.filter(|summary| !summary.is_empty()).or(earlier.summary),
        role: later.role.or(earlier.role),
    }
}

/// What is known of an input from two sides.
fn heard(earlier: Input, later: Input) -> Input {
    Input {
        payload_id: later.payload_id,
        from: later.from.or(earlier.from),
        message: later.message.or(earlier.message),
    }
}

/// How pressing a file is: what is to be changed comes first.
fn rank(file: &RelevantFile) -> u8 {
    match file.role {
        Some(ArtifactRole::Edit) => 0,
        Some(ArtifactRole::Review) => 1,
        Some(ArtifactRole::Examine) => 2,
        Some(ArtifactRole::Context) => 3,
        Some(ArtifactRole::Output) => 4,
        None => 5,
    }
}

fn limited<T>(list: &mut Vec<T>, cut: &mut u32) {
    *cut += list.len().saturating_sub(limits::PACK_ITEMS) as u32;
    list.truncate(limits::PACK_ITEMS);
}

fn newest<T>(list: &mut Vec<T>, cut: &mut u32) {
    let gone = list.len().saturating_sub(limits::PACK_ITEMS);
    *cut += gone as u32;
    list.drain(..gone);
}
