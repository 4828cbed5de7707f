//! What every turn of a job stands on, whatever sort of job it is: the role, the mode and the context pack.

use baton_app::{Failure, commands::jobs::JobView};
use baton_core::{code::ErrorCode, reference::Reference};

use crate::{
    prompt::{Block, Name, Names, NodeMode, RoleError, Roles, mode, role_of},
    turn::Begun,
    work::{Halted, Work},
};

/// The texts of it.
pub(crate) struct Ground {
    /// What the agent's role is called.
    pub(crate) name: String,
    role: String,
    mode: String,
    pack: Option<String>,
    /// What the pack is opened with.
    pub(crate) context_ref: Option<Reference>,
}

impl Ground {
    /// What a job's next turn stands on. A role that cannot be told is a reason not to go on.
    pub(crate) fn of(work: &Work<'_>, job: &JobView) -> Result<Self, Failure> {
        let assignment = work.desk.assignment(work.claimed);
        let (agent, id) = (assignment.agent_id(), job.job.to_string());
        let names = Names { agent: agent.as_str(), job: &id, room: work.desk.room.as_str() };
        let roles = Roles { workspace: work.settings.workspace.as_deref(), user: work.settings.roles.as_deref() };
        let found = role_of(&job.kind, &job.meta).and_then(|role| roles.find(&role, &names));
        let found = found.map_err(|error| unfit(&error))?;
        let mode = mode(work.desk.mode()?, NodeMode::Auto);
        Ok(Self { name: found.role.to_string(), role: found.text, mode, pack: None, context_ref: None })
    }

    /// The same with the pack that came with what the agent was sent; without one, with the one it had, the one its job
    /// names, or one that is built for it.
    pub(crate) fn with_pack(
        self,
        work: &Work<'_>,
        begun: &Begun,
        known: &mut Option<Reference>,
    ) -> Result<Self, Halted> {
        let sent = begun.items.iter().max_by_key(|item| (item.context_ref.is_some(), item.seq));
        let sent = sent.and_then(|item| item.context_ref.as_ref()?.parse().ok());
        let named = || work.claimed.job.meta.get("context_ref")?.as_str()?.parse().ok();
        *known = sent.or_else(|| known.take()).or_else(named);
        if known.is_none() {
            *known = work.patiently(|| work.desk.build_pack(work.claimed))?;
        }
        let Some(reference) = known.clone() else { return Ok(self) };
        let pack = work.patiently(|| work.desk.read_pack(&reference))?;
        Ok(Self { pack: Some(pack), context_ref: Some(reference), ..self })
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
