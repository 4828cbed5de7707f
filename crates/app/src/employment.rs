//! The proof that a caller works for a job: its capability, compared with the claim in force.
//!
//! `BATON_JOB` says which job; anybody may write that. Every transaction of such a caller begins here, so that neither a
//! guess nor the variable of an earlier claim acts as the job's agent, or as anybody else. Here is also decided which jobs a
//! job's agent manages ([`Change::managed_job`]); the commands that it may call at all are in the table.

use baton_core::{
    code::ErrorCode,
    ids::AgentId,
    job::{Job, JobId, Refusal, job_of},
    room::Actor,
};
use baton_store::{engine::Tx, table};

use crate::{
    App, Caller, Failure,
    identity::{Assignment, BATON_JOB, Employment},
    table::Role,
    unit::Change,
};

/// Refuses a caller that says it works for a job and cannot prove it, and one that has a job agent's id otherwise.
pub(crate) fn require_proof(tx: &mut dyn Tx, caller: &Caller, actor: &Actor) -> Result<(), Failure> {
    match caller.employment().assignment() {
        Some(assignment) => {
            let found = table::find::<Job>(tx, &assignment.room, &assignment.job)?;
            require(found, assignment, actor)
        }
        None => require_no_job(&actor.agent_id),
    }
}

fn require(found: Option<Job>, assignment: &Assignment, actor: &Actor) -> Result<(), Failure> {
    let job = found.ok_or_else(|| unknown(assignment))?;
    job.require_claim(&assignment.shown(actor))?;
    match job_of(&actor.agent_id) {
        Some(_) if actor.agent_id != assignment.agent_id() => Err(unproven(&actor.agent_id)),
        Some(_) | None => Ok(()),
    }
}

fn require_no_job(agent: &AgentId) -> Result<(), Failure> {
    if job_of(agent).is_some() { Err(unproven(agent)) } else { Ok(()) }
}

impl Change<'_> {
    /// Refuses as [`require_proof`] does, now that the room is locked and no claim on its jobs can change any more.
    pub(crate) fn require_employment(&mut self, caller: &Caller) -> Result<(), Failure> {
        match caller.employment().assignment() {
            // Most of what a job's agent does is about its job, which is then at hand.
            Some(assignment) if assignment.room == self.room.id => {
                let found = self.store.find::<Job>(&assignment.job)?.cloned();
                require(found, assignment, self.actor)
            }
            Some(_) | None => require_proof(self.store.tx()?, caller, self.actor),
        }
    }
}

impl Change<'_> {
    /// A job that the caller may steer. A job's agent steers only jobs that it created; `own` says what it leaves to the
    /// manager of its own.
    pub(crate) fn managed_job(&mut self, caller: &Caller, id: JobId, own: &'static str) -> Result<Job, Failure> {
        let job = self.store.find::<Job>(&id)?.cloned().ok_or_else(|| Failure::unknown_id(id))?;
        let agent = match caller.employment() {
            Employment::None => return Ok(job),
            Employment::Job(assignment) => Some(assignment.agent_id()),
            Employment::Hidden => None,
        };
        match job.require_manager(&self.room.id, agent.as_ref(), own) {
            Ok(()) => Ok(job),
            Err(refusal @ Refusal::NotManager { .. }) => Err(by_role(refusal.into())),
            Err(refusal) => Err(refusal.into()),
        }
    }
}

/// A refusal of a job's agent by its role, with the role that may.
pub(crate) fn by_role(failure: Failure) -> Failure {
    failure.with("role", Role::JobAgent.as_str()).with("needs", Role::Agent.as_str())
}

impl App {
    /// Refuses a caller that works for a job under a claim that is over.
    pub(crate) fn require_claim_in_force(&self, caller: &Caller) -> Result<(), Failure> {
        match caller.employment() {
            Employment::Job(_) => self.require_employment(caller, &caller.actor()),
            Employment::None | Employment::Hidden => Ok(()),
        }
    }

    /// Refuses a caller that cannot prove the job it says it works for, before it is shown anything of that job's agent.
    pub(crate) fn require_employment(&self, caller: &Caller, actor: &Actor) -> Result<(), Failure> {
        match caller.employment().assignment() {
            Some(_) => self.store.read(|tx| require_proof(tx, caller, actor)),
            None => require_no_job(&actor.agent_id),
        }
    }
}

fn unproven(agent: &AgentId) -> Failure {
    let message = format!("{agent} is the agent of a job, and only the capability of its claim makes a caller that.");
    Failure::new(ErrorCode::Forbidden, message)
        .with("agent_id", agent.as_str())
        .advising(format!("A job's program has its capability in {BATON_JOB}; everybody else acts as itself."))
}

fn unknown(assignment: &Assignment) -> Failure {
    let Assignment { room, job, .. } = assignment;
    let message = format!("{BATON_JOB} names {job} in {room}, which is not in this store.");
    Failure::new(ErrorCode::Forbidden, message)
        .with("job", job.to_string())
        .with("room_id", room.as_str())
        .advising(format!("Use the store of the runner that set {BATON_JOB}."))
}
