//! Cards, anchors, plans and artifacts: where each is, and what it is called. Their texts are in the log.

use baton_core::{
    context::PackId,
    ids::{AgentId, AnchorId, RoomId, Seq},
    job::JobId,
    library::{Anchor, Artifact, ArtifactId, Card, CardId, Library, Plan, PlanId},
    task::TaskId,
    turn::TurnId,
};

use crate::{
    StoreError,
    engine::{Changes, Param, Row, Tx},
    fields::{Fields, bad, collect, number},
};

/// A card as [`card`] reads it, from the rows that are meant.
macro_rules! cards {
    ($which:literal) => {
        concat!(
            "
    SELECT number, kind, title, tags, pinned, task, anchor, job, seq, created_by, created_at_ms
      FROM cards",
            $which
        )
    };
}

/// Reads one card.
pub(crate) const FIND_CARD: &str = cards!(
    "
     WHERE room_id = ?1 AND number = ?2
"
);

/// The card with this number.
pub fn find_card(tx: &mut dyn Tx, room: &RoomId, id: CardId) -> Result<Option<Card>, StoreError> {
    let found = collect(tx, FIND_CARD, room, &[room.as_str().into(), i64::from(id.0).into()], card)?;
    Ok(found.into_iter().next())
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

pub(crate) const CARDS_ALL: &str = cards!(
    "
     WHERE room_id = ?1 AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const CARDS_PINNED: &str = cards!(
    "
     WHERE room_id = ?1 AND number < ?2 AND pinned = 1
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const CARDS_OF_TASK: &str = cards!(
    "
     WHERE room_id = ?1 AND number < ?2 AND task = ?4
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const CARDS_OF_ANCHOR: &str = cards!(
    "
     WHERE room_id = ?1 AND number < ?2 AND anchor = ?4
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const CARDS_OF_JOB: &str = cards!(
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
    collect(tx, sql, room, &params, card)
}

const ALL_CARDS: &str = cards!(
    "
     WHERE room_id = ?1
     ORDER BY number
"
);

pub(crate) const FIND_ANCHOR: &str = "
    SELECT anchor, title, seq, updated_at_ms
      FROM anchors
     WHERE room_id = ?1 AND anchor = ?2
";

/// The part of the map with this id.
pub fn find_anchor(tx: &mut dyn Tx, room: &RoomId, id: &AnchorId) -> Result<Option<Anchor>, StoreError> {
    let found = collect(tx, FIND_ANCHOR, room, &[room.as_str().into(), id.as_str().into()], anchor)?;
    Ok(found.into_iter().next())
}

pub(crate) const ANCHORS_AFTER: &str = "
    SELECT anchor, title, seq, updated_at_ms
      FROM anchors
     WHERE room_id = ?1 AND anchor > ?2
     ORDER BY anchor
     LIMIT ?3
";

/// Parts of the map after an id, in the order of their ids.
pub fn anchors(
    tx: &mut dyn Tx,
    room: &RoomId,
    after: Option<&AnchorId>,
    limit: u32,
) -> Result<Vec<Anchor>, StoreError> {
    let after = after.map_or("", AnchorId::as_str);
    collect(tx, ANCHORS_AFTER, room, &[room.as_str().into(), after.into(), i64::from(limit).into()], anchor)
}

pub(crate) const FIND_PLAN: &str = "
    SELECT number, title, seq, created_by, created_at_ms
      FROM plans
     WHERE room_id = ?1 AND number = ?2
";

/// The plan with this number.
pub fn find_plan(tx: &mut dyn Tx, room: &RoomId, id: PlanId) -> Result<Option<Plan>, StoreError> {
    let found = collect(tx, FIND_PLAN, room, &[room.as_str().into(), i64::from(id.0).into()], plan)?;
    Ok(found.into_iter().next())
}

pub(crate) const PLANS: &str = "
    SELECT number, title, seq, created_by, created_at_ms
      FROM plans
     WHERE room_id = ?1 AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
";

/// Plans before a number, newest first.
pub fn plans(tx: &mut dyn Tx, room: &RoomId, before: Option<PlanId>, limit: u32) -> Result<Vec<Plan>, StoreError> {
    let before = before.map_or(i64::MAX, |id| i64::from(id.0));
    collect(tx, PLANS, room, &[room.as_str().into(), before.into(), i64::from(limit).into()], plan)
}

/// An artifact as [`artifact`] reads it, from the rows that are meant.
macro_rules! artifacts {
    ($which:literal) => {
        concat!(
            "
    SELECT number, kind, name, sha256, bytes, host, job, seq, created_by, created_at_ms, node, turn, dropped_at_ms
      FROM artifacts",
            $which
        )
    };
}

mod files;
#[cfg(test)]
pub(crate) use files::{ANY_ARTIFACT_BEFORE, ARTIFACTS_BEFORE, ARTIFACTS_OF_TURN_BEFORE, NAMED, NAMING};
pub use files::{Artifacts, any_artifact_before, artifacts, artifacts_kept, named, naming};

pub(crate) const FIND_ARTIFACT: &str = artifacts!(
    "
     WHERE room_id = ?1 AND number = ?2
"
);

/// The artifact with this number.
pub fn find_artifact(tx: &mut dyn Tx, room: &RoomId, id: ArtifactId) -> Result<Option<Artifact>, StoreError> {
    let found = collect(tx, FIND_ARTIFACT, room, &[room.as_str().into(), i64::from(id.0).into()], artifact)?;
    Ok(found.into_iter().next())
}

pub(crate) const FIND_PACK: &str = artifacts!(
    "
     WHERE room_id = ?1 AND kind = 'contextpack' AND name = ?2
"
);

/// The artifact that a context pack is: the last one, which was kept again if the ones before it were given up.
pub fn find_pack(tx: &mut dyn Tx, room: &RoomId, id: &PackId) -> Result<Option<Artifact>, StoreError> {
    let found = collect(tx, FIND_PACK, room, &[room.as_str().into(), id.file_name().as_str().into()], artifact)?;
    Ok(found.into_iter().max_by_key(|artifact| artifact.id))
}

pub(crate) const PACKS: &str = artifacts!(
    "
     WHERE room_id = ?1 AND kind = 'contextpack' AND number < ?2
     ORDER BY number DESC
     LIMIT ?3
"
);
pub(crate) const PACKS_FOR: &str = artifacts!(
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
    collect(tx, sql, room, &params, artifact)
}

pub(crate) const ARTIFACTS_OF_TURN: &str = artifacts!(
    "
     WHERE room_id = ?1 AND turn = ?2
     ORDER BY number
"
);

/// What a turn left behind, in the order in which it was kept.
pub fn artifacts_of_turn(tx: &mut dyn Tx, room: &RoomId, turn: TurnId) -> Result<Vec<Artifact>, StoreError> {
    collect(tx, ARTIFACTS_OF_TURN, room, &[room.as_str().into(), i64::from(turn.0).into()], artifact)
}

pub(crate) const ARTIFACTS_OF_JOB: &str = artifacts!(
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

const ALL_PLANS: &str = "
    SELECT number, title, seq, created_by, created_at_ms
      FROM plans
     WHERE room_id = ?1
     ORDER BY number
";
const ALL_ARTIFACTS: &str = artifacts!(
    "
     WHERE room_id = ?1
     ORDER BY number
"
);

/// All of a room's library, for a check of it.
pub fn all(tx: &mut dyn Tx, room: &RoomId) -> Result<Library, StoreError> {
    let params = [room.as_str().into()];
    let mut anchors = anchors(tx, room, None, u32::MAX)?;
    anchors.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(Library {
        cards: collect(tx, ALL_CARDS, room, &params, card)?,
        anchors,
        plans: collect(tx, ALL_PLANS, room, &params, plan)?,
        artifacts: collect(tx, ALL_ARTIFACTS, room, &params, artifact)?,
    })
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

const PUT_CARD: &str = "
    INSERT INTO cards (room_id, number, kind, title, tags, pinned, task, anchor, job, seq, created_by, created_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
        ON CONFLICT (room_id, number) DO UPDATE
       SET pinned = excluded.pinned
";
const PUT_ANCHOR: &str = "
    INSERT INTO anchors (room_id, anchor, title, seq, updated_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (room_id, anchor) DO UPDATE
       SET title = excluded.title, seq = excluded.seq, updated_at_ms = excluded.updated_at_ms
";
const PUT_PLAN: &str = "
    INSERT INTO plans (room_id, number, title, seq, created_by, created_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)
";
const PUT_ARTIFACT: &str = "
    INSERT INTO artifacts (room_id, number, kind, name, sha256, bytes, host, job, seq, created_by, created_at_ms,
                           node, turn, dropped_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
        ON CONFLICT (room_id, number) DO UPDATE
       SET dropped_at_ms = excluded.dropped_at_ms
";

/// Stores what became different of a library.
pub fn save(tx: &mut dyn Tx, room: &RoomId, before: &Library, after: &Library) -> Result<(), StoreError> {
    for card in after.cards.iter().filter(|card| before.card(card.id) != Some(*card)) {
        put_card(tx, room, card)?;
    }
    for anchor in after.anchors.iter().filter(|anchor| !before.anchors.contains(anchor)) {
        let params = [
            room.as_str().into(),
            anchor.id.as_str().into(),
            anchor.title.as_str().into(),
            number(anchor.seq.0).into(),
            anchor.updated_at.as_millis().into(),
        ];
        tx.execute(PUT_ANCHOR, &params, Changes::One("anchors"))?;
    }
    for plan in after.plans.iter().filter(|plan| !before.plans.contains(plan)) {
        let params = [
            room.as_str().into(),
            i64::from(plan.id.0).into(),
            plan.title.as_str().into(),
            number(plan.seq.0).into(),
            plan.created_by.as_str().into(),
            plan.created_at.as_millis().into(),
        ];
        tx.execute(PUT_PLAN, &params, Changes::One("plans"))?;
    }
    for artifact in after.artifacts.iter().filter(|artifact| !before.artifacts.contains(artifact)) {
        let params = [
            room.as_str().into(),
            i64::from(artifact.id.0).into(),
            artifact.kind.as_str().into(),
            artifact.name.as_str().into(),
            artifact.sha256.as_str().into(),
            number(artifact.bytes).into(),
            artifact.host.as_str().into(),
            artifact.job.map(|job| i64::from(job.0)).into(),
            number(artifact.seq.0).into(),
            artifact.created_by.as_str().into(),
            artifact.created_at.as_millis().into(),
            artifact.node.as_ref().map(AgentId::as_str).into(),
            artifact.turn.map(|turn| i64::from(turn.0)).into(),
            artifact.dropped_at.map(|at| at.as_millis()).into(),
        ];
        tx.execute(PUT_ARTIFACT, &params, Changes::One("artifacts"))?;
    }
    Ok(())
}

fn put_card(tx: &mut dyn Tx, room: &RoomId, card: &Card) -> Result<(), StoreError> {
    let tags = serde_json::to_string(&card.tags).map_err(|error| bad("cards", room.as_str(), error))?;
    let params = [
        room.as_str().into(),
        i64::from(card.id.0).into(),
        card.kind.as_str().into(),
        card.title.as_str().into(),
        tags.as_str().into(),
        i64::from(card.pinned).into(),
        card.task.map(|task| i64::from(task.0)).into(),
        card.anchor.as_ref().map(AnchorId::as_str).into(),
        card.job.map(|job| i64::from(job.0)).into(),
        number(card.seq.0).into(),
        card.created_by.as_str().into(),
        card.created_at.as_millis().into(),
    ];
    tx.execute(PUT_CARD, &params, Changes::One("cards"))
}

/// A number that a room gave out.
fn counted(fields: &Fields<'_>, column: usize) -> Result<u32, StoreError> {
    fields.number(column)?.try_into().map_err(|_| fields.bad("has a number that is too large"))
}

/// The same where there may be none.
fn maybe_counted(fields: &Fields<'_>, column: usize) -> Result<Option<u32>, StoreError> {
    fields.row.int(column)?.map(|_| counted(fields, column)).transpose()
}

fn card(room: &RoomId, row: &dyn Row) -> Result<Card, StoreError> {
    let fields = Fields { table: "cards", key: room.as_str(), row };
    Ok(Card {
        id: CardId(counted(&fields, 0)?),
        kind: fields.word(1)?,
        title: fields.text(2)?.to_owned(),
        tags: serde_json::from_str(fields.text(3)?).map_err(|error| fields.bad(error))?,
        pinned: fields.number(4)? != 0,
        task: maybe_counted(&fields, 5)?.map(TaskId),
        anchor: fields.optional(6)?,
        job: maybe_counted(&fields, 7)?.map(JobId),
        seq: Seq(fields.number(8)?),
        created_by: fields.id(9)?,
        created_at: fields.time(10)?,
    })
}

fn anchor(room: &RoomId, row: &dyn Row) -> Result<Anchor, StoreError> {
    let fields = Fields { table: "anchors", key: room.as_str(), row };
    Ok(Anchor {
        id: fields.id(0)?,
        title: fields.text(1)?.to_owned(),
        seq: Seq(fields.number(2)?),
        updated_at: fields.time(3)?,
    })
}

fn plan(room: &RoomId, row: &dyn Row) -> Result<Plan, StoreError> {
    let fields = Fields { table: "plans", key: room.as_str(), row };
    Ok(Plan {
        id: PlanId(counted(&fields, 0)?),
        title: fields.text(1)?.to_owned(),
        seq: Seq(fields.number(2)?),
        created_by: fields.id(3)?,
        created_at: fields.time(4)?,
    })
}

fn artifact(room: &RoomId, row: &dyn Row) -> Result<Artifact, StoreError> {
    let fields = Fields { table: "artifacts", key: room.as_str(), row };
    Ok(Artifact {
        id: ArtifactId(counted(&fields, 0)?),
        kind: fields.word(1)?,
        name: fields.text(2)?.to_owned(),
        sha256: fields.text(3)?.to_owned(),
        bytes: fields.number(4)?,
        host: fields.text(5)?.to_owned(),
        job: maybe_counted(&fields, 6)?.map(JobId),
        seq: Seq(fields.number(7)?),
        created_by: fields.id(8)?,
        created_at: fields.time(9)?,
        node: fields.optional(10)?,
        turn: maybe_counted(&fields, 11)?.map(TurnId),
        dropped_at: fields.optional_time(12)?,
    })
}
