//! What still points to a file, so that nothing is given up that somebody may want to open.
//!
//! References are looked for in texts as they are stored, wherever they stand: among the refs of an event, in an envelope, in a
//! handoff, or in the middle of a sentence. That finds more than what is a reference, and never less.

use std::collections::{BTreeMap, BTreeSet};

use super::{Artifact, ArtifactDropped, ArtifactId, ArtifactKind, Event};
use crate::{
    context::PackId,
    event::{self, Recorded},
    ids::Seq,
    job::JobId,
    number,
    reference::Reference,
    time::Timestamp,
    turn::TurnId,
};

const ARTIFACT: &str = "artifact://";
const PACK: &str = "contextpack://pack/";
/// How a context pack names the files that it points to.
const LISTED: &str = "artifact-";

/// The files that something points to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointers {
    numbers: BTreeSet<ArtifactId>,
    packs: BTreeSet<PackId>,
}

impl Pointers {
    /// What a context pack points to.
    pub fn of_pack(content: &str) -> Self {
        let mut pointers = Self::default();
        pointers.note(content);
        let lower = content.to_ascii_lowercase();
        for (at, found) in lower.match_indices(LISTED) {
            pointers.numbers.extend(number(&lower[at + found.len()..]));
        }
        pointers
    }

    /// Files, by their numbers.
    pub fn numbers(&self) -> impl Iterator<Item = ArtifactId> {
        self.numbers.iter().copied()
    }

    /// Context packs, by their names.
    pub fn packs(&self) -> impl Iterator<Item = &PackId> {
        self.packs.iter()
    }

    /// Notes what a text points to.
    fn note(&mut self, text: &str) {
        for (at, found) in text.match_indices(ARTIFACT) {
            let rest = &text[at + found.len()..];
            self.numbers.extend(rest.split_once('/').and_then(|(_, rest)| number(rest)));
        }
        for (at, found) in text.match_indices(PACK) {
            let rest = &text[at + found.len()..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
            self.packs.extend(rest[..end].parse::<PackId>().ok());
        }
    }

    /// Notes a reference.
    fn add(&mut self, reference: &Reference) {
        match reference {
            Reference::Artifact(_, number) => _ = self.numbers.insert(ArtifactId(*number)),
            Reference::Pack(pack) => _ = self.packs.insert(pack.clone()),
            _ => {}
        }
    }

    /// Whether one of them leads to `artifact`.
    fn reach(&self, artifact: &Artifact) -> bool {
        let is_named = |pack: &PackId| pack.file_name() == artifact.name;
        self.numbers.contains(&artifact.id)
            || (artifact.kind == ArtifactKind::Contextpack && self.packs.iter().any(is_named))
    }
}

/// The number that a text begins with.
fn number(text: &str) -> Option<ArtifactId> {
    let digits = &text[..text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len())];
    number::read(digits, "").map(ArtifactId)
}

/// What a room's log points to, as folding it gives it.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    pointers: Pointers,
    /// What files point to in their turn. That counts as long as they stay.
    within: BTreeMap<ArtifactId, Vec<Reference>>,
    last: Seq,
}

impl Reach {
    /// Notes what an event points to.
    pub fn apply(&mut self, recorded: &Recorded) -> serde_json::Result<()> {
        self.last = recorded.seq;
        match &recorded.event {
            event::Event::Library(Event::ArtifactKept(kept)) if !kept.refs.is_empty() => {
                self.within.insert(kept.artifact, kept.refs.clone());
            }
            event::Event::Library(Event::ArtifactKept(_) | Event::ArtifactDropped(_)) => {}
            other => self.pointers.note(&other.payload()?),
        }
        Ok(())
    }

    /// How far the log was read.
    pub fn last(&self) -> Seq {
        self.last
    }

    /// Those of `artifacts` that nothing leads to and nothing keeps.
    pub fn unreached<'a>(&self, artifacts: &'a [Artifact], keepers: &Keepers) -> Vec<&'a Artifact> {
        let mut pointers = self.pointers.clone();
        let mut loose: Vec<&Artifact> = artifacts.iter().filter(|artifact| artifact.dropped_at.is_none()).collect();
        loop {
            let (stay, rest): (Vec<_>, Vec<_>) =
                loose.iter().partition(|artifact| keepers.keep(artifact) || pointers.reach(artifact));
            if stay.is_empty() {
                return rest;
            }
            let within = stay.iter().filter_map(|artifact| self.within.get(&artifact.id)).flatten();
            within.for_each(|reference| pointers.add(reference));
            loose = rest;
        }
    }
}

/// What keeps a file besides what points to it.
#[derive(Clone, Debug)]
pub struct Keepers {
    /// What was kept since then stays.
    pub since: Timestamp,
    /// Jobs that are not over.
    pub jobs: BTreeSet<JobId>,
    /// Turns that are not over.
    pub turns: BTreeSet<TurnId>,
}

impl Keepers {
    fn keep(&self, artifact: &Artifact) -> bool {
        artifact.created_at >= self.since
            || artifact.job.is_some_and(|job| self.jobs.contains(&job))
            || artifact.turn.is_some_and(|turn| self.turns.contains(&turn))
    }
}

impl Artifact {
    /// Decides to give up its content.
    pub fn give_up(&self) -> Event {
        Event::ArtifactDropped(ArtifactDropped { artifact: self.id })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lease::Fence,
        library::{ArtifactKept, CardPinned},
        room,
    };

    fn artifact(number: u32, kind: ArtifactKind, name: &str) -> Artifact {
        Artifact {
            id: ArtifactId(number),
            kind,
            name: name.to_owned(),
            sha256: String::new(),
            bytes: 0,
            host: String::new(),
            job: None,
            node: None,
            turn: None,
            dropped_at: None,
            seq: Seq(1),
            created_by: "ana".parse().unwrap(),
            created_at: Timestamp::from_millis(100),
        }
    }

    fn keepers() -> Keepers {
        Keepers { since: Timestamp::from_millis(101), jobs: BTreeSet::new(), turns: BTreeSet::new() }
    }

    fn recorded(event: impl Into<event::Event>) -> Recorded {
        Recorded {
            overridden: false,
            room_id: "room_1".parse().unwrap(),
            seq: Seq(7),
            at: Timestamp::from_millis(0),
            actor: "ana".parse().unwrap(),
            turn: Fence(0),
            event: event.into(),
        }
    }

    /// A log with a note that says `text`.
    fn said(text: &str) -> Reach {
        let mut reach = Reach::default();
        let note = room::Event::Noted(room::Noted { text: text.to_owned() });
        reach.apply(&recorded(note)).unwrap();
        reach
    }

    fn reached(text: &str) -> Vec<u32> {
        let reach = said(text);
        let stays =
            |number: &u32| reach.unreached(&[artifact(*number, ArtifactKind::Diff, "x")], &keepers()).is_empty();
        (1..200).filter(stays).collect()
    }

    #[test]
    fn a_reference_is_found_wherever_it_stands() {
        assert_eq!(reached(r#"{"refs":["artifact://diff/3","CARD-1"]}"#), [3]);
        assert_eq!(reached("see artifact://log/12, then artifact://diff/7."), [7, 12]);
        assert_eq!(reached("\"artifact://prompt/5\"\n"), [5]);
        assert_eq!(reached("artifact://diff/ artifact:// artifact://diff/x artifact://diff/0 ARTIFACT-9"), [0; 0]);
        assert_eq!(reached("artifact://"), [0; 0]);
        assert_eq!(reached("artifact://diff/99999999999999999999"), [0; 0]);
    }

    #[test]
    fn a_pack_that_stays_keeps_what_it_points_to_and_one_that_goes_does_not() {
        let pack =
            r#"{"artifacts":[{"id":"artifact-3","kind":"diff"}],"inputs":["artifact://log/4"],"goal":"ARTIFACT-9"}"#;
        let pointers = Pointers::of_pack(pack);
        assert_eq!(pointers.numbers().collect::<Vec<_>>(), [3, 4, 9].map(ArtifactId));
        let files = [
            artifact(3, ArtifactKind::Diff, "x"),
            artifact(4, ArtifactKind::Log, "x"),
            artifact(5, ArtifactKind::Contextpack, "0198-ab.json"),
            artifact(6, ArtifactKind::Report, "0198-ab.json"),
        ];
        let kept = ArtifactKept {
            artifact: ArtifactId(5),
            kind: ArtifactKind::Contextpack,
            name: "0198-ab.json".to_owned(),
            sha256: String::new(),
            bytes: 0,
            host: String::new(),
            job: None,
            revision: None,
            node: None,
            turn: None,
            refs: vec!["artifact://diff/3".parse().unwrap(), "artifact://log/4".parse().unwrap()],
            redacted: false,
            patch: None,
        };
        let goes = |mut reach: Reach| {
            reach.apply(&recorded(Event::ArtifactKept(kept.clone()))).unwrap();
            reach.unreached(&files, &keepers()).iter().map(|artifact| artifact.id.0).collect::<Vec<_>>()
        };
        assert_eq!(goes(said("contextpack://pack/0198-ab, for you")), [6], "only a pack is called so");
        assert_eq!(goes(said("contextpack://pack/0198")), [3, 4, 5, 6]);
    }

    #[test]
    fn what_is_young_or_of_something_open_stays_and_nothing_is_given_up_twice() {
        let open = Keepers { jobs: BTreeSet::from([JobId(1)]), turns: BTreeSet::from([TurnId(2)]), ..keepers() };
        let old = artifact(1, ArtifactKind::Log, "x");
        let files = [
            old.clone(),
            Artifact { id: ArtifactId(2), created_at: Timestamp::from_millis(101), ..old.clone() },
            Artifact { id: ArtifactId(3), job: Some(JobId(1)), ..old.clone() },
            Artifact { id: ArtifactId(4), job: Some(JobId(2)), ..old.clone() },
            Artifact { id: ArtifactId(5), turn: Some(TurnId(2)), ..old.clone() },
            Artifact { id: ArtifactId(6), dropped_at: Some(Timestamp::from_millis(1)), ..old },
        ];
        let mut reach = Reach::default();
        let pinned = Event::CardPinned(CardPinned { card: crate::library::CardId(1), pinned: true });
        reach.apply(&recorded(pinned)).unwrap();
        assert_eq!(reach.last(), Seq(7));
        let gone: Vec<u32> = reach.unreached(&files, &open).iter().map(|artifact| artifact.id.0).collect();
        assert_eq!(gone, [1, 4]);
    }
}
