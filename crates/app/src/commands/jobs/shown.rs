//! Whose word a report is: the claim that is shown, and who shows it.

use baton_core::{
    claimant::Claimant,
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{JobId, Shown},
    lease::Fence,
};

use crate::{Caller, Failure};

/// Which claim on which job is shown. A job's own agent need not say, its runner did.
pub(crate) fn shown(
    caller: &Caller,
    room: &RoomId,
    job: Option<JobId>,
    runner: Option<&AgentId>,
    revision: Option<Fence>,
) -> Result<(JobId, Shown), Failure> {
    let by = Claimant::of(&caller.actor());
    let assigned = caller.assignment_in(room).filter(|assigned| job.is_none_or(|job| job == assigned.job));
    let job = job.or(assigned.map(|assigned| assigned.job)).ok_or_else(|| missing("job"))?;
    let revision = revision.or(assigned.map(|assigned| assigned.revision)).ok_or_else(|| missing("claim_revision"))?;
    let runner = runner.or(assigned.map(|assigned| &assigned.runner)).unwrap_or(&by.agent).clone();
    let own = assigned.filter(|assigned| assigned.runner == runner && assigned.revision == revision);
    let capability = own.map(|assigned| assigned.capability.clone());
    Ok((job, Shown { runner, revision, by, capability }))
}

fn missing(field: &str) -> Failure {
    let next = "Show the claim: job, runner_id and the job.revision that `jobs claim` answered.";
    Failure::new(ErrorCode::InvalidInput, format!("missing field `{field}`")).with("field", field).advising(next)
}
