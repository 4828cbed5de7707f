//! Whom somebody means who looks at an agent.

use baton_core::{
    ids::AgentId,
    job::{Job, agent_of, job_of},
    room::Room,
};
use baton_store::{
    engine::Tx,
    envelopes::{self, Way},
    inbox, table, waits,
};

use crate::{Failure, commands::turn};

/// Whoever has had turns, or has been written to or has written: also those who never joined.
pub(super) fn whose(tx: &mut dyn Tx, room: &Room, named: &str) -> Result<AgentId, Failure> {
    let refused = match turn::whose(tx, room, named) {
        Ok(agent) => return Ok(agent),
        Err(refused) => refused,
    };
    let Ok(agent) = named.parse::<AgentId>() else { return Err(refused) };
    let sent = envelopes::of_agent(tx, &room.id, (&agent, Way::Sent), None, 1)?;
    let known = !sent.is_empty()
        || !inbox::newest(tx, &room.id, &agent, None, 1)?.is_empty()
        || !inbox::sent(tx, &room.id, &agent, None, 1)?.is_empty()
        || is_of_job(tx, room, &agent)?
        || waits_on_record(tx, room, &agent)?;
    if known { Ok(agent) } else { Err(refused) }
}

/// Whether it is the agent of a job of the room, also of one that nobody has begun.
fn is_of_job(tx: &mut dyn Tx, room: &Room, agent: &AgentId) -> Result<bool, Failure> {
    match job_of(agent).filter(|job| agent_of(&room.id, *job) == *agent) {
        Some(job) => Ok(table::find::<Job>(tx, &room.id, &job)?.is_some()),
        None => Ok(false),
    }
}

/// Whether somebody has a call that waits: whoever is shown to wait can be looked at.
fn waits_on_record(tx: &mut dyn Tx, room: &Room, agent: &AgentId) -> Result<bool, Failure> {
    let now = tx.now()?;
    Ok(waits::of_room(tx, &room.id, now)?.iter().any(|wait| wait.agent_id == *agent))
}
