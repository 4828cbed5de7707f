//! Cards, anchors, plans and artifacts: where each is, and what it is called. Their texts are in the log.

use baton_core::{
    context::PackId,
    ids::{AgentId, AnchorId, RoomId},
    job::JobId,
    library::{Anchor, Artifact, ArtifactId, Card, CardId, Plan, PlanId},
    task::TaskId,
    turn::TurnId,
};

use crate::{
    StoreError,
    engine::Tx,
    question::{list, next_number, questions},
    sql::{newest, select},
    table::table,
};

mod files;
#[cfg(test)]
pub(crate) use files::{ANY_ARTIFACT_BEFORE, ARTIFACTS_BEFORE, ARTIFACTS_OF_TURN_BEFORE, NAMED, NAMING};
pub use files::{Artifacts, any_artifact_before, artifacts, artifacts_kept, named, naming};

table! {
    "cards": Card |card| {
        key |id| { number = id }
        once {
            kind = card.kind,
            title = card.title,
            tags = card.tags,
            task = card.task,
            anchor = card.anchor,
            job = card.job,
            seq = card.seq,
            created_by = card.created_by,
            created_at_ms = card.created_at,
        }
        changes { pinned = card.pinned }
    }
    read Self {
        id: number,
        kind,
        title,
        tags,
        pinned,
        task,
        anchor,
        job,
        seq,
        created_by,
        created_at: created_at_ms,
    }
}

table! {
    "anchors": Anchor |of| {
        key |id| { anchor = id }
        once {}
        changes { title = of.title, seq = of.seq, updated_at_ms = of.updated_at }
    }
    read Self { id: anchor, title, seq, updated_at: updated_at_ms }
}

table! {
    "plans": Plan |plan| {
        key |id| { number = id }
        once { title = plan.title, seq = plan.seq, created_by = plan.created_by, created_at_ms = plan.created_at }
        changes {}
    }
    read Self { id: number, title, seq, created_by, created_at: created_at_ms }
}

table! {
    "artifacts": Artifact |artifact| {
        key |id| { number = id }
        once {
            kind = artifact.kind,
            name = artifact.name,
            sha256 = artifact.sha256,
            bytes = artifact.bytes,
            host = artifact.host,
            job = artifact.job,
            seq = artifact.seq,
            created_by = artifact.created_by,
            created_at_ms = artifact.created_at,
            node = artifact.node,
            turn = artifact.turn,
        }
        changes { dropped_at_ms = artifact.dropped_at }
    }
    current "dropped_at_ms IS NULL"
    read Self {
        id: number,
        kind,
        name,
        sha256,
        bytes,
        host,
        job,
        seq,
        created_by,
        created_at: created_at_ms,
        node,
        turn,
        dropped_at: dropped_at_ms,
    }
}

/// A choice of cards.
#[derive(Clone, Copy, Debug)]
pub enum Cards<'a> {
    /// All.
    All,
    /// Those that are kept in view.
    Pinned,
    /// Those of a task.
    OfTask(TaskId),
    /// Those about a part of the map.
    OfAnchor(&'a AnchorId),
    /// Those that came from a job.
    OfJob(JobId),
}

pub(crate) const CARDS_ALL: &str = newest!(Card, "number");
pub(crate) const CARDS_PINNED: &str = newest!(Card, "number", "pinned = 1");
pub(crate) const CARDS_OF_TASK: &str = newest!(Card, "number", "task = ?4");
pub(crate) const CARDS_OF_ANCHOR: &str = newest!(Card, "number", "anchor = ?4");
pub(crate) const CARDS_OF_JOB: &str = newest!(Card, "number", "job = ?4");

/// Cards before a number, newest first.
pub fn cards(
    tx: &mut dyn Tx,
    room: &RoomId,
    which: Cards<'_>,
    before: Option<CardId>,
    limit: u32,
) -> Result<Vec<Card>, StoreError> {
    match which {
        Cards::All => list(tx, CARDS_ALL, room, &[&before, &limit]),
        Cards::Pinned => list(tx, CARDS_PINNED, room, &[&before, &limit]),
        Cards::OfTask(task) => list(tx, CARDS_OF_TASK, room, &[&before, &limit, &task]),
        Cards::OfAnchor(anchor) => list(tx, CARDS_OF_ANCHOR, room, &[&before, &limit, &anchor]),
        Cards::OfJob(job) => list(tx, CARDS_OF_JOB, room, &[&before, &limit, &job]),
    }
}

pub(crate) const ANCHORS_AFTER: &str = select!(Anchor, "WHERE room_id = ?1 AND anchor > ?2 ORDER BY anchor LIMIT ?3");

/// Parts of the map after an id, in the order of their ids.
pub fn anchors(
    tx: &mut dyn Tx,
    room: &RoomId,
    after: Option<&AnchorId>,
    limit: u32,
) -> Result<Vec<Anchor>, StoreError> {
    list(tx, ANCHORS_AFTER, room, &[&after.map_or("", AnchorId::as_str), &limit])
}

pub(crate) const FIND_PACK: &str = select!(Artifact, "WHERE room_id = ?1 AND kind = 'contextpack' AND name = ?2");

/// The artifact that a context pack is: the last one, which was kept again if the ones before it were given up.
pub fn find_pack(tx: &mut dyn Tx, room: &RoomId, id: &PackId) -> Result<Option<Artifact>, StoreError> {
    let found: Vec<Artifact> = list(tx, FIND_PACK, room, &[&id.file_name()])?;
    Ok(found.into_iter().max_by_key(|artifact| artifact.id))
}

const PACKS: &str = newest!(Artifact, "number", "kind = 'contextpack'");
const PACKS_FOR: &str = newest!(Artifact, "number", "kind = 'contextpack' AND node = ?4");

/// Context packs before a number, newest first: all of them, or those for one agent.
pub fn packs(
    tx: &mut dyn Tx,
    room: &RoomId,
    node: Option<&AgentId>,
    before: Option<ArtifactId>,
    limit: u32,
) -> Result<Vec<Artifact>, StoreError> {
    match node {
        None => list(tx, PACKS, room, &[&before, &limit]),
        Some(node) => list(tx, PACKS_FOR, room, &[&before, &limit, &node]),
    }
}

questions! {
    /// Plans before a number, newest first.
    pub fn plans(before: Option<PlanId>, limit: u32) -> Vec<Plan> = PLANS: "
        WHERE room_id = ?1 AND number < ?2
        ORDER BY number DESC
        LIMIT ?3
    ";

    /// Artifacts that a turn left behind, in the order in which they were kept.
    pub fn artifacts_of_turn(turn: TurnId) -> Vec<Artifact> = ARTIFACTS_OF_TURN: "
        WHERE room_id = ?1 AND turn = ?2
        ORDER BY number
    ";

    /// Artifacts that a job left behind before a number, newest first.
    pub fn artifacts_of_job(job: JobId, before: Option<ArtifactId>, limit: u32) -> Vec<Artifact> = ARTIFACTS_OF_JOB: "
        WHERE room_id = ?1 AND job = ?2 AND number < ?3
        ORDER BY number DESC
        LIMIT ?4
    ";
}

pub(crate) const LAST_CARD: &str = "SELECT number FROM cards WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";
pub(crate) const LAST_PLAN: &str = "SELECT number FROM plans WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";
pub(crate) const LAST_ARTIFACT: &str = "SELECT number FROM artifacts WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";

/// The number that the next card of a room gets. The room must be locked.
pub fn next_card(tx: &mut dyn Tx, room: &RoomId) -> Result<CardId, StoreError> {
    next_number(tx, ("cards", LAST_CARD), room).map(CardId)
}

/// The number that the next plan of a room gets. The room must be locked.
pub fn next_plan(tx: &mut dyn Tx, room: &RoomId) -> Result<PlanId, StoreError> {
    next_number(tx, ("plans", LAST_PLAN), room).map(PlanId)
}

/// The number that the next artifact of a room gets. The room must be locked.
pub fn next_artifact(tx: &mut dyn Tx, room: &RoomId) -> Result<ArtifactId, StoreError> {
    next_number(tx, ("artifacts", LAST_ARTIFACT), room).map(ArtifactId)
}
