//! What whoever asks for an agent may do itself.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Draft, Job, Lineage, agent_of, job_of},
    spawn::{Bounds, Grant, Grants, Wishes},
};
use baton_store::{engine::Tx, table};

use crate::{Caller, Failure, Rights, identity::Employment, unit::Change};

/// The caller's authority. A process that was started for a job is bound by that job, whatever it calls itself and in
/// whichever room it acts; one whose job cannot be told has no grants at all.
pub(super) fn bounds_of(change: &mut Change<'_>, caller: &Caller) -> Result<Bounds, Failure> {
    let agent = caller.actor().agent_id;
    match caller.employment() {
        Employment::Job(own) if own.room == change.room.id => {
            let job = change.store.find::<Job>(&own.job)?.cloned().ok_or_else(|| Failure::unknown_id(own.job))?;
            Ok(Bounds::of_job(&job))
        }
        Employment::Job(own) => {
            let job = table::find::<Job>(change.store.tx()?, &own.room, &own.job)?
                .ok_or_else(|| Failure::unknown_id(own.job))?;
            let (here, own) = (member(change, &agent)?, Bounds::of_job(&job));
            Ok(Bounds { grants: own.grants.within(here.grants), ..own })
        }
        Employment::Hidden => Ok(Bounds::of_member(Grants::default())),
        Employment::None if caller.rights() >= Rights::Operator => Ok(Bounds::of_operator()),
        Employment::None => member(change, &agent),
    }
}

fn member(change: &mut Change<'_>, agent: &AgentId) -> Result<Bounds, Failure> {
    Ok(Bounds::of_member(change.store.find::<Grant>(agent)?.map(|grant| grant.grants).unwrap_or_default()))
}

/// The authority, as of now, of an agent that asked before.
pub(super) fn bounds_of_agent(
    tx: &mut dyn Tx,
    room: &RoomId,
    agent: &AgentId,
    is_operator: bool,
) -> Result<Bounds, Failure> {
    let job = job_of(agent).filter(|job| agent_of(room, *job) == *agent);
    if let Some(id) = job {
        let job = table::find::<Job>(tx, room, &id)?.ok_or_else(|| Failure::unknown_id(id))?;
        return Ok(Bounds::of_job(&job));
    }
    if is_operator {
        return Ok(Bounds::of_operator());
    }
    let grants = table::find::<Grant>(tx, room, agent)?.map(|grant| grant.grants);
    Ok(Bounds::of_member(grants.unwrap_or_default()))
}

/// A job that the caller wants, as far as it may have it.
pub(crate) fn bounded(
    change: &mut Change<'_>,
    caller: &Caller,
    draft: &Draft,
    wishes: Wishes,
) -> Result<Draft, Failure> {
    let bounds = bounds_of(change, caller)?;
    if *caller.employment() != Employment::None {
        // Creating a job is how a job's agent would get further agents without asking for them.
        bounds.require_spawning(change.room.policy.spawn, &caller.actor().agent_id)?;
    }
    let (routing, grants) = bounds.fit(wishes, &draft.routing)?;
    let parent = caller.assignment_in(&change.room.id).map(|own| own.agent_id());
    Ok(Draft { routing, lineage: Lineage { parent, grants }, ..draft.clone() })
}
