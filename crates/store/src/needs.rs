//! Matters that wait for a person in a room: everything that is kept of them, asked for at once.

use baton_core::{
    envelope::Posted,
    event::Recorded,
    ids::RoomId,
    inbox::Item,
    job::{Job, Status},
    spawn::Approval,
    time::Timestamp,
};

use crate::{
    StoreError,
    engine::{Query, Tx},
    envelopes, inbox, incursions, jobs, log, spawns,
    table::read,
};

/// Bounds of the search.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The time, by which claims have run out.
    pub now: Timestamp,
    /// Collisions that were met since then.
    pub incursions_since: Timestamp,
    /// Whose inbox: agents with ids from the first to the second.
    pub inboxes: (&'a str, &'a str),
    /// Most of each sort.
    pub limit: u32,
}

/// Matters that wait, each sort in the order of its index.
#[derive(Debug, Default)]
pub struct Waiting {
    /// Jobs that ask, that met an error, or that show nothing.
    pub pressing: Vec<Job>,
    /// Jobs whose claim ran out.
    pub stale: Vec<Job>,
    /// Jobs that failed, the last first.
    pub failed: Vec<Job>,
    /// Requests for agents that nobody has decided on.
    pub approvals: Vec<Approval>,
    /// Messages that have to be accepted.
    pub to_accept: Vec<Item>,
    /// Envelopes that a response is owed for.
    pub owed: Vec<Posted>,
    /// Collisions.
    pub incursions: Vec<Recorded>,
}

/// Matters that wait in a room.
pub fn waiting(tx: &mut dyn Tx, room: &RoomId, wanted: &Wanted<'_>) -> Result<Waiting, StoreError> {
    let (id, most) = (room.as_str().into(), i64::from(wanted.limit).into());
    let (first, last) = (wanted.inboxes.0.into(), wanted.inboxes.1.into());
    let pressing = [id, most];
    let stale = [id, wanted.now.as_millis().into(), most];
    let failed = [id, Status::Failed.as_str().into(), i64::MAX.into(), most];
    let within = [id, first, last, most];
    let since = [id, wanted.incursions_since.as_millis().into(), most];
    let queries = [
        Query::new(jobs::PRESSING, &pressing),
        Query::new(jobs::STALE, &stale),
        Query::new(jobs::IN_STATUS, &failed),
        Query::new(spawns::PENDING, &pressing),
        Query::new(inbox::TO_ACCEPT, &within),
        Query::new(envelopes::OWED_WITHIN, &within),
        Query::new(incursions::SINCE, &since),
    ];
    let mut found = Waiting::default();
    tx.query_all(&queries, &mut |query, row| {
        match query {
            0 => found.pressing.push(read(room, row)?),
            1 => found.stale.push(read(room, row)?),
            2 => found.failed.push(read(room, row)?),
            3 => found.approvals.push(read(room, row)?),
            4 => found.to_accept.push(read(room, row)?),
            5 => found.owed.push(read(room, row)?),
            _ => found.incursions.push(log::recorded(room, row)?),
        }
        Ok(())
    })?;
    Ok(found)
}
