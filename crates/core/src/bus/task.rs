//! Tasks of conversations: whose they are, and how far they are, as their owners say.

use super::{
    BusId, Context, Conversation, Event, Refusal, TaskReported, TaskStatus,
    decide::{free_task_name, sender},
    draft::text_within,
};
use crate::{
    ids::AgentId,
    limits,
    room::{Actor, Authority, Room},
};

/// Whose a task is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskLead {
    /// That of the conversation that it was named in first.
    Conversation {
        /// Which.
        context_id: BusId,
        /// Who leads it.
        owner: AgentId,
    },
    /// That of the agent who spoke of it first, in no conversation.
    Agent(AgentId),
    /// That of the job that it is named like: its own agent and whoever created it relay it. Who says how far it is steers
    /// the job, and may if they manage that.
    Job {
        /// The job's own agent.
        agent: AgentId,
        /// Who created it.
        created_by: AgentId,
    },
}

impl TaskLead {
    /// Refuses whoever it does not belong to.
    pub fn require(&self, task: &BusId, by: &AgentId) -> Result<(), Refusal> {
        if self.is(by) {
            return Ok(());
        }
        let owner = match self {
            Self::Conversation { owner, .. } | Self::Agent(owner) => owner,
            Self::Job { created_by, .. } => created_by,
        };
        Err(Refusal::NotTaskOwner { task_id: task.clone(), owner: owner.clone() })
    }

    fn is(&self, agent: &AgentId) -> bool {
        match self {
            Self::Conversation { owner, .. } | Self::Agent(owner) => owner == agent,
            Self::Job { agent: own, created_by } => own == agent || created_by == agent,
        }
    }
}

/// What a report on a task needs to know.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Whose it is, if it is somebody's.
    pub lead: Option<TaskLead>,
    /// The last that was said of it.
    pub status: Option<TaskStatus>,
    /// The conversation that is named, if there is one of that name.
    pub conversation: Option<Conversation>,
}

/// How far a task of a conversation is, as somebody says.
#[derive(Clone, Debug)]
pub struct TaskReport {
    /// Which.
    pub task_id: BusId,
    /// How far.
    pub status: TaskStatus,
    /// What came of it.
    pub summary: Option<String>,
    /// Which conversation.
    pub context_id: Option<BusId>,
}

impl TaskReport {
    /// Decides to record it: the word of its owner, or of a person who steers. What is done stays done. Whether somebody manages
    /// the job that it is named like was asked before.
    pub fn decide(&self, room: &Room, by: &Actor, authority: Authority, standing: &Standing) -> Result<Event, Refusal> {
        let steers = authority == Authority::Operator;
        if !steers {
            sender(room, by)?;
            self.require_owner(by, standing)?;
        }
        if standing.lead.is_none() {
            free_task_name(&self.task_id, "task_id")?;
        }
        if standing.status == Some(TaskStatus::Done) {
            return Err(Refusal::TaskEnded { task_id: self.task_id.clone() });
        }
        if let Some(summary) = &self.summary {
            text_within(summary, limits::MESSAGE_BYTES, "summary")?;
        }
        let context = self.context(by, standing)?;
        let owner = match &standing.lead {
            Some(TaskLead::Agent(owner)) if context.is_none() && *owner != by.agent_id => Some(owner.clone()),
            Some(_) | None => None,
        };
        Ok(Event::TaskReported(TaskReported {
            task_id: self.task_id.clone(),
            status: self.status,
            summary: self.summary.clone(),
            context,
            owner,
        }))
    }

    fn require_owner(&self, by: &Actor, standing: &Standing) -> Result<(), Refusal> {
        match (&standing.lead, &standing.conversation) {
            // Whoever manages the job may, which was asked before.
            (Some(TaskLead::Job { .. }), _) => Ok(()),
            (Some(lead), _) => lead.require(&self.task_id, &by.agent_id),
            (None, Some(conversation)) if conversation.owner != by.agent_id => Err(Refusal::NotOwner {
                context_id: conversation.context_id.clone(),
                owner: conversation.owner.clone(),
                why: "only its owner says how far its tasks are",
            }),
            (None, _) => Ok(()),
        }
    }

    /// The conversation that it is told of: the named one, which must be its owner's, else the one that it is of.
    fn context(&self, by: &Actor, standing: &Standing) -> Result<Option<Context>, Refusal> {
        let invalid = |why: String| Err(Refusal::invalid("context_id", why));
        let context = |context_id: &BusId, owner_id: &AgentId| {
            let (context_id, owner_id) = (context_id.clone(), owner_id.clone());
            Some(Context { context_id, owner_id, parent_message_id: None })
        };
        match (&self.context_id, &standing.conversation, &standing.lead) {
            (Some(named), None, _) => invalid(format!("there is no conversation {named} in this session")),
            (Some(_), Some(conversation), Some(TaskLead::Job { .. })) if conversation.owner == by.agent_id => {
                Ok(context(&conversation.context_id, &conversation.owner))
            }
            (Some(named), Some(conversation), Some(lead)) if !lead.is(&conversation.owner) => {
                invalid(format!("the task {} is not of the conversation {named}", self.task_id))
            }
            (Some(_), Some(conversation), _) => Ok(context(&conversation.context_id, &conversation.owner)),
            (None, _, Some(TaskLead::Conversation { context_id, owner })) => Ok(context(context_id, owner)),
            (None, _, Some(TaskLead::Agent(_) | TaskLead::Job { .. }) | None) => Ok(None),
        }
    }
}
