//! Making one pack of two, and adding to one.

use std::collections::BTreeMap;

use super::{Budget, ContextPack, Cut, PackId, RepoFacts, fit::fit, tidy::tidy};
use crate::{reference::Reference, time::Timestamp};

/// Both packs as one. Of two values for the same thing the second's counts; lists have the first's entries, then what the
/// second adds.
pub fn merge(first: ContextPack, second: ContextPack, budget: Budget) -> ContextPack {
    merge_all([first, second], budget)
}

/// Several packs as one, in their order. What does not fit is in them.
pub fn merge_all(packs: impl IntoIterator<Item = ContextPack>, budget: Budget) -> ContextPack {
    let packs: Vec<ContextPack> = packs.into_iter().collect();
    let ids = packs.iter().map(|pack| &pack.pack_id).filter(|id| !id.is_empty());
    let sources = ids.map(|id| reference(id)).collect();
    let mut merged = tidy(packs.into_iter().reduce(both).unwrap_or_default());
    merged.cut.sources = sources;
    fit(merged, budget)
}

/// A pack with entries added.
#[derive(Clone, Debug, PartialEq)]
pub struct Appended {
    /// The whole, within its budget.
    pub pack: ContextPack,
    /// The entries by themselves, in full, where the whole has less of them and says that the rest is there.
    pub added: Option<ContextPack>,
}

/// The pack with the entries of `items` added. What `items` says of goal, mode or agent is not looked at; `at` is when they
/// came to be.
pub fn append(pack: ContextPack, items: ContextPack, at: Timestamp, budget: Budget) -> Appended {
    let items = ContextPack {
        pack_id: String::new(),
        run_id: pack.run_id.clone(),
        node_id: pack.node_id.clone(),
        created_at: at,
        goal: None,
        global_mode: None,
        node_mode: pack.node_mode.clone(),
        docs_root: None,
        repo_facts: RepoFacts::default(),
        cut: Cut::default(),
        ..items
    };
    let items = tidy(items).name();
    let pack = merge(pack, items.clone(), budget);
    let added = reference(&items.pack_id);
    let is_named = pack.cut.rest.values().any(|place| place.contains(&added));
    Appended { pack, added: is_named.then_some(items) }
}

/// The reference to a pack, if its id is one.
fn reference(id: &str) -> String {
    id.parse().map_or_else(|_| id.to_owned(), |id: PackId| Reference::Pack(id).to_string())
}

pub(super) fn both(first: ContextPack, second: ContextPack) -> ContextPack {
    ContextPack {
        pack_id: String::new(),
        run_id: said(second.run_id, first.run_id),
        node_id: said(second.node_id, first.node_id),
        created_at: first.created_at.max(second.created_at),
        goal: second.goal.or(first.goal),
        definition_of_done: joined(first.definition_of_done, second.definition_of_done),
        global_mode: second.global_mode.or(first.global_mode),
        node_mode: said(second.node_mode, first.node_mode),
        docs_root: second.docs_root.or(first.docs_root),
        doc_refs: joined(first.doc_refs, second.doc_refs),
        repo_facts: seen(first.repo_facts, second.repo_facts),
        relevant_files: joined(first.relevant_files, second.relevant_files),
        inputs: joined(first.inputs, second.inputs),
        artifacts: joined(first.artifacts, second.artifacts),
        constraints: first.constraints.into_iter().chain(second.constraints).collect(),
        open_questions: joined(first.open_questions, second.open_questions),
        do_not: joined(first.do_not, second.do_not),
        cut: sum(first.cut, second.cut),
    }
}

fn said(second: String, first: String) -> String {
    if second.is_empty() { first } else { second }
}

fn joined<T>(mut first: Vec<T>, second: Vec<T>) -> Vec<T> {
    first.extend(second);
    first
}

/// Branch, head and changed files belong together: they were seen at one time.
fn seen(first: RepoFacts, second: RepoFacts) -> RepoFacts {
    let looked = second.branch.is_some() || second.head.is_some() || !second.dirty_files.is_empty();
    let (language, package_manager) =
        (second.language.or(first.language), second.package_manager.or(first.package_manager));
    let RepoFacts { branch, head, dirty_files, .. } = if looked {
        RepoFacts { language: None, package_manager: None, ..second }
    } else {
        RepoFacts { language: None, package_manager: None, ..first }
    };
    RepoFacts { language, package_manager, branch, head, dirty_files }
}

fn sum(first: Cut, second: Cut) -> Cut {
    Cut {
        doc_refs: first.doc_refs.saturating_add(second.doc_refs),
        excerpts: first.excerpts.saturating_add(second.excerpts),
        summaries: first.summaries.saturating_add(second.summaries),
        dirty_files: first.dirty_files.saturating_add(second.dirty_files),
        relevant_files: first.relevant_files.saturating_add(second.relevant_files),
        artifacts: first.artifacts.saturating_add(second.artifacts),
        messages: first.messages.saturating_add(second.messages),
        inputs: first.inputs.saturating_add(second.inputs),
        texts: first.texts.saturating_add(second.texts),
        open_questions: first.open_questions.saturating_add(second.open_questions),
        do_not: first.do_not.saturating_add(second.do_not),
        definition_of_done: first.definition_of_done.saturating_add(second.definition_of_done),
        constraints: first.constraints.saturating_add(second.constraints),
        rest: BTreeMap::new(),
        sources: Vec::new(),
    }
}
