//! What whoever asks for an agent may do itself.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Draft, Lineage, agent_of, job_of},
    spawn::{Bounds, Wishes},
};
use baton_store::{engine::Tx, jobs, spawns};

use crate::{Caller, Failure, Rights, change::Change};

/// What the caller may do. A process that was started for a job is bound by that job, whatever it calls itself.
pub(super) fn bounds_of(change: &mut Change<'_>, caller: &Caller) -> Result<Bounds, Failure> {
    if let Some(own) = caller.assignment_in(&change.room.id) {
        let job = change.job(own.job)?.ok_or_else(|| Failure::unknown_id(own.job))?;
        return Ok(Bounds::of_job(&job));
    }
    if caller.rights() >= Rights::Operator {
        return Ok(Bounds::of_operator());
    }
    Ok(Bounds::of_member(change.granted(&caller.actor().agent_id)?.unwrap_or_default()))
}

/// What somebody may do now who asked before.
pub(super) fn bounds_of_agent(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    is_operator: bool,
) -> Result<Bounds, Failure> {
    let job = job_of(agent).filter(|job| agent_of(room, *job) == *agent);
    if let Some(id) = job {
        let job = jobs::find(tx, room, id)?.ok_or_else(|| Failure::unknown_id(id))?;
        return Ok(Bounds::of_job(&job));
    }
    if is_operator {
        return Ok(Bounds::of_operator());
    }
    let grants = spawns::grant_of(tx, room, agent)?.map(|grant| grant.grants);
    Ok(Bounds::of_member(grants.unwrap_or_default()))
}

/// A job that the caller wants, as far as it may have it.
pub(crate) fn bounded(
    change: &mut Change<'_>,
    caller: &Caller,
    draft: &Draft,
    wishes: Wishes,
) -> Result<Draft, Failure> {
    let (routing, grants) = bounds_of(change, caller)?.fit(wishes, &draft.routing)?;
    let parent = caller.assignment_in(&change.room.id).map(|own| own.agent_id());
    Ok(Draft { routing, lineage: Lineage { parent, grants }, ..draft.clone() })
}
