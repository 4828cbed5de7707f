//! What the library has.

use super::{AnchorSet, ArtifactDropped, ArtifactKept, CardCreated, CardPinned, Event, PlanCreated};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, AnchorId, Seq},
    job::JobId,
    number::numbered,
    part::{Part, Rows, Touched},
    room::Room,
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

impl Part for Card {
    type Key = CardId;

    fn key(&self) -> CardId {
        self.id
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<CardId> {
        match &event.event {
            event::Event::Library(Event::CardPinned(pinned)) => Touched::row(pinned.card),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Library(Event::CardCreated(created)) => rows.put(Self::of(event, created)),
            event::Event::Library(Event::CardPinned(CardPinned { card, pinned })) => {
                rows.change(card, |card| card.pinned = *pinned);
            }
            _ => {}
        }
    }
}

impl Part for Anchor {
    type Key = AnchorId;

    fn key(&self) -> AnchorId {
        self.id.clone()
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<AnchorId> {
        match &event.event {
            event::Event::Library(Event::AnchorSet(set)) => Touched::row(set.anchor.clone()),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        if let event::Event::Library(Event::AnchorSet(set)) = &event.event {
            rows.put(Self::of(event, set));
        }
    }
}

impl Part for Plan {
    type Key = PlanId;

    fn key(&self) -> PlanId {
        self.id
    }

    fn touched(_event: &Recorded, _before: &Room) -> Touched<PlanId> {
        Touched::Nothing
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        if let event::Event::Library(Event::PlanCreated(created)) = &event.event {
            rows.put(Self::of(event, created));
        }
    }
}

impl Part for Artifact {
    type Key = ArtifactId;

    fn key(&self) -> ArtifactId {
        self.id
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<ArtifactId> {
        match &event.event {
            event::Event::Library(Event::ArtifactDropped(dropped)) => Touched::row(dropped.artifact),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Library(Event::ArtifactKept(kept)) => rows.put(Self::of(event, kept)),
            event::Event::Library(Event::ArtifactDropped(ArtifactDropped { artifact })) => {
                rows.change(artifact, |artifact| artifact.dropped_at = Some(event.at));
            }
            _ => {}
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
