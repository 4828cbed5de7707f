//! Keeping a pack within its budget.
//!
//! References outlast text: an entry that is short and points somewhere stays, and the text beside it goes first, because it
//! can be had there. Long texts are shortened first, wherever they are, so that short ones stay; then passages of documents go,
//! then summaries, then what messages say, the longest first. Only a pack whose references alone are too many loses some of them, and the last few of each
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
    down_to(LONG_TEXT_BYTES, longest_of_all, shorten_all),
    down_to(0, longest_excerpt, shorten_excerpts),
    down_to(0, longest_summary, shorten_summaries),
    down_to(0, longest_message, shorten_messages),
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
    let whole = ContextPack { pack_id: "0".repeat(ID_BYTES), ..pack };
    let mut pack = addressed(whole.clone(), &whole);
    for stage in &STAGES {
        if fits(&pack, budget) {
            break;
        }
        pack = stage.cut(pack, &whole, budget);
    }
    pack.cut.sources.clear();
    pack.name()
}

fn fits(pack: &ContextPack, budget: Budget) -> bool {
    tokens_in(pack.to_json().len()) <= budget.tokens()
}

impl Stage {
    /// Keeps the most with which the pack fits, or the least if it fits with nothing.
    fn cut(&self, pack: ContextPack, whole: &ContextPack, budget: Budget) -> ContextPack {
        let kept = |count| {
            let mut kept = pack.clone();
            (self.keep)(&mut kept, count);
            addressed(kept, whole)
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

/// The pack with how many texts of `whole` it has less of, and where the rest is of all that it lacks.
fn addressed(mut pack: ContextPack, whole: &ContextPack) -> ContextPack {
    let same = |one: Option<&str>, other: Option<&str>| u32::from(one.is_some() && one != other);
    // Lists lose entries at their ends, but for inputs, of which the newest stay.
    let gone = whole.inputs.len() - pack.inputs.len();
    let excerpts = whole.doc_refs.iter().enumerate().map(|(place, doc)| {
        let left = pack.doc_refs.get(place).map(|doc| doc.excerpt.as_str());
        same(Some(doc.excerpt.as_str()).filter(|text| !text.is_empty()), left)
    });
    let summaries = whole.relevant_files.iter().enumerate().map(|(place, file)| {
        same(file.summary.as_deref(), pack.relevant_files.get(place).and_then(|file| file.summary.as_deref()))
    });
    let messages = whole.inputs.iter().enumerate().map(|(place, input)| {
        let left = place.checked_sub(gone).and_then(|place| pack.inputs.get(place));
        same(input.message.as_deref(), left.and_then(|input| input.message.as_deref()))
    });
    let done = pack.definition_of_done.iter().zip(&whole.definition_of_done).map(|(left, all)| left != all);
    let questions = pack.open_questions.iter().zip(&whole.open_questions).map(|(left, all)| left != all);
    let limits = pack.do_not.iter().zip(&whole.do_not).map(|(left, all)| left != all);
    let constraints = pack.constraints.iter().map(|(name, left)| whole.constraints.get(name) != Some(left));
    let texts = done.chain(questions).chain(limits).chain(constraints).chain([pack.goal != whole.goal]).map(u32::from);
    let counts = [excerpts.sum::<u32>(), summaries.sum(), messages.sum(), texts.sum()];
    pack.cut.excerpts = whole.cut.excerpts + counts[0];
    pack.cut.summaries = whole.cut.summaries + counts[1];
    pack.cut.messages = whole.cut.messages + counts[2];
    pack.cut.texts = whole.cut.texts + counts[3];
    pack.cut.rest = rest(&pack);
    pack
}

/// Places of the rest, by what was cut: a field of the entries that are left, or a command.
fn rest(pack: &ContextPack) -> BTreeMap<String, String> {
    let cut = &pack.cut;
    let said = |place: &str| [&[place.to_owned()][..], &cut.sources].concat().join(", ");
    let excerpts = said(if pack.doc_refs.is_empty() { "docsRoot" } else { "docRefs[].path" });
    let summaries = said(if pack.relevant_files.is_empty() { "context.build" } else { "relevantFiles[].path" });
    let messages = if pack.inputs.is_empty() { "inbox.list" } else { "inputs[].payloadId" };
    let (log, brief) = (said("room.events"), said("context.brief.show"));
    let texts = said("context.brief.show, room.events");
    let places = [
        ("docRefs", cut.doc_refs, "docsRoot"),
        ("excerpts", cut.excerpts, excerpts.as_str()),
        ("summaries", cut.summaries, &summaries),
        ("dirtyFiles", cut.dirty_files, "git status"),
        ("relevantFiles", cut.relevant_files, "context.build"),
        ("artifacts", cut.artifacts, "context.build"),
        ("messages", cut.messages, messages),
        ("inputs", cut.inputs, "inbox.list"),
        ("texts", cut.texts, texts.as_str()),
        ("openQuestions", cut.open_questions, &log),
        ("doNot", cut.do_not, &log),
        ("definitionOfDone", cut.definition_of_done, &brief),
        ("constraints", cut.constraints, &brief),
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

fn longest_of_all(pack: &ContextPack) -> usize {
    longest_text(pack).max(longest_excerpt(pack)).max(longest_summary(pack)).max(longest_message(pack))
}

fn shorten_all(pack: &mut ContextPack, most: usize) {
    shorten_texts(pack, most);
    shorten_excerpts(pack, most);
    shorten_summaries(pack, most);
    shorten_messages(pack, most);
}

/// A text of at most so many bytes. A few words of one say nothing, and go whole.
fn within(text: &str, most: usize) -> Option<String> {
    (most >= TEXT_BYTES_MIN).then(|| shortened(text, most))
}

fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(str::len).max().unwrap_or_default()
}

fn longest_excerpt(pack: &ContextPack) -> usize {
    longest(pack.doc_refs.iter().map(|doc| doc.excerpt.as_str()))
}

fn shorten_excerpts(pack: &mut ContextPack, most: usize) {
    for doc in pack.doc_refs.iter_mut().filter(|doc| doc.excerpt.len() > most) {
        doc.excerpt = within(&doc.excerpt, most).unwrap_or_default();
    }
}

fn longest_summary(pack: &ContextPack) -> usize {
    longest(pack.relevant_files.iter().filter_map(|file| file.summary.as_deref()))
}

fn shorten_summaries(pack: &mut ContextPack, most: usize) {
    for file in &mut pack.relevant_files {
        if let Some(summary) = file.summary.take_if(|summary| summary.len() > most) {
            file.summary = within(&summary, most);
        }
    }
}

fn longest_message(pack: &ContextPack) -> usize {
    longest(pack.inputs.iter().filter_map(|input| input.message.as_deref()))
}

fn shorten_messages(pack: &mut ContextPack, most: usize) {
    for input in &mut pack.inputs {
        if let Some(message) = input.message.take_if(|message| message.len() > most) {
            input.message = within(&message, most);
        }
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
    for text in pack.goal.iter_mut().chain(&mut pack.definition_of_done).chain(remarks) {
        *text = shortened(text, most);
    }
    for value in pack.constraints.values_mut() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if text.len() > most {
            *value = Value::String(shortened(&text, most));
        }
    }
}
