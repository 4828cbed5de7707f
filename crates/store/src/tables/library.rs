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
    engine::{Param, Tx},
    fields::Fields,
    sql::select,
    table::{list, table},
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

/// Which cards are meant.
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

pub(crate) const CARDS_ALL: &str = select!(
    Card,
    "
     WHERE room_id = ?1 AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const CARDS_PINNED: &str = select!(
    Card,
    "
     WHERE room_id = ?1 AND number < ?2 AND pinned = 1
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const CARDS_OF_TASK: &str = select!(
    Card,
    "
     WHERE room_id = ?1 AND number < ?2 AND task = ?4
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const CARDS_OF_ANCHOR: &str = select!(
    Card,
    "
     WHERE room_id = ?1 AND number < ?2 AND anchor = ?4
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const CARDS_OF_JOB: &str = select!(
    Card,
    "
     WHERE room_id = ?1 AND number < ?2 AND job = ?4
     ORDER BY number DESC
     LIMIT ?3
"
);

/// Cards before a number, newest first.
pub fn cards(
    tx: &mut dyn Tx,
    room: &RoomId,
    which: Cards<'_>,
    before: Option<CardId>,
    limit: u32,
) -> Result<Vec<Card>, StoreError> {
    let before = before.map_or(i64::MAX, |id| i64::from(id.0));
    let common = [room.as_str().into(), before.into(), i64::from(limit).into()];
    let (sql, of): (_, Option<Param<'_>>) = match which {
        Cards::All => (CARDS_ALL, None),
        Cards::Pinned => (CARDS_PINNED, None),
        Cards::OfTask(task) => (CARDS_OF_TASK, Some(i64::from(task.0).into())),
        Cards::OfAnchor(anchor) => (CARDS_OF_ANCHOR, Some(anchor.as_str().into())),
        Cards::OfJob(job) => (CARDS_OF_JOB, Some(i64::from(job.0).into())),
    };
    let params: Vec<Param<'_>> = common.into_iter().chain(of).collect();
    list(tx, sql, room, &params)
}

pub(crate) const ANCHORS_AFTER: &str = select!(
    Anchor,
    "
     WHERE room_id = ?1 AND anchor > ?2
     ORDER BY anchor
     LIMIT ?3
"
);

/// Parts of the map after an id, in the order of their ids.
pub fn anchors(
    tx: &mut dyn Tx,
    room: &RoomId,
    after: Option<&AnchorId>,
    limit: u32,
) -> Result<Vec<Anchor>, StoreError> {
    let after = after.map_or("", AnchorId::as_str);
    list(tx, ANCHORS_AFTER, room, &[room.as_str().into(), after.into(), i64::from(limit).into()])
}

pub(crate) const PLANS: &str = select!(
    Plan,
    "
     WHERE room_id = ?1 AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
"
);

/// Plans before a number, newest first.
pub fn plans(tx: &mut dyn Tx, room: &RoomId, before: Option<PlanId>, limit: u32) -> Result<Vec<Plan>, StoreError> {
    let before = before.map_or(i64::MAX, |id| i64::from(id.0));
    list(tx, PLANS, room, &[room.as_str().into(), before.into(), i64::from(limit).into()])
}

pub(crate) const FIND_PACK: &str = select!(
    Artifact,
    "
     WHERE room_id = ?1 AND kind = 'contextpack' AND name = ?2
"
);

/// The artifact that a context pack is: the last one, which was kept again if the ones before it were given up.
pub fn find_pack(tx: &mut dyn Tx, room: &RoomId, id: &PackId) -> Result<Option<Artifact>, StoreError> {
    let found: Vec<Artifact> = list(tx, FIND_PACK, room, &[room.as_str().into(), id.file_name().as_str().into()])?;
    Ok(found.into_iter().max_by_key(|artifact| artifact.id))
}

pub(crate) const PACKS: &str = select!(
    Artifact,
    "
     WHERE room_id = ?1 AND kind = 'contextpack' AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const PACKS_FOR: &str = select!(
    Artifact,
    "
     WHERE room_id = ?1 AND kind = 'contextpack' AND number < ?2 AND node = ?4
     ORDER BY number DESC
     LIMIT ?3
"
);

/// Context packs before a number, newest first: all of them, or those for one agent.
pub fn packs(
    tx: &mut dyn Tx,
    room: &RoomId,
    node: Option<&AgentId>,
    before: Option<ArtifactId>,
    limit: u32,
) -> Result<Vec<Artifact>, StoreError> {
    let before = before.map_or(i64::MAX, |id| i64::from(id.0));
    let common = [room.as_str().into(), before.into(), i64::from(limit).into()];
    let sql = if node.is_some() { PACKS_FOR } else { PACKS };
    let params: Vec<Param<'_>> = common.into_iter().chain(node.map(|node| node.as_str().into())).collect();
    list(tx, sql, room, &params)
}

pub(crate) const ARTIFACTS_OF_TURN: &str = select!(
    Artifact,
    "
     WHERE room_id = ?1 AND turn = ?2
     ORDER BY number
"
);

/// What a turn left behind, in the order in which it was kept.
pub fn artifacts_of_turn(tx: &mut dyn Tx, room: &RoomId, turn: TurnId) -> Result<Vec<Artifact>, StoreError> {
    list(tx, ARTIFACTS_OF_TURN, room, &[room.as_str().into(), i64::from(turn.0).into()])
}

pub(crate) const ARTIFACTS_OF_JOB: &str = select!(
    Artifact,
    "
     WHERE room_id = ?1 AND job = ?2 AND number < ?3
     ORDER BY number DESC
     LIMIT ?4
"
);

/// What a job left behind before a number, newest first.
pub fn artifacts_of_job(
    tx: &mut dyn Tx,
    room: &RoomId,
    job: JobId,
    before: Option<ArtifactId>,
    limit: u32,
) -> Result<Vec<Artifact>, StoreError> {
    artifacts(tx, room, Artifacts::OfJob(job), before, limit)
}

pub(crate) const LAST_CARD: &str = "SELECT number FROM cards WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";
pub(crate) const LAST_PLAN: &str = "SELECT number FROM plans WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";
pub(crate) const LAST_ARTIFACT: &str = "SELECT number FROM artifacts WHERE room_id = ?1 ORDER BY number DESC LIMIT 1";

/// The number that the next card of a room gets. The room must be locked.
pub fn next_card(tx: &mut dyn Tx, room: &RoomId) -> Result<CardId, StoreError> {
    next(tx, LAST_CARD, room).map(CardId)
}

/// The number that the next plan of a room gets. The room must be locked.
pub fn next_plan(tx: &mut dyn Tx, room: &RoomId) -> Result<PlanId, StoreError> {
    next(tx, LAST_PLAN, room).map(PlanId)
}

/// The number that the next artifact of a room gets. The room must be locked.
pub fn next_artifact(tx: &mut dyn Tx, room: &RoomId) -> Result<ArtifactId, StoreError> {
    next(tx, LAST_ARTIFACT, room).map(ArtifactId)
}

fn next(tx: &mut dyn Tx, sql: &'static str, room: &RoomId) -> Result<u32, StoreError> {
    let mut last = 0;
    tx.query(sql, &[room.as_str().into()], &mut |row| {
        last = Fields { table: "cards", key: room.as_str(), row }.number(0)?;
        Ok(())
    })?;
    Ok(u32::try_from(last + 1).unwrap_or(u32::MAX))
}
