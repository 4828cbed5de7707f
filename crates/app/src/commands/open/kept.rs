//! Things that a room keeps, each with its text: cards, plans, notes, anchors, files, context packs and events of its log.

use baton_core::{
    context::ContextPack,
    event::Event,
    ids::{AgentId, AnchorId, RoomId, Seq},
    library::{self as kept, Anchor, Artifact, ArtifactKind, Card, CardId, Plan, PlanId},
    limits,
    reference::Reference,
    room::{self, Room},
    task::TaskId,
    time::Timestamp,
};
use baton_store::{
    engine::Tx,
    jobs,
    library::{self, Cards},
    log, table,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{JobLine, Passage, job::BESIDE};
use crate::{
    App, Failure,
    artifacts::Shown,
    bounds::Page,
    commands::library::{AnchorView, ArtifactView, CardView, PlanView},
    view::RoomEvent,
};

/// A card with its text.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedCard {
    pub card: CardView,
    /// What it points to.
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
    #[serde(flatten)]
    pub text: Passage,
}

impl OpenedCard {
    pub(super) fn read(
        tx: &mut dyn Tx,
        room: &RoomId,
        id: CardId,
        offset: Option<i64>,
    ) -> Result<Option<Self>, Failure> {
        let Some(card) = table::find::<Card>(tx, room, &id)? else { return Ok(None) };
        let Some(Event::Library(kept::Event::CardCreated(created))) = event(tx, room, card.seq)? else {
            return Ok(None);
        };
        Ok(Some(Self { card: (&card).into(), refs: created.refs, text: Passage::of(&created.text, offset) }))
    }
}

/// A plan with its text.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedPlan {
    pub plan: PlanView,
    /// In the order in which they are to be done.
    pub tasks: Vec<TaskId>,
    #[serde(flatten)]
    pub text: Passage,
}

impl OpenedPlan {
    pub(super) fn read(
        tx: &mut dyn Tx,
        room: &RoomId,
        id: PlanId,
        offset: Option<i64>,
    ) -> Result<Option<Self>, Failure> {
        let Some(plan) = table::find::<Plan>(tx, room, &id)? else { return Ok(None) };
        let Some(Event::Library(kept::Event::PlanCreated(created))) = event(tx, room, plan.seq)? else {
            return Ok(None);
        };
        Ok(Some(Self { plan: (&plan).into(), tasks: created.tasks, text: Passage::of(&created.text, offset) }))
    }
}

/// A note.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedNote {
    pub by: AgentId,
    pub at: Timestamp,
    #[serde(flatten)]
    pub text: Passage,
}

impl OpenedNote {
    pub(super) fn read(tx: &mut dyn Tx, room: &RoomId, seq: Seq, offset: Option<i64>) -> Result<Option<Self>, Failure> {
        let Some(recorded) = log::find(tx, room, seq)? else { return Ok(None) };
        let Event::Room(room::Event::Noted(noted)) = recorded.event else { return Ok(None) };
        Ok(Some(Self { by: recorded.actor, at: recorded.at, text: Passage::of(&noted.text, offset) }))
    }
}

/// A part of the map, and what there is about it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedAnchor {
    pub anchor: AnchorView,
    pub cards: Vec<CardView>,
    pub jobs: Vec<JobLine>,
    /// What was left out, and how to get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
    /// Its description.
    #[serde(flatten)]
    pub text: Passage,
}

impl OpenedAnchor {
    pub(super) fn read(
        tx: &mut dyn Tx,
        room: &RoomId,
        id: &AnchorId,
        now: Timestamp,
        offset: Option<i64>,
    ) -> Result<Option<Self>, Failure> {
        let Some(anchor) = table::find::<Anchor>(tx, room, id)? else { return Ok(None) };
        let cards = library::cards(tx, room, Cards::OfAnchor(id), None, BESIDE + 1)?;
        let jobs = jobs::of_anchor(tx, room, id, None, BESIDE + 1)?;
        let Some(Event::Library(kept::Event::AnchorSet(set))) = event(tx, room, anchor.seq)? else {
            return Ok(None);
        };
        let text = Passage::of(&set.text, offset);
        let (mut page, mut more) = (Page::default(), Vec::new());
        page.takes(&text);
        let shown_jobs = page.fill(&jobs, BESIDE, |job| JobLine::of(job, now));
        let shown_cards = page.fill(&cards, BESIDE, CardView::from);
        if shown_jobs.len() < jobs.len() {
            more.push(format!("more jobs: jobs list anchor={id}"));
        }
        if shown_cards.len() < cards.len() {
            more.push(format!("more cards: tasks card.list anchor={id}"));
        }
        Ok(Some(Self { anchor: (&anchor).into(), cards: shown_cards, jobs: shown_jobs, more, text }))
    }
}

fn event(tx: &mut dyn Tx, room: &RoomId, seq: Seq) -> Result<Option<Event>, Failure> {
    Ok(log::find(tx, room, seq)?.map(|recorded| recorded.event))
}

/// A file, and what is in it.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedArtifact {
    pub artifact: ArtifactView,
    /// What is in it, if it is on this machine.
    pub content: Option<Passage>,
    /// Why its content is not shown, and where it is.
    pub unavailable: Option<String>,
}

impl OpenedArtifact {
    /// Reads from `offset`; without one, what was written while something ran from its end, which says how it went, and
    /// all else from its beginning.
    pub(super) fn read(app: &App, artifact: &Artifact, offset: Option<i64>) -> Result<Self, Failure> {
        let most = limits::ARTIFACT_SHOWN_BYTES;
        let from = offset.unwrap_or(match artifact.kind {
            ArtifactKind::Log | ArtifactKind::Transcript => -(most as i64),
            ArtifactKind::Prompt | ArtifactKind::Diff | ArtifactKind::Report | ArtifactKind::Contextpack => 0,
        });
        let (content, unavailable) = match app.read_artifact(artifact, from, most)? {
            Shown::Here { from, bytes, text } => (Some(Passage::read(text, (from, bytes), artifact.bytes)), None),
            Shown::Elsewhere { host } => (None, Some(format!("It is kept on another machine, {host}: open it there."))),
            Shown::Dropped => {
                let when = artifact.dropped_at.map_or_else(String::new, |at| format!(" at {at}"));
                (None, Some(format!("Its content was given up{when}: nothing pointed to it any more.")))
            }
            Shown::Lost => (None, Some("Its file is gone from the data directory, or was changed there.".to_owned())),
        };
        Ok(Self { artifact: artifact.into(), content, unavailable })
    }
}

/// A context pack.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedPack {
    /// What is in it, if it is on this machine.
    pub pack: Option<ContextPack>,
    /// A quarter of its bytes.
    pub tokens: u32,
    pub artifact: ArtifactView,
    /// Why it is not shown, and where it is.
    pub unavailable: Option<String>,
}

impl OpenedPack {
    pub(super) fn read(app: &App, artifact: &Artifact) -> Result<Self, Failure> {
        let tokens = baton_core::context::tokens_in(artifact.bytes as usize);
        let (pack, unavailable) = match app.pack_of(artifact)? {
            Ok(pack) => (Some(pack), None),
            Err(why) => (None, Some(why)),
        };
        Ok(Self { pack, tokens, artifact: artifact.into(), unavailable })
    }
}

/// An event as everybody may see it: who holds a lease knows its id, and nobody else does.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedLog {
    pub event: RoomEvent,
}

impl OpenedLog {
    pub(super) fn read(tx: &mut dyn Tx, room: &Room, seq: Seq) -> Result<Option<Self>, Failure> {
        let found: Vec<_> = log::find(tx, &room.id, seq)?.into_iter().collect();
        Ok(RoomEvent::all_of(tx, room, &found)?.pop().map(|event| Self { event }))
    }
}
