//! Looking for words in what is kept: what is searchable, what is looked for, and what is shown of a find.
//!
//! Text is broken into words here, in one way for what is kept and for what is looked for, so that it does not depend on a
//! database what counts as a word. What everybody in the room can read in its log can be found; what only moves leases, or
//! tells how far something is, is not looked at.

use crate::{
    bus,
    event::{Event, Recorded},
    handoff::Handoff,
    inbox::{Content, Payload},
    job, library, limits,
    reference::Reference,
    room, spawn, task,
    words::words,
};

words! {
    /// What sort of thing was found.
    DocumentKind {
        /// A task.
        Task "task",
        /// A card.
        Card "card",
        /// A note.
        Note "note",
        /// A part of the map.
        Anchor "anchor",
        /// A plan.
        Plan "plan",
        /// A job: what it asks.
        Job "job",
        /// What was said on a job, or came of it.
        JobEvent "job_event",
        /// What somebody wrote when they gave the stick on.
        Handoff "handoff",
        /// What an agent handed to another.
        Envelope "envelope",
        /// A message, also a person's.
        Message "message",
        /// A file that was kept, by its name.
        Artifact "artifact",
        /// A request for another agent.
        Approval "approval",
    }
}

/// Something that can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Where it is.
    pub reference: Reference,
    /// What sort of thing.
    pub kind: DocumentKind,
    /// What, in a line.
    pub title: String,
    /// What, in full.
    pub body: String,
}

/// What can be found of an event, if it says something.
pub fn searchable(recorded: &Recorded) -> Option<Document> {
    match &recorded.event {
        Event::Task(task::Event::Created(created)) => {
            let done = created.definition_of_done.iter().cloned();
            let body = done.chain(created.verification.iter().cloned()).collect::<Vec<_>>().join("\n");
            Some(document(Reference::Task(created.task), DocumentKind::Task, &created.title, body))
        }
        Event::Library(event) => of_library(event),
        Event::Room(room::Event::Noted(noted)) => {
            let title = first_line(&noted.text);
            Some(document(Reference::Note(recorded.seq), DocumentKind::Note, &title, noted.text.clone()))
        }
        Event::Room(event) => event.handoff().map(|handoff| of_handoff(recorded, handoff)),
        Event::Job(event) => of_job(recorded, event),
        Event::Spawn(spawn::Event::Requested(requested)) => {
            let spec = &requested.spec;
            let reference = Reference::Approval(requested.approval);
            Some(document(reference, DocumentKind::Approval, &spec.title, spec.prompt.clone()))
        }
        Event::Bus(bus::Event::Submitted(_)) => None,
        Event::Scope(_)
        | Event::Task(_)
        | Event::Inbox(_)
        | Event::Runner(_)
        | Event::Bus(_)
        | Event::Context(_)
        | Event::Envelope(_)
        | Event::Turn(_)
        | Event::Spawn(_) => of_mail(recorded),
    }
}

/// The first line of a text that says something.
fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(limits::JOB_PREVIEW_CHARS).collect()
}

fn of_handoff(recorded: &Recorded, handoff: &Handoff) -> Document {
    let paths = handoff.artifacts.iter().map(|artifact| artifact.path.as_str());
    let rest = handoff.open_questions.iter().chain(&handoff.do_not).map(String::as_str);
    let body = [handoff.status.as_str(), &handoff.next_action].into_iter().chain(paths).chain(rest);
    let body = body.collect::<Vec<_>>().join("\n");
    document(Reference::Event(recorded.seq), DocumentKind::Handoff, &first_line(&handoff.next_action), body)
}

fn of_mail(recorded: &Recorded) -> Option<Document> {
    let mail = recorded.mail()?;
    let (title, body) = match mail.content {
        Content::Text(text) => (first_line(text), text.to_owned()),
        Content::Parts(sent) => {
            let body = match &sent.payload {
                Payload::Handoff { summary, next_action, .. } => format!("{summary}\n{next_action}"),
                Payload::Blocked { blocker, requested_action, .. } => format!("{blocker}\n{requested_action}"),
                Payload::Text { body, .. } => body.clone(),
            };
            (sent.payload.subject().to_owned(), body)
        }
        Content::Command(..) => return None,
    };
    let (reference, kind) = match mail.reference {
        Some(payload @ Reference::Payload(_)) => (payload, DocumentKind::Envelope),
        _ => (Reference::Event(recorded.seq), DocumentKind::Message),
    };
    Some(document(reference, kind, &title, body))
}

fn of_library(event: &library::Event) -> Option<Document> {
    use library::Event;
    match event {
        Event::CardCreated(card) => {
            let body = [card.text.as_str(), &card.tags.join(" ")].join("\n");
            Some(document(Reference::Card(card.card), DocumentKind::Card, &card.title, body.trim_end().to_owned()))
        }
        Event::AnchorSet(anchor) => {
            let reference = Reference::Anchor(anchor.anchor.clone());
            Some(document(reference, DocumentKind::Anchor, &anchor.title, anchor.text.clone()))
        }
        Event::PlanCreated(plan) => {
            Some(document(Reference::Plan(plan.plan), DocumentKind::Plan, &plan.title, plan.text.clone()))
        }
        Event::ArtifactKept(kept) => {
            let reference = Reference::Artifact(kept.kind, kept.artifact.0);
            Some(document(reference, DocumentKind::Artifact, &kept.name, String::new()))
        }
        Event::CardPinned(_) | Event::ArtifactDropped(_) => None,
    }
}

fn of_job(recorded: &Recorded, event: &job::Event) -> Option<Document> {
    use job::Event;
    match event {
        Event::Created(created) => {
            Some(document(Reference::Job(created.job), DocumentKind::Job, &created.title, created.prompt.clone()))
        }
        Event::Progress(_)
        | Event::Checkpoint(_)
        | Event::Question(_)
        | Event::ProofGate(_)
        | Event::Error(_)
        | Event::Manager(_)
        | Event::Completed(_)
        | Event::Failed(_) => {
            let reference = Reference::JobEvent(event.job(), recorded.seq);
            let title = format!("{} {}", event.job(), event.sort());
            Some(document(reference, DocumentKind::JobEvent, &title, event.message().to_owned()))
        }
        Event::Claimed(_)
        | Event::Reclaimed(_)
        | Event::Canceled(_)
        | Event::Requeued(_)
        | Event::Applied(_)
        | Event::Branched(_) => None,
    }
}

fn document(reference: Reference, kind: DocumentKind, title: &str, body: String) -> Document {
    Document { reference, kind, title: title.to_owned(), body }
}

/// The words of a text as they are looked for: letters and digits, in small letters, with one space between.
pub fn plain_words(text: &str) -> String {
    let lowered = text.to_lowercase();
    lowered.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What is looked for: phrases that must all occur, the last word of each at least by its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    phrases: Vec<String>,
}

impl Query {
    /// Reads what somebody typed. What stands together (`src/lib.rs`, `JOB-001`) is a phrase. Nothing, if there is no word
    /// in it or it is too long.
    pub fn read(text: &str) -> Option<Self> {
        if text.chars().count() > limits::QUERY_CHARS {
            return None;
        }
        let phrases = text.split_whitespace().map(plain_words).filter(|phrase| !phrase.is_empty());
        let mut known: Vec<String> = Vec::new();
        for phrase in phrases {
            if !known.contains(&phrase) {
                known.push(phrase);
            }
        }
        (!known.is_empty()).then_some(Self { phrases: known })
    }

    /// The phrases, each of words with one space between.
    pub fn phrases(&self) -> impl Iterator<Item = &str> {
        self.phrases.iter().map(String::as_str)
    }
}

/// How many characters of a body stand before and after what was found there.
const AROUND_CHARS: usize = 80;

impl Document {
    /// As much of the body as shows where the query is in it; its beginning, if it is only in the title.
    pub fn snippet(&self, query: &Query) -> String {
        let chars: Vec<char> = self.body.split_whitespace().collect::<Vec<_>>().join(" ").chars().collect();
        let found = query.phrases().filter_map(|phrase| find(&chars, phrase)).min().unwrap_or(0);
        let from = match found.saturating_sub(AROUND_CHARS) {
            0 => 0,
            // Not in the middle of a word.
            cut => (cut..found).find(|place| chars[*place - 1] == ' ').unwrap_or(cut),
        };
        let to = (found + 2 * AROUND_CHARS).min(chars.len());
        let mut snippet: String = chars[from..to].iter().collect();
        if from > 0 {
            snippet.insert(0, '…');
        }
        if to < chars.len() {
            snippet.push('…');
        }
        snippet
    }
}

/// Where the first word of a phrase begins in a text.
fn find(text: &[char], phrase: &str) -> Option<usize> {
    let word: Vec<char> = phrase.split(' ').next()?.chars().collect();
    let same = |one: char, other: char| one == other || one.to_lowercase().eq(std::iter::once(other));
    (0..text.len().saturating_sub(word.len().saturating_sub(1))).find(|place| {
        let begins = *place == 0 || !text[*place - 1].is_alphanumeric();
        begins && word.iter().zip(&text[*place..]).all(|(wanted, found)| same(*found, *wanted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Seq;

    fn note(text: &str) -> Document {
        document(Reference::Note(Seq(1)), DocumentKind::Note, "x", text.to_owned())
    }

    fn query(text: &str) -> Query {
        Query::read(text).unwrap()
    }

    #[test]
    fn what_stands_together_is_a_phrase_and_signs_are_no_words() {
        let phrases = |text: &str| query(text).phrases().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(phrases("src/lib.rs  Cache"), ["src lib rs", "cache"]);
        assert_eq!(phrases("JOB-001 \"or\" NOT -x or"), ["job 001", "or", "not", "x"]);
        for nothing in ["", "  ", "\" - * ()", &"x".repeat(limits::QUERY_CHARS + 1)] {
            assert_eq!(Query::read(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_snippet_shows_where_the_words_are() {
        let long = format!("{}the Cache is\n  stale{}", "word ".repeat(60), " tail".repeat(60));
        let snippet = note(&long).snippet(&query("cache"));
        assert!(snippet.starts_with("…word ") && snippet.ends_with('…'), "{snippet}");
        assert!(snippet.contains("the Cache is stale tail"), "{snippet}");
        assert_eq!(note("the cache").snippet(&query("cach")), "the cache");
        assert_eq!(note("only in the title").snippet(&query("elsewhere")), "only in the title");
        assert_eq!(note("").snippet(&query("x")), "");
        assert_eq!(note("naïve ÄÖ x").snippet(&query("äö")), "naïve ÄÖ x");
    }
}
