//! Keeping a pack within its budget.
//!
//! References outlast text: an entry that is short and points somewhere stays, and the text beside it goes first, because it
//! can be had there. That is passages of documents, then summaries, then what messages say, then all that is long in the goal
//! and the like. Only a pack whose references alone are too many loses some of them, and the last few of each
//! kind stay until all texts are as short as they may be. Questions and limits, which must not be
//! broken or forgotten, are shortened before any of them is left out. Whatever went is counted in the pack, with where the
//! rest is.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{ContextPack, Remark, tidy::shortened, tokens::tokens_in};
use crate::limits;

/// How many tokens a pack may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget(u32);

/// Why a number of tokens is no budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be from {} to {} tokens, not {given}", limits::PACK_TOKENS_RANGE.start(), limits::PACK_TOKENS_RANGE.end())]
pub struct InvalidBudget {
    given: u32,
}

impl Budget {
    /// The budget that was asked for, or the usual one.
    pub fn of(asked: Option<u32>) -> Result<Self, InvalidBudget> {
        match asked.unwrap_or(limits::PACK_TOKENS) {
            tokens if limits::PACK_TOKENS_RANGE.contains(&tokens) => Ok(Self(tokens)),
            given => Err(InvalidBudget { given }),
        }
    }

    /// In tokens.
    pub const fn tokens(self) -> u32 {
        self.0
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self(limits::PACK_TOKENS)
    }
}

/// The length of every id that a pack is given.
const ID_BYTES: usize = 36;
/// A text of more bytes is long: it is shortened before any reference goes.
pub(super) const LONG_TEXT_BYTES: usize = 200;
/// References of each kind that stay until the texts are as short as they may be.
const REFERENCES_MIN: usize = 4;
/// Bytes that are left at least of a text before entries are left out.
const TEXT_BYTES_MIN: usize = 24;

/// One thing that can be cut: how much there is of it, and how to keep only so much.
struct Stage {
    count: fn(&ContextPack) -> usize,
    least: usize,
    keep: fn(&mut ContextPack, usize),
}

const STAGES: [Stage; 18] = [
    down_to(0, |pack| pack.doc_refs.iter().map(|doc| doc.excerpt.len()).max().unwrap_or_default(), shorten_excerpts),
    down_to(0, |pack| pack.relevant_files.iter().filter(|file| file.summary.is_some()).count(), keep_summaries),
    down_to(0, |pack| pack.inputs.iter().filter(|input| input.message.is_some()).count(), keep_messages),
    down_to(LONG_TEXT_BYTES, longest_text, shorten_texts),
    down_to(
        0,
        |pack| pack.repo_facts.dirty_files.len(),
        |pack, kept| first(&mut pack.repo_facts.dirty_files, kept, &mut pack.cut.dirty_files),
    ),
    doc_refs(REFERENCES_MIN),
    relevant_files(REFERENCES_MIN),
    artifacts(REFERENCES_MIN),
    inputs(REFERENCES_MIN),
    down_to(TEXT_BYTES_MIN, longest_text, shorten_texts),
    doc_refs(0),
    relevant_files(0),
    artifacts(0),
    inputs(0),
    down_to(
        0,
        |pack| pack.open_questions.len(),
        |pack, kept| first(&mut pack.open_questions, kept, &mut pack.cut.open_questions),
    ),
    down_to(0, |pack| pack.do_not.len(), |pack, kept| first(&mut pack.do_not, kept, &mut pack.cut.do_not)),
    down_to(
        0,
        |pack| pack.definition_of_done.len(),
        |pack, kept| first(&mut pack.definition_of_done, kept, &mut pack.cut.definition_of_done),
    ),
    down_to(0, |pack| pack.constraints.len(), keep_constraints),
];

const fn down_to(least: usize, count: fn(&ContextPack) -> usize, keep: fn(&mut ContextPack, usize)) -> Stage {
    Stage { count, least, keep }
}

const fn doc_refs(least: usize) -> Stage {
    down_to(least, |pack| pack.doc_refs.len(), |pack, kept| first(&mut pack.doc_refs, kept, &mut pack.cut.doc_refs))
}

const fn relevant_files(least: usize) -> Stage {
    down_to(
        least,
        |pack| pack.relevant_files.len(),
        |pack, kept| first(&mut pack.relevant_files, kept, &mut pack.cut.relevant_files),
    )
}

const fn artifacts(least: usize) -> Stage {
    down_to(least, |pack| pack.artifacts.len(), |pack, kept| last(&mut pack.artifacts, kept, &mut pack.cut.artifacts))
}

const fn inputs(least: usize) -> Stage {
    down_to(least, |pack| pack.inputs.len(), |pack, kept| last(&mut pack.inputs, kept, &mut pack.cut.inputs))
}

/// The pack with as much as the budget holds, under the id that this gives it.
pub(super) fn fit(pack: ContextPack, budget: Budget) -> ContextPack {
    let mut pack = addressed(ContextPack { pack_id: "0".repeat(ID_BYTES), ..pack });
    for stage in &STAGES {
        if fits(&pack, budget) {
            break;
        }
        pack = stage.cut(pack, budget);
    }
    pack.name()
}

fn fits(pack: &ContextPack, budget: Budget) -> bool {
    tokens_in(pack.to_json().len()) <= budget.tokens()
}

impl Stage {
    /// Keeps the most with which the pack fits, or the least if it fits with nothing.
    fn cut(&self, pack: ContextPack, budget: Budget) -> ContextPack {
        let kept = |count| {
            let mut kept = pack.clone();
            (self.keep)(&mut kept, count);
            addressed(kept)
        };
        let (mut best, mut low, mut high) = (kept(self.least), self.least + 1, (self.count)(&pack));
        if !fits(&best, budget) {
            return best;
        }
        while low < high {
            let middle = low.midpoint(high);
            let tried = kept(middle);
            if fits(&tried, budget) {
                (best, low) = (tried, middle + 1);
            } else {
                high = middle;
            }
        }
        best
    }
}

/// The pack with where the rest is of all that it lacks.
fn addressed(mut pack: ContextPack) -> ContextPack {
    pack.cut.rest = rest(&pack);
    pack
}

/// Where the rest is, by what was cut: a field of the entries that are left, or a command.
fn rest(pack: &ContextPack) -> BTreeMap<String, String> {
    let cut = &pack.cut;
    let excerpts = if pack.doc_refs.is_empty() { "docsRoot" } else { "docRefs[].path" };
    let summaries = if pack.relevant_files.is_empty() { "context.build" } else { "relevantFiles[].path" };
    let messages = if pack.inputs.is_empty() { "inbox.list" } else { "inputs[].payloadId" };
    let places = [
        ("docRefs", cut.doc_refs, "docsRoot"),
        ("excerpts", cut.excerpts, excerpts),
        ("summaries", cut.summaries, summaries),
        ("dirtyFiles", cut.dirty_files, "git status"),
        ("relevantFiles", cut.relevant_files, "context.build"),
        ("artifacts", cut.artifacts, "context.build"),
        ("messages", cut.messages, messages),
        ("inputs", cut.inputs, "inbox.list"),
        ("texts", cut.texts, "context.brief.show, room.events"),
        ("openQuestions", cut.open_questions, "room.events"),
        ("doNot", cut.do_not, "room.events"),
        ("definitionOfDone", cut.definition_of_done, "context.brief.show"),
        ("constraints", cut.constraints, "context.brief.show"),
    ];
    let lacking = places.into_iter().filter(|(_, count, _)| *count > 0);
    lacking.map(|(what, _, place)| (what.to_owned(), place.to_owned())).collect()
}

fn first<T>(list: &mut Vec<T>, kept: usize, cut: &mut u32) {
    *cut += list.len().saturating_sub(kept) as u32;
    list.truncate(kept);
}

fn last<T>(list: &mut Vec<T>, kept: usize, cut: &mut u32) {
    let gone = list.len().saturating_sub(kept);
    *cut += gone as u32;
    list.drain(..gone);
}

/// Shortens passages to as many bytes. A few words of one say nothing, and go whole.
fn shorten_excerpts(pack: &mut ContextPack, most: usize) {
    for doc in pack.doc_refs.iter_mut().filter(|doc| doc.excerpt.len() > most) {
        doc.excerpt = if most < TEXT_BYTES_MIN { String::new() } else { shortened(&doc.excerpt, most) };
        pack.cut.excerpts += 1;
    }
}

fn keep_summaries(pack: &mut ContextPack, kept: usize) {
    for file in pack.relevant_files.iter_mut().filter(|file| file.summary.is_some()).skip(kept) {
        file.summary = None;
        pack.cut.summaries += 1;
    }
}

fn keep_messages(pack: &mut ContextPack, kept: usize) {
    for input in pack.inputs.iter_mut().rev().filter(|input| input.message.is_some()).skip(kept) {
        input.message = None;
        pack.cut.messages += 1;
    }
}

fn keep_constraints(pack: &mut ContextPack, kept: usize) {
    while pack.constraints.len() > kept {
        pack.constraints.pop_last();
        pack.cut.constraints += 1;
    }
}

fn longest_text(pack: &ContextPack) -> usize {
    let said = |remarks: &[Remark]| remarks.iter().map(|remark| remark.text.len()).max();
    let done = pack.definition_of_done.iter().map(String::len).max();
    let constraints = pack.constraints.values().map(|value| value.to_string().len()).max();
    let all = [pack.goal.as_ref().map(String::len), done, constraints, said(&pack.open_questions), said(&pack.do_not)];
    all.into_iter().flatten().max().unwrap_or_default()
}

fn shorten_texts(pack: &mut ContextPack, most: usize) {
    let remarks = pack.open_questions.iter_mut().chain(&mut pack.do_not).map(|remark| &mut remark.text);
    let mut count = 0;
    for text in pack.goal.iter_mut().chain(&mut pack.definition_of_done).chain(remarks) {
        if text.len() > most {
            *text = shortened(text, most);
            count += 1;
        }
    }
    for value in pack.constraints.values_mut() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if text.len() > most {
            *value = Value::String(shortened(&text, most));
            count += 1;
        }
    }
    pack.cut.texts += count;
}
