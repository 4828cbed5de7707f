//! What whoever asks for an agent may do itself.

use baton_core::{
    ids::AgentId,
    job::{Draft, Lineage, agent_of, job_of},
    spawn::{Bounds, Wishes},
};

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
    member(change, &caller.actor().agent_id)
}

/// What somebody may do who asked before.
pub(super) fn bounds_of_agent(change: &mut Change<'_>, agent: &AgentId, is_operator: bool) -> Result<Bounds, Failure> {
    let job = job_of(agent).filter(|job| agent_of(&change.room.id, *job) == *agent);
    if let Some(id) = job {
        let job = change.job(id)?.ok_or_else(|| Failure::unknown_id(id))?;
        return Ok(Bounds::of_job(&job));
    }
    if is_operator { Ok(Bounds::of_operator()) } else { member(change, agent) }
}

fn member(change: &mut Change<'_>, agent: &AgentId) -> Result<Bounds, Failure> {
    Ok(Bounds::of_member(change.granted(agent)?.unwrap_or_default()))
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
