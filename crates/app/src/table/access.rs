//! Access to commands. Each use case says it once, as [`UseCase::ACCESS`](super::UseCase::ACCESS).
//!
//! [`Access::check`] refuses callers by their role before an input is judged, and every call on every surface passes it.
//! Limits within a command ([`Permission::Limited`]) need its input or the room's state, so the command or the room's
//! rules enforce them. The table in `docs/protocol.md` is generated from here, and a test makes every call of it.

use baton_core::code::ErrorCode;

use super::Effect;
use crate::{Caller, Failure};

/// A caller's role towards a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Looks, and changes nothing.
    Viewer,
    /// An agent that does not hold the stick.
    Agent,
    /// An agent that holds the stick, and shows its fence.
    Owner,
    /// An agent that a runner started for a job.
    JobAgent,
    /// A person who steers.
    Operator,
}

impl Role {
    /// Every role, in the order of the reference page.
    pub const ALL: [Self; 5] = [Self::Viewer, Self::Agent, Self::Owner, Self::JobAgent, Self::Operator];

    /// The role as refusals name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Agent => "agent",
            Self::Owner => "owner",
            Self::JobAgent => "job_agent",
            Self::Operator => "operator",
        }
    }

    /// The role as the reference page names it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::JobAgent => "job's agent",
            Self::Viewer | Self::Agent | Self::Owner | Self::Operator => self.as_str(),
        }
    }

    /// The role in a sentence.
    const fn with_article(self) -> &'static str {
        match self {
            Self::Viewer => "a viewer",
            Self::Agent => "an agent",
            Self::Owner => "an owner",
            Self::JobAgent => "a job's agent",
            Self::Operator => "an operator",
        }
    }
}

/// Whether a role may call a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may.
    Yes,
    /// It is refused with `FORBIDDEN`.
    No,
    /// It may within a limit, in the words of the reference page.
    Limited(&'static str),
}

impl Permission {
    /// The permission in a cell of the reference page.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Limited(limit) => limit,
        }
    }
}

/// Access to one command: a row of the reference page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// See [`Role::Viewer`].
    pub viewer: Permission,
    /// See [`Role::Agent`].
    pub agent: Permission,
    /// See [`Role::Owner`].
    pub owner: Permission,
    /// See [`Role::JobAgent`].
    pub job_agent: Permission,
    /// See [`Role::Operator`].
    pub operator: Permission,
    /// How a person does it, for agents that are refused: a command line, and a page where there is one.
    pub by_hand: Option<&'static str>,
    /// What a job's agent that is refused does instead, where that is not to ask its manager.
    pub instead: Option<&'static str>,
}

impl Access {
    /// Everybody who is let in at all.
    pub const EVERYBODY: Self = Self { viewer: Permission::Yes, ..Self::AGENTS };

    /// Everybody but viewers.
    pub const AGENTS: Self = Self {
        viewer: Permission::No,
        agent: Permission::Yes,
        owner: Permission::Yes,
        job_agent: Permission::Yes,
        operator: Permission::Yes,
        by_hand: None,
        instead: None,
    };

    /// The holder of the stick under its fence, whoever it is. Steering is no substitute for the lease.
    pub const OWNER: Self = Self { owner: Permission::Yes, ..Self::limited_for_all("as owner") };

    /// Usual access by what a command does to the store.
    pub const fn of(effect: Effect) -> Self {
        match effect {
            Effect::Read | Effect::Follow => Self::EVERYBODY,
            Effect::Write | Effect::Wait => Self::AGENTS,
        }
    }

    /// Operators only. Agents are told how a person does it.
    pub const fn operators(by_hand: &'static str) -> Self {
        Self {
            agent: Permission::No,
            owner: Permission::No,
            job_agent: Permission::No,
            by_hand: Some(by_hand),
            ..Self::AGENTS
        }
    }

    /// Everybody but viewers, and all but operators within a limit.
    pub const fn limited(limit: &'static str) -> Self {
        let limited = Permission::Limited(limit);
        Self { agent: limited, owner: limited, job_agent: limited, ..Self::AGENTS }
    }

    /// Everybody but viewers, and all within a limit.
    pub const fn limited_for_all(limit: &'static str) -> Self {
        Self { operator: Permission::Limited(limit), ..Self::limited(limit) }
    }

    /// Everybody but viewers, and a job's agent within a limit.
    pub const fn limited_for_jobs(limit: &'static str) -> Self {
        Self { job_agent: Permission::Limited(limit), ..Self::AGENTS }
    }

    /// The same access, and none for a job's agent.
    #[must_use]
    pub const fn without_jobs(self, instead: Option<&'static str>) -> Self {
        Self { job_agent: Permission::No, instead, ..self }
    }

    /// Whether `role` may call it.
    pub const fn permission(&self, role: Role) -> Permission {
        match role {
            Role::Viewer => self.viewer,
            Role::Agent => self.agent,
            Role::Owner => self.owner,
            Role::JobAgent => self.job_agent,
            Role::Operator => self.operator,
        }
    }

    /// Refuses a caller whose role may not call `command` at all.
    pub(crate) fn check(&self, caller: &Caller, command: &str) -> Result<(), Failure> {
        let role = caller.role();
        let is_refused = match role {
            // Only the room knows who holds its stick, so an agent is refused here only if no owner may.
            Role::Agent => self.agent == Permission::No && self.owner == Permission::No,
            Role::Viewer | Role::Owner | Role::JobAgent | Role::Operator => self.permission(role) == Permission::No,
        };
        if is_refused { Err(self.refusal(role, command)) } else { Ok(()) }
    }

    /// The refusal of a role that may not call it, with the least role that may.
    fn refusal(&self, role: Role, command: &str) -> Failure {
        if role == Role::Viewer && self.agent != Permission::No {
            let message = format!("A viewer may not call {command}, which changes something.");
            return refused(role, Role::Agent, message).advising(
                "Call with a token of the role agent, which a person makes: `baton token create --role agent`.",
            );
        }
        if role == Role::JobAgent && self.agent != Permission::No {
            let failure = refused(role, Role::Agent, format!("A job's agent may not call {command}."));
            return failure.advising(match self.instead {
                Some(instead) => format!("{instead}."),
                None => "Leave it to the job's manager: report kind question if your job needs it.".to_owned(),
            });
        }
        self.operator_needed(role, format!("Only an operator may call {command}, not {}.", role.with_article()))
    }

    /// The refusal of a call that goes beyond what `role` may, and that an operator may make.
    pub(crate) fn operator_needed(&self, role: Role, message: impl Into<String>) -> Failure {
        let failure = refused(role, Role::Operator, message);
        match self.by_hand {
            Some(by_hand) => failure.advising(format!("Ask a person: {by_hand}.")),
            None => failure,
        }
    }
}

fn refused(role: Role, needs: Role, message: impl Into<String>) -> Failure {
    Failure::new(ErrorCode::Forbidden, message).with("role", role.as_str()).with("needs", needs.as_str())
}
