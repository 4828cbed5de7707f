//! What every turn of a job stands on, whatever sort of job it is: the role, the mode and the context pack.

use baton_app::{Failure, commands::jobs::JobView};
use baton_core::code::ErrorCode;

use crate::{
    prompt::{Block, GlobalMode, Name, Names, NodeMode, RoleError, Roles, mode, role_of},
    work::Work,
};

/// The texts of it.
pub(crate) struct Ground {
    pub(crate) role: String,
    pub(crate) mode: String,
    pub(crate) pack: Option<String>,
}

impl Ground {
    /// What a job's next turn stands on. A role that cannot be told is a reason not to go on.
    pub(crate) fn of(work: &Work<'_>, job: &JobView) -> Result<Self, Failure> {
        let assignment = work.desk.assignment(work.claimed);
        let (agent, id) = (assignment.agent_id(), job.job.to_string());
        let names = Names { agent: agent.as_str(), job: &id, room: work.desk.room.as_str() };
        let roles = Roles { workspace: work.settings.workspace.as_deref(), user: work.settings.roles.as_deref() };
        let found = role_of(&job.kind, &job.meta).and_then(|role| roles.find(&role, &names));
        let role = found.map_err(|error| unfit(&error))?;
        Ok(Self { role: role.text, mode: mode(GlobalMode::default(), NodeMode::default()), pack: None })
    }

    /// The same as blocks.
    pub(crate) fn blocks(&self) -> [Block; 3] {
        [
            Block::new(Name::Role, &*self.role),
            Block::new(Name::Mode, &*self.mode),
            Block::new(Name::Pack, self.pack.as_deref().unwrap_or_default()),
        ]
    }
}

fn unfit(error: &RoleError) -> Failure {
    let next = match error {
        RoleError::NoName(_) | RoleError::Unknown { .. } => "Create the job again with a role that is there.",
        RoleError::File { .. } => "Correct the file or remove it, then requeue the job.",
    };
    Failure::new(ErrorCode::PreconditionFailed, format!("Its agent's role cannot be told: {error}.")).advising(next)
}
