//! The job that a process works for.
//!
//! A runner starts an agent program with `BATON_JOB` in its environment, and hands the same variable to the MCP server that
//! the program starts. It names a claim and ends with the claim's capability, a secret that was made with it. A process
//! that has it is the job's own agent for as long as the claim is in force; room, job, revision and runner alone can be
//! read in the log, and prove nothing.

use std::{fmt, str::FromStr, sync::Arc};

use baton_core::{
    claimant::Claimant,
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{Capability, JobId, Shown, agent_of},
    lease::Fence,
    room::Actor,
};

use crate::Failure;

/// The variable that names a process's job.
pub const BATON_JOB: &str = "BATON_JOB";

const FORM: &str = "room_…/JOB-001/3/runner/cap_…";

/// A job, and the claim under which a process works on it. Written `room_…/JOB-001/3/runner/cap_…`.
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
    /// The secret of the claim.
    pub capability: Capability,
}

/// The job that a process works for, as far as it can be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Employment {
    /// None: nothing above the process minds a job, and its environment names none.
    #[default]
    None,
    /// This one.
    Job(Arc<Assignment>),
    /// A minder is above the process, and the job cannot be told. Nothing is granted to it.
    Hidden,
}

impl Employment {
    /// The job, where it can be told.
    pub fn assignment(&self) -> Option<&Assignment> {
        match self {
            Self::Job(assignment) => Some(assignment),
            Self::None | Self::Hidden => None,
        }
    }
}

impl From<Option<Assignment>> for Employment {
    fn from(assignment: Option<Assignment>) -> Self {
        assignment.map_or(Self::None, |assignment| Self::Job(Arc::new(assignment)))
    }
}

impl From<Assignment> for Employment {
    fn from(assignment: Assignment) -> Self {
        Some(assignment).into()
    }
}

impl Assignment {
    /// The agent of the job.
    pub fn agent_id(&self) -> AgentId {
        agent_of(&self.room, self.job)
    }

    /// The value of `BATON_JOB` for the job's program. It has the secret in it.
    pub fn reveal(&self) -> String {
        let Self { room, job, revision, runner, capability } = self;
        format!("{room}/{job}/{revision}/{runner}/{}", capability.reveal())
    }

    /// The claim as the job's own agent shows it.
    pub(crate) fn shown(&self, by: &Actor) -> Shown {
        Shown {
            runner: self.runner.clone(),
            revision: self.revision,
            by: Claimant::of(by),
            capability: Some(self.capability.clone()),
        }
    }
}

impl FromStr for Assignment {
    type Err = InvalidAssignment;

    fn from_str(text: &str) -> Result<Self, InvalidAssignment> {
        let mut parts = text.split('/');
        let mut next = || parts.next().ok_or_else(|| malformed(format!("it is written {FORM}")));
        let (room, job, revision, runner) = (next()?, next()?, next()?, next()?);
        let (room, job) = (room.parse().map_err(malformed)?, job.parse().map_err(malformed)?);
        let revision = revision.parse().map_err(|_| malformed(format!("{revision:?} is no revision")))?;
        let runner = runner.parse().map_err(malformed)?;
        let capability = parts.next().ok_or(InvalidAssignment::NoCapability)?;
        let capability = capability.parse().map_err(malformed)?;
        match parts.next() {
            None => Ok(Self { room, job, revision: Fence(revision), runner, capability }),
            Some(_) => Err(malformed(format!("it is written {FORM}"))),
        }
    }
}

fn malformed(why: impl fmt::Display) -> InvalidAssignment {
    InvalidAssignment::Malformed(why.to_string())
}

/// A text that is no assignment. The capability in it is not repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidAssignment {
    /// It is written differently.
    Malformed(String),
    /// It names a claim and does not prove that it was given it.
    NoCapability,
}

impl From<InvalidAssignment> for Failure {
    fn from(invalid: InvalidAssignment) -> Self {
        match invalid {
            InvalidAssignment::Malformed(why) => Self::new(ErrorCode::InvalidInput, format!("{BATON_JOB}: {why}."))
                .advising(format!("Correct {BATON_JOB}, or unset it so that Baton finds out who you are.")),
            InvalidAssignment::NoCapability => {
                let message = format!("{BATON_JOB} names a claim without its capability, which anybody could.");
                Self::new(ErrorCode::Forbidden, message).advising(format!(
                    "Take the whole of it from the answer to `jobs claim`, as {FORM}, or unset it to act as yourself."
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use baton_core::job::job_of;

    use super::*;

    const CAPABILITY: &str = "cap_0123456789abcdefghjkmnpqrs";

    #[test]
    fn an_assignment_is_written_as_it_is_read_and_names_its_agent() {
        let text = format!("room_4k9v/JOB-012/3/runner:host:42/{CAPABILITY}");
        let assignment: Assignment = text.parse().unwrap();
        assert_eq!(assignment.reveal(), text);
        assert_eq!(assignment.agent_id().as_str(), "job:JOB-012@4k9v");
        assert_eq!(job_of(&assignment.agent_id()), Some(assignment.job));
        assert_eq!(job_of(&"job:3f2a90".parse().unwrap()), None, "a client that calls itself so is none");
        assert!(!format!("{assignment:?}").contains(CAPABILITY));
    }

    #[test]
    fn a_text_that_is_no_assignment_is_refused_without_its_secret() {
        for wrong in [
            "",
            "room_1",
            "room_1/JOB-1/x/r/CAP",
            "lobby/JOB-1/1/r/CAP",
            "room_1/TASK-1/1/r/CAP",
            "room_1/JOB-1/1//CAP",
            "room_1/JOB-1/1/r/CAP0",
            "room_1/JOB-1/1/r/CAP/",
        ] {
            let failure: Failure = wrong.replace("CAP", CAPABILITY).parse::<Assignment>().unwrap_err().into();
            assert_eq!(failure.code, ErrorCode::InvalidInput, "{wrong}");
            assert!(!format!("{failure:?}").contains("0123456789abcdef"), "{failure:?}");
        }
    }

    #[test]
    fn a_claim_that_is_named_without_its_capability_is_refused() {
        let failure: Failure = "room_1/JOB-001/1/r".parse::<Assignment>().unwrap_err().into();
        assert_eq!(failure.code, ErrorCode::Forbidden);
    }
}
