//! Building a pack from what is known.
//!
//! The builder reads nothing: whoever calls it has looked at the room, the repository and the documents. The same sources
//! in any order give the same bytes.

use super::{
    Brief, Budget, ContextPack, Cut, DocRef, Input, PackArtifact, RelevantFile, Remark, RepoFacts, fit::fit,
    merge::both, tidy::tidy,
};
use crate::{
    handoff::{self, Handoff},
    ids::Seq,
    time::Timestamp,
};

/// All that a pack is made from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// The room.
    pub run_id: String,
    /// The agent that the pack is for.
    pub node_id: String,
    /// When the newest of these facts came to be.
    pub at: Timestamp,
    /// What the room is for.
    pub brief: Brief,
    /// What is known of the repository.
    pub repo_facts: RepoFacts,
    /// Files to know besides those that handoffs name.
    pub files: Vec<RelevantFile>,
    /// Passages of documents.
    pub docs: Vec<DocRef>,
    /// What the agent was sent, and where in the log that is.
    pub inputs: Vec<(Seq, Input)>,
    /// What work left behind, and where in the log that is.
    pub artifacts: Vec<(Seq, PackArtifact)>,
    /// What others left for the agent.
    pub handoffs: Vec<Told>,
    /// The pack to go on from.
    pub base: Option<ContextPack>,
}

/// A handoff, and where it comes from.
#[derive(Clone, Debug)]
pub struct Told {
    /// Where in the log it is.
    pub seq: Seq,
    /// Whose it is.
    pub from: String,
    /// What it says. The paths of its artifacts are from the root of the workspace where they lie inside.
    pub handoff: Handoff,
}

/// Builds the pack of these sources, as large as the budget allows.
pub fn build(sources: Sources, budget: Budget) -> ContextPack {
    let (base, own) = (sources.base.clone().unwrap_or_default(), own(sources));
    fit(tidy(both(carried(base, &own), own)), budget)
}

/// What is taken over from the pack before. What is seen anew is not: it would only be older.
fn carried(base: ContextPack, own: &ContextPack) -> ContextPack {
    let kept = |list_is_new: bool, list: Vec<_>| if list_is_new { Vec::new() } else { list };
    ContextPack {
        definition_of_done: if own.definition_of_done.is_empty() { base.definition_of_done } else { Vec::new() },
        doc_refs: kept(!own.doc_refs.is_empty(), base.doc_refs),
        // What was left out then of what is looked at again now is not missing now.
        cut: Cut {
            inputs: base.cut.inputs,
            artifacts: base.cut.artifacts,
            open_questions: base.cut.open_questions,
            do_not: base.cut.do_not,
            ..Cut::default()
        },
        ..base
    }
}

fn own(mut sources: Sources) -> ContextPack {
    let Brief { goal, definition_of_done, global_mode, docs_root, constraints } = sources.brief;
    sources.handoffs.sort_by_cached_key(order);
    sources.inputs.sort_by(|(one, input), (other, another)| (one, sent(input)).cmp(&(other, sent(another))));
    sources
        .artifacts
        .sort_by(|(one, file), (other, another)| (one, &file.id, &file.kind).cmp(&(other, &another.id, &another.kind)));
    sources.docs.sort();
    let role = |file: &RelevantFile| file.role.map(|role| role as u8);
    sources
        .files
        .sort_by(|one, other| (&one.path, &one.summary, role(one)).cmp(&(&other.path, &other.summary, role(other))));
    let mut relevant_files = sources.files;
    let (mut open_questions, mut do_not) = (Vec::new(), Vec::new());
    for Told { from, handoff, .. } in sources.handoffs {
        let remark = |text| Remark { text, from: from.clone() };
        open_questions.extend(handoff.open_questions.into_iter().map(remark));
        do_not.extend(handoff.do_not.into_iter().map(remark));
        relevant_files.extend(handoff.artifacts.into_iter().map(pointed));
    }
    ContextPack {
        pack_id: String::new(),
        run_id: sources.run_id,
        node_id: sources.node_id,
        created_at: sources.at,
        goal,
        definition_of_done,
        global_mode,
        node_mode: ContextPack::AUTO.to_owned(),
        docs_root,
        doc_refs: sources.docs,
        repo_facts: sources.repo_facts,
        relevant_files,
        inputs: sources.inputs.into_iter().map(|(_, input)| input).collect(),
        artifacts: sources.artifacts.into_iter().map(|(_, artifact)| artifact).collect(),
        constraints,
        open_questions,
        do_not,
        cut: Cut::default(),
    }
}

/// Handoffs of the same place in the log are the same; what else is compared only settles what cannot be.
fn order(told: &Told) -> (Seq, String, Option<String>) {
    (told.seq, told.from.clone(), serde_json::to_string(&told.handoff).ok())
}

fn sent(input: &Input) -> (&str, Option<&str>, Option<&str>) {
    (&input.payload_id, input.from.as_deref(), input.message.as_deref())
}

/// A file that a handoff points to, with what it says of it.
fn pointed(artifact: handoff::Artifact) -> RelevantFile {
    let lines = artifact.lines.map(|[first, last]| format!("lines {first}-{last}"));
    let summary = match (lines, artifact.note) {
        (Some(lines), Some(note)) => Some(format!("{lines}: {note}")),
        (lines, note) => lines.or(note),
    };
    RelevantFile { path: artifact.path, summary, role: Some(artifact.role) }
}
