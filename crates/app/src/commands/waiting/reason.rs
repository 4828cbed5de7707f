//! Why somebody who is waited for is not done, as far as it can be seen.

use baton_core::{
    ids::AgentId,
    job::{Job, Status, agent_of},
    process::Witness,
    room::Room,
    time::Timestamp,
};
use baton_store::{engine::Tx, inbox, jobs, table, turns};

use crate::{Failure, commands::envelope::why_over};

/// Why somebody is not done, since when, and whether that is for good.
pub(crate) struct Reason {
    pub(crate) why: String,
    pub(crate) since: Timestamp,
    /// Nothing comes of waiting any longer.
    pub(crate) over: bool,
}

/// A room as it is seen by somebody who waits.
pub(crate) struct Sight<'a> {
    pub(crate) room: &'a Room,
    pub(crate) witness: &'a dyn Witness,
    pub(crate) now: Timestamp,
    /// The time since when it is waited for somebody who was sent nothing.
    pub(crate) began: Timestamp,
}

/// Most items that are counted in an inbox.
const COUNTED: u32 = 100;

/// Why an agent has not answered what it was sent at `since`.
pub(crate) fn of_agent(
    tx: &mut dyn Tx,
    sight: &Sight<'_>,
    agent: &AgentId,
    asked: Option<Timestamp>,
) -> Result<Reason, Failure> {
    let since = asked.unwrap_or(sight.began);
    if let Some(why) = why_over(tx, sight.room, sight.witness, agent)? {
        return Ok(Reason { why, since, over: true });
    }
    let job = match baton_core::job::job_of(agent) {
        Some(id) => table::find::<Job>(tx, &sight.room.id, &id)?,
        None => None,
    };
    if let Some(job) = job {
        return of_job(tx, sight, &job);
    }
    if let Some(turn) = turns::open_of(tx, &sight.room.id, agent)? {
        let why = format!("is in {}", turn.id);
        return Ok(Reason { why, since: turn.began_at, over: false });
    }
    let queued = inbox::untaken(tx, &sight.room.id, agent, COUNTED)?;
    let why = match (queued.len(), asked) {
        (0, None) => "never answered: nothing was sent to it".to_owned(),
        (0, Some(_)) => "has read what it was sent, and never answered".to_owned(),
        (1, _) => "has one input queued".to_owned(),
        (count, _) => format!("has {count} inputs queued"),
    };
    Ok(Reason { why, since: queued.first().map_or(since, |item| item.queued_at), over: false })
}

/// Why a job has not ended.
pub(crate) fn of_job(tx: &mut dyn Tx, sight: &Sight<'_>, job: &Job) -> Result<Reason, Failure> {
    let room = &sight.room.id;
    if job.needs_manager() {
        return Ok(Reason {
            why: "asked something and waits for a manager".to_owned(),
            since: job.active_at,
            over: false,
        });
    }
    if job.status == Status::Queued {
        let why = match jobs::ahead(tx, room, job)? {
            0 => "queued, and next in its line".to_owned(),
            1 => "queued behind one other".to_owned(),
            count => format!("queued behind {count} others"),
        };
        return Ok(Reason { why, since: job.active_at, over: false });
    }
    let runner = job.claim.as_ref().map(|claim| format!(" under {}", claim.lease.holder)).unwrap_or_default();
    if job.is_stale(sight.now) {
        let why = format!("running{runner}, whose claim has run out");
        return Ok(Reason { why, since: job.active_at, over: false });
    }
    let process = job.claim.as_ref().and_then(|claim| claim.claimant.backing.process.as_deref());
    if process.is_some_and(|process| sight.witness.liveness(process).is_gone()) {
        let why = format!("running{runner}, whose process is gone: another runner takes it up");
        return Ok(Reason { why, since: job.active_at, over: false });
    }
    let proof = if job.needs_proof() { ", and lacks proof" } else { "" };
    Ok(match turns::open_of(tx, room, &agent_of(room, job.id))? {
        Some(turn) => {
            Reason { why: format!("running{runner} in {}{proof}", turn.id), since: turn.began_at, over: false }
        }
        None => Reason { why: format!("running{runner}{proof}"), since: job.active_at, over: false },
    })
}
