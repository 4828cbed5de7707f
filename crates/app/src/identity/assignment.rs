//! The job that a process works on: what its runner told it, and who that makes it.
//!
//! A runner starts an agent program with `BATON_JOB` in its environment, and hands the same variable to the MCP server that
//! the program starts. Whoever has it is the job's own agent: it reports under the claim that the variable names, and the
//! claim decides how long that is good for.

use std::{fmt, str::FromStr};

use baton_core::{
    ids::{AgentId, RoomId},
    job::{JobId, agent_of},
    lease::Fence,
};

/// The variable that names a process's job.
pub const BATON_JOB: &str = "BATON_JOB";

/// A job, and the claim under which a process works on it. Written `room_…/JOB-001/3/runner`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The room.
    pub room: RoomId,
    /// The job.
    pub job: JobId,
    /// Which claim of it.
    pub revision: Fence,
    /// Whose.
    pub runner: AgentId,
}

impl Assignment {
    /// Who works on it.
    pub fn agent_id(&self) -> AgentId {
        agent_of(&self.room, self.job)
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}/{}", self.room, self.job, self.revision, self.runner)
    }
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut parts = text.splitn(4, '/');
        let mut next = || parts.next().ok_or_else(|| format!("it is written room_…/JOB-001/3/runner, not {text:?}"));
        let (room, job, revision, runner) = (next()?, next()?, next()?, next()?);
        Ok(Self {
            room: room.parse().map_err(|error| format!("{error}"))?,
            job: job.parse()?,
            revision: Fence(revision.parse().map_err(|_| format!("{revision:?} is no revision"))?),
            runner: runner.parse().map_err(|error| format!("{error}"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use baton_core::job::job_of;

    use super::*;

    #[test]
    fn an_assignment_is_written_as_it_is_read_and_names_its_agent() {
        let text = "room_4k9v/JOB-012/3/runner:host:42";
        let assignment: Assignment = text.parse().unwrap();
        assert_eq!(assignment.to_string(), text);
        assert_eq!(assignment.agent_id().as_str(), "job:JOB-012@4k9v");
        assert_eq!(job_of(&assignment.agent_id()), Some(assignment.job));
        assert_eq!(job_of(&"job:3f2a90".parse().unwrap()), None, "a client that calls itself so is none");
        for wrong in ["", "room_1", "room_1/JOB-1/x/r", "lobby/JOB-1/1/r", "room_1/TASK-1/1/r", "room_1/JOB-1/1/"] {
            assert!(wrong.parse::<Assignment>().is_err(), "{wrong}");
        }
    }
}
