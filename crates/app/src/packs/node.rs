//! Whom a pack is for.

use baton_core::{
    code::ErrorCode,
    ids::AgentId,
    job::{Job, JobId, agent_of, job_of},
    room::Room,
};
use baton_store::{engine::Tx, table};

use crate::{Caller, Failure};

/// The agent that is meant by a name, an id, `JOB-001` or a job's own id; else by a job; else the caller, which for whoever
/// works on a job is the job's agent.
pub(crate) fn node(
    tx: &mut dyn Tx,
    room: &Room,
    caller: &Caller,
    named: Option<&str>,
    job: Option<JobId>,
) -> Result<AgentId, Failure> {
    match (named, job) {
        (Some(_), Some(_)) => {
            let message = "agent and job name the same thing in two ways; give one of them.";
            Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "job"))
        }
        (None, Some(job)) => of_job(tx, room, job),
        (Some(named), None) => {
            match named.parse::<JobId>().ok().or_else(|| named.parse().ok().as_ref().and_then(job_of)) {
                Some(job) => of_job(tx, room, job),
                None => member(room, named),
            }
        }
        (None, None) => Ok(match caller.assignment_in(&room.id) {
            Some(assignment) => assignment.agent_id(),
            None => caller.actor().agent_id,
        }),
    }
}

fn of_job(tx: &mut dyn Tx, room: &Room, job: JobId) -> Result<AgentId, Failure> {
    match table::find::<Job>(tx, &room.id, &job)? {
        Some(_) => Ok(agent_of(&room.id, job)),
        None => Err(Failure::unknown_id(job)),
    }
}

fn member(room: &Room, named: &str) -> Result<AgentId, Failure> {
    let found = room.named(named).map(|member| member.agent_id.clone());
    found.ok_or_else(|| Failure::unknown_agent(named))
}
