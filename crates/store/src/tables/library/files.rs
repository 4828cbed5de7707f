//! Files that a room keeps, and whether any room still names a content.

use baton_core::{
    ids::RoomId,
    job::JobId,
    library::{Artifact, ArtifactId},
    time::Timestamp,
    turn::TurnId,
};

use super::artifacts_of_job;
use crate::{
    StoreError,
    engine::{Param, Query, Tx},
    question::{any, list},
    sql::newest,
    table::current,
};

pub(crate) const ARTIFACTS_BEFORE: &str = newest!(Artifact, "number");
pub(crate) const ARTIFACTS_OF_TURN_BEFORE: &str = newest!(Artifact, "number", "turn = ?4");

/// A choice of artifacts.
#[derive(Clone, Copy, Debug)]
pub enum Artifacts {
    /// All.
    All,
    /// Those of a job.
    OfJob(JobId),
    /// Those of a turn.
    OfTurn(TurnId),
}

/// Artifacts before a number, newest first.
pub fn artifacts(
    tx: &mut dyn Tx,
    room: &RoomId,
    which: Artifacts,
    before: Option<ArtifactId>,
    limit: u32,
) -> Result<Vec<Artifact>, StoreError> {
    match which {
        Artifacts::All => list(tx, ARTIFACTS_BEFORE, room, &[&before, &limit]),
        Artifacts::OfJob(job) => artifacts_of_job(tx, room, job, before, limit),
        Artifacts::OfTurn(turn) => list(tx, ARTIFACTS_OF_TURN_BEFORE, room, &[&before, &limit, &turn]),
    }
}

pub(crate) const ANY_ARTIFACT_BEFORE: &str = "
    SELECT number
      FROM artifacts
     WHERE room_id = ?1 AND created_at_ms < ?2 AND dropped_at_ms IS NULL
     ORDER BY number
     LIMIT 1
";

/// Whether a room has a file that was kept before `time` and not given up.
pub fn any_artifact_before(tx: &mut dyn Tx, room: &RoomId, time: Timestamp) -> Result<bool, StoreError> {
    any(tx, ANY_ARTIFACT_BEFORE, room, &[&time])
}

pub(crate) const NAMED: &str = "SELECT number FROM artifacts WHERE sha256 = ?1 AND dropped_at_ms IS NULL LIMIT 1";

/// Tells for each of these hashes, in their order, whether some room of the store names it. All are asked for at once.
pub fn named(tx: &mut dyn Tx, hashes: &[String]) -> Result<Vec<bool>, StoreError> {
    let params: Vec<[Param<'_>; 1]> = hashes.iter().map(|hash| [hash.as_str().into()]).collect();
    let queries: Vec<Query<'_>> = params.iter().map(|params| Query::new(NAMED, params)).collect();
    let mut found = vec![false; hashes.len()];
    tx.query_all(&queries, &mut |query, _| {
        found[query] = true;
        Ok(())
    })?;
    Ok(found)
}

pub(crate) const NAMING: &str = "SELECT COUNT(*) FROM artifacts WHERE sha256 = ?1 AND dropped_at_ms IS NULL";

/// How many files of all rooms have this content.
pub fn naming(tx: &mut dyn Tx, hash: &str) -> Result<u64, StoreError> {
    let mut count = 0;
    tx.query(NAMING, &[hash.into()], &mut |row| {
        count = row.int(0)?.unwrap_or_default().max(0) as u64;
        Ok(())
    })?;
    Ok(count)
}

/// Every file of a room that was not given up, in the order of their numbers.
pub fn artifacts_kept(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<Artifact>, StoreError> {
    let mut kept: Vec<Artifact> = current(tx, room)?;
    kept.sort_by_key(|artifact| artifact.id);
    Ok(kept)
}
