//! What the library has.

use super::{AnchorSet, ArtifactDropped, ArtifactKept, CardCreated, CardPinned, Event, PlanCreated};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, AnchorId, Seq},
    job::JobId,
    number::numbered,
    task::TaskId,
    time::Timestamp,
    turn::TurnId,
    words::words,
};

numbered!(
    /// The number of a card in its room, written `CARD-1`.
    CardId,
    "CARD-",
    "1",
    "a card's"
);
numbered!(
    /// The number of a plan in its room, written `PLAN-1`.
    PlanId,
    "PLAN-",
    "1",
    "a plan's"
);
numbered!(
    /// The number of an artifact in its room. As a reference it is written with its kind: `artifact://diff/3`.
    ArtifactId,
    "ARTIFACT-",
    "1",
    "an artifact's"
);

words! {
    /// What sort of finding a card holds.
    CardKind {
        /// A remark.
        Note "note",
        /// What was decided, and why.
        Decision "decision",
        /// What shows that something is so.
        Evidence "evidence",
        /// What was tested, and how it went.
        Test "test",
        /// What might be so.
        Hypothesis "hypothesis",
        /// What is not known.
        Question "question",
        /// What came of a piece of work.
        Report "report",
    }
}

words! {
    /// What sort of file an artifact is.
    ArtifactKind {
        /// What an agent was told.
        Prompt "prompt",
        /// What it printed.
        Log "log",
        /// What it said and did, step by step.
        Transcript "transcript",
        /// What it changed.
        Diff "diff",
        /// What it answered.
        Report "report",
        /// What it needed to know.
        Contextpack "contextpack",
    }
}

/// A card, less its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    /// Its number.
    pub id: CardId,
    /// What sort of finding.
    pub kind: CardKind,
    /// What, in a line.
    pub title: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether it is kept in view.
    pub pinned: bool,
    /// The task it belongs to.
    pub task: Option<TaskId>,
    /// The part of the map it belongs to.
    pub anchor: Option<AnchorId>,
    /// The job it came from.
    pub job: Option<JobId>,
    /// Where its text is.
    pub seq: Seq,
    /// Who wrote it.
    pub created_by: AgentId,
    /// When.
    pub created_at: Timestamp,
}

/// A part of the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its id.
    pub id: AnchorId,
    /// What it is called.
    pub title: String,
    /// Where the rest of its description is.
    pub seq: Seq,
    /// When it was last described.
    pub updated_at: Timestamp,
}

/// A plan, less its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its number.
    pub id: PlanId,
    /// What, in a line.
    pub title: String,
    /// Where its text and its tasks are.
    pub seq: Seq,
    /// Who made it.
    pub created_by: AgentId,
    /// When.
    pub created_at: Timestamp,
}

/// A file that was kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its number.
    pub id: ArtifactId,
    /// What sort of file.
    pub kind: ArtifactKind,
    /// What it is called.
    pub name: String,
    /// The hash of its content.
    pub sha256: String,
    /// How large it is.
    pub bytes: u64,
    /// The machine it is kept on.
    pub host: String,
    /// The job it came from.
    pub job: Option<JobId>,
    /// The agent it is of.
    pub node: Option<AgentId>,
    /// The turn it is of.
    pub turn: Option<TurnId>,
    /// When its content was given up.
    pub dropped_at: Option<Timestamp>,
    /// Where it was recorded.
    pub seq: Seq,
    /// Who kept it.
    pub created_by: AgentId,
    /// When.
    pub created_at: Timestamp,
}

/// The library of a room, as folding its log gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    /// In the order of their numbers.
    pub cards: Vec<Card>,
    /// In the order of their ids.
    pub anchors: Vec<Anchor>,
    /// In the order of their numbers.
    pub plans: Vec<Plan>,
    /// In the order of their numbers.
    pub artifacts: Vec<Artifact>,
}

impl Library {
    /// The card with this number.
    pub fn card(&self, id: CardId) -> Option<&Card> {
        self.cards.binary_search_by_key(&id, |card| card.id).ok().map(|place| &self.cards[place])
    }

    /// Folds an event that was decided on. Events of other parts change nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Library(event) = &recorded.event else { return };
        match event {
            Event::CardCreated(created) => self.cards.push(Card::of(recorded, created)),
            Event::CardPinned(CardPinned { card, pinned }) => {
                if let Ok(place) = self.cards.binary_search_by_key(card, |card| card.id) {
                    self.cards[place].pinned = *pinned;
                }
            }
            Event::AnchorSet(set) => {
                let anchor = Anchor::of(recorded, set);
                match self.anchors.binary_search_by(|known| known.id.cmp(&anchor.id)) {
                    Ok(place) => self.anchors[place] = anchor,
                    Err(place) => self.anchors.insert(place, anchor),
                }
            }
            Event::PlanCreated(created) => self.plans.push(Plan::of(recorded, created)),
            Event::ArtifactKept(kept) => self.artifacts.push(Artifact::of(recorded, kept)),
            Event::ArtifactDropped(ArtifactDropped { artifact }) => {
                if let Ok(place) = self.artifacts.binary_search_by_key(artifact, |artifact| artifact.id) {
                    self.artifacts[place].dropped_at = Some(recorded.at);
                }
            }
        }
    }
}

impl Card {
    fn of(recorded: &Recorded, created: &CardCreated) -> Self {
        Self {
            id: created.card,
            kind: created.kind,
            title: created.title.clone(),
            tags: created.tags.clone(),
            pinned: created.pinned,
            task: created.task,
            anchor: created.anchor.clone(),
            job: created.job,
            seq: recorded.seq,
            created_by: recorded.actor.clone(),
            created_at: recorded.at,
        }
    }
}

impl Anchor {
    fn of(recorded: &Recorded, set: &AnchorSet) -> Self {
        Self { id: set.anchor.clone(), title: set.title.clone(), seq: recorded.seq, updated_at: recorded.at }
    }
}

impl Plan {
    fn of(recorded: &Recorded, created: &PlanCreated) -> Self {
        let (id, title) = (created.plan, created.title.clone());
        Self { id, title, seq: recorded.seq, created_by: recorded.actor.clone(), created_at: recorded.at }
    }
}

impl Artifact {
    fn of(recorded: &Recorded, kept: &ArtifactKept) -> Self {
        Self {
            id: kept.artifact,
            kind: kept.kind,
            name: kept.name.clone(),
            sha256: kept.sha256.clone(),
            bytes: kept.bytes,
            host: kept.host.clone(),
            job: kept.job,
            node: kept.node.clone(),
            turn: kept.turn,
            dropped_at: None,
            seq: recorded.seq,
            created_by: recorded.actor.clone(),
            created_at: recorded.at,
        }
    }
}
