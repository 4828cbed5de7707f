//! Agents of jobs.

use baton_app::{Caller, identity::Assignment};
use serde_json::Value;

/// The assignment that the answer to `jobs.claim` makes: what a runner puts into `BATON_JOB`.
pub fn assignment(claimed: &Value) -> Assignment {
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{claimed}")).to_owned();
    let job = &claimed["job"];
    let parts = [
        text(&claimed["room_id"]),
        text(&job["job"]),
        job["revision"].to_string(),
        text(&job["runner_id"]),
        text(&claimed["capability"]),
    ];
    parts.join("/").parse().unwrap()
}

/// The agent of the job that was claimed so, in the process of `program`.
pub fn job_agent(program: &Caller, claimed: &Value) -> Caller {
    let assignment = assignment(claimed);
    let mut actor = program.actor();
    actor.agent_id = assignment.agent_id();
    Caller::new(actor, program.cwd.clone()).assigned(assignment)
}
