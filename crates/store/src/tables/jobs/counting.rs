//! How many jobs there are of a sort, up to a bound: what is counted to a thousand costs the same at a million.

use baton_core::{
    ids::RoomId,
    job::{Marker, Status},
    time::Timestamp,
};

use crate::{
    StoreError,
    engine::{Param, Query, Tx},
    fields::Fields,
};

/// How many jobs there are, each up to the bound that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// By how far they are, in the order of [`Status::ALL`].
    pub by_status: Vec<(Status, u64)>,
    /// By what they want, in the order of [`Marker::ALL`].
    pub by_marker: Vec<(Marker, u64)>,
}

/// Counts jobs of one status.
pub(crate) const COUNT_IN_STATUS: &str = "
    SELECT count(*)
      FROM (SELECT 1 FROM jobs WHERE room_id = ?1 AND status = ?2 LIMIT ?3) AS counted
";

/// Counts jobs that want one thing. One that wants several is counted for each.
macro_rules! count_wanting {
    ($what:literal) => {
        concat!(
            "
    SELECT count(*)
      FROM (SELECT 1 FROM jobs WHERE room_id = ?1 AND attention > 0 AND ",
            $what,
            " LIMIT ?2) AS counted
"
        )
    };
}
pub(crate) const COUNT_WITH_ERROR: &str = count_wanting!("open_error > 0");
pub(crate) const COUNT_WITH_QUESTION: &str = count_wanting!("last_question > last_manager");
pub(crate) const COUNT_WITHOUT_PROOF: &str = count_wanting!("open_gate > 0");

/// Counts jobs whose claim has run out.
pub(crate) const COUNT_RUN_OUT: &str = "
    SELECT count(*)
      FROM (SELECT 1 FROM jobs
             WHERE room_id = ?1 AND status = 'RUNNING' AND claim_expires_at_ms <= ?2 LIMIT ?3) AS counted
";

/// How many jobs of each sort a room has at `now`, each counted up to `most`.
pub fn counts(tx: &mut dyn Tx, room: &RoomId, now: Timestamp, most: u32) -> Result<Counts, StoreError> {
    let (room_param, most) = (Param::from(room.as_str()), Param::from(i64::from(most)));
    let statuses: Vec<[Param<'_>; 3]> =
        Status::ALL.iter().map(|status| [room_param, status.as_str().into(), most]).collect();
    let (kept, run_out) = ([room_param, most], [room_param, now.as_millis().into(), most]);
    let by_status = statuses.iter().map(|params| Query::new(COUNT_IN_STATUS, params));
    let by_marker = Marker::ALL.iter().map(|marker| match marker {
        Marker::Error => Query::new(COUNT_WITH_ERROR, &kept),
        Marker::Question => Query::new(COUNT_WITH_QUESTION, &kept),
        Marker::Proof => Query::new(COUNT_WITHOUT_PROOF, &kept),
        Marker::Stale => Query::new(COUNT_RUN_OUT, &run_out),
    });
    let queries: Vec<Query<'_>> = by_status.chain(by_marker).collect();
    let mut found = vec![0; queries.len()];
    tx.query_all(&queries, &mut |place, row| {
        found[place] = Fields { table: "jobs", key: room.as_str(), row }.number(0)?;
        Ok(())
    })?;
    let (of_status, of_marker) = found.split_at(Status::ALL.len());
    Ok(Counts {
        by_status: Status::ALL.iter().copied().zip(of_status.iter().copied()).collect(),
        by_marker: Marker::ALL.iter().copied().zip(of_marker.iter().copied()).collect(),
    })
}
