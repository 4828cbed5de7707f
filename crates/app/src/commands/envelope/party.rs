//! Who sends and who gets: members, and the agents of jobs, which need not be members.

use baton_core::{
    envelope::{Party, Refusal},
    ids::AgentId,
    job::{Job, JobId, Status, agent_of, job_of},
    limits,
    room::Room,
};
use baton_store::{StoreError, engine::Tx, former};

use crate::{Caller, Failure, unit::Change};

/// An agent that was named, and why nothing that it is sent would be read, if that is certain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) party: Party,
    pub(crate) over: Option<Status>,
}

/// The caller as who it is in the room: a member, or the agent of the job that it works on, under the claim in force.
pub(crate) fn sender(change: &mut Change<'_>, caller: &Caller) -> Result<Party, Failure> {
    change.readmit()?;
    let agent_id = change.actor.agent_id.clone();
    let member = name_of(&change.room, &agent_id);
    if let Some(assigned) = caller.own_job_in(&change.room.id) {
        let job = change.store.find::<Job>(&assigned.job)?.cloned().ok_or_else(|| Failure::unknown_id(assigned.job))?;
        job.require_claim(&assigned.shown(change.actor))?;
        return Ok(Party { agent_id, name: member.unwrap_or_else(|| job.id.to_string()) });
    }
    match member {
        Some(name) => Ok(Party { agent_id, name }),
        None => Err(Refusal::UnknownSender { agent_id }.into()),
    }
}

/// Who is meant by a name, an id or a job.
pub(crate) fn party(change: &mut Change<'_>, field: &'static str, named: &str) -> Result<Found, Failure> {
    let member = change.room.named(named);
    let member = member.map(|member| Party { agent_id: member.agent_id.clone(), name: member.display_name.clone() });
    let job = match &member {
        Some(member) => job_of(&member.agent_id),
        None => job_named(&change.room, named),
    };
    let job = match job {
        Some(id) => change.store.find::<Job>(&id)?.cloned(),
        None => None,
    };
    let own = job.as_ref().map(|job| Party { agent_id: agent_of(&change.room.id, job.id), name: job.id.to_string() });
    let over = job.map(|job| job.status).filter(|status| !status.is_active());
    match member.or(own) {
        Some(party) => Ok(Found { party, over }),
        None => {
            Err(unknown(&change.room, field, named, "no agent of this room has that name or id, and no job").into())
        }
    }
}

/// Who is meant, unless nobody would read it.
pub(crate) fn reachable(change: &mut Change<'_>, field: &'static str, named: &str) -> Result<Party, Failure> {
    let Found { party, over } = party(change, field, named)?;
    match over {
        None => Ok(party),
        Some(status) => Err(ended(change, field, named, status)),
    }
}

fn ended(change: &Change<'_>, field: &'static str, named: &str, status: Status) -> Failure {
    let why = format!("its job has ended ({status}), so nobody would read it");
    let failure = Failure::from(unknown(&change.room, field, named, why));
    failure.advising("Have it done again first with `jobs requeue`, or write to somebody else.")
}

/// The name of an agent: a member's own, a job's agent's that of its job.
pub(crate) fn called(room: &Room, agent: &AgentId) -> String {
    name_of(room, agent).or_else(|| job_of(agent).map(|job| job.to_string())).unwrap_or_else(|| agent.to_string())
}

/// The name of an agent, and of one who left the name that it had last.
pub(crate) fn known_as(tx: &mut dyn Tx, room: &Room, agent: &AgentId) -> Result<String, StoreError> {
    if room.member(agent).is_some() || job_of(agent).is_some() {
        return Ok(called(room, agent));
    }
    Ok(former::last(tx, &room.id, agent)?.map_or_else(|| agent.to_string(), |former| former.name))
}

/// That nobody is meant, and who could be.
pub(super) fn unknown(room: &Room, field: &'static str, named: &str, why: impl Into<String>) -> Refusal {
    let agents = room.members.iter().map(|member| member.display_name.clone()).collect();
    let to = named.chars().take(limits::SHOWN_INPUT_CHARS).collect();
    Refusal::UnknownRecipient { field, to, why: why.into(), agents }
}

fn name_of(room: &Room, agent: &AgentId) -> Option<String> {
    room.member(agent).map(|member| member.display_name.clone())
}

/// The job that is named by itself, or by the id of its agent in this room.
fn job_named(room: &Room, named: &str) -> Option<JobId> {
    let own = || {
        let agent: AgentId = named.parse().ok()?;
        job_of(&agent).filter(|job| agent_of(&room.id, *job) == agent)
    };
    named.parse().ok().or_else(own)
}
