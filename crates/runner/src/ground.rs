//! What every turn of a job stands on, whatever sort of job it is: the role, the mode and the context pack.

use baton_app::{Failure, commands::jobs::JobView};
use baton_core::{code::ErrorCode, ids::Seq, reference::Reference};

use crate::{
    executor::Session,
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
    /// Which edition of the room's brief it is by.
    edition: Option<Seq>,
    pack: Option<String>,
    /// What the pack is opened with.
    pub(crate) context_ref: Option<Reference>,
}

/// The pack that a job's agent works with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pack {
    reference: Option<Reference>,
    /// For which edition of the room's brief it was built, if it was built here.
    built_for: Option<Option<Seq>>,
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
        let (brief, edition) = work.desk.brief()?;
        let mode = mode(brief.global_mode, NodeMode::Auto);
        Ok(Self { name: found.role.to_string(), role: found.text, mode, edition, pack: None, context_ref: None })
    }

    /// The same with a pack: the one that came with what the agent was sent; without one, that which it had, which its job
    /// names, or which is built for it. One that was built is built again for a conversation that begins, as nothing else
    /// remembers what is in it, and when the room is for something else.
    pub(crate) fn with_pack(
        self,
        work: &Work<'_>,
        begun: &Begun,
        (known, session): (&mut Pack, Option<&Session>),
    ) -> Result<Self, Halted> {
        let sent = begun.items.iter().filter_map(|item| Some((item.seq, item.context_ref.as_ref()?.parse().ok()?)));
        let sent = sent.max_by_key(|(seq, _)| *seq).map(|(_, reference)| reference);
        let named = || work.claimed.job.meta.get("context_ref")?.as_str()?.parse().ok();
        if known.built_for.is_some_and(|edition| session.is_none() || edition != self.edition) {
            *known = Pack::default();
        }
        if let Some(given) = sent.or_else(|| known.reference.is_none().then(named).flatten()) {
            *known = Pack { reference: Some(given), built_for: None };
        }
        if known.reference.is_none() {
            *known = Pack { reference: build(work)?, built_for: Some(self.edition) };
        }
        let Some(reference) = known.reference.clone() else { return Ok(self) };
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

/// Builds a pack. A job is done without one, too, if it cannot be built.
fn build(work: &Work<'_>) -> Result<Option<Reference>, Halted> {
    match work.patiently(|| work.desk.build_pack(work.claimed)) {
        Err(Halted::Refused(failure)) => {
            work.told.say(work.claimed.id(), &format!("goes without a context pack: {failure}"));
            Ok(None)
        }
        built => built.map(Some),
    }
}

fn unfit(error: &RoleError) -> Failure {
    let next = match error {
        RoleError::NoName(_) | RoleError::Unknown { .. } => "Create the job again with a role that is there.",
        RoleError::File { .. } => "Correct the file or remove it, then requeue the job.",
    };
    Failure::new(ErrorCode::PreconditionFailed, format!("Its agent's role cannot be told: {error}.")).advising(next)
}
