//! An agent as a node: who it is, whether it is there, and what it is at.

use baton_core::{
    agent::StaleAfter,
    ids::{AgentId, Role},
    job::{Job, JobId, agent_of, job_of},
    process::SessionKind,
    task::{Task, TaskId},
};
use baton_store::{engine::Tx, former, jobs, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentView, directory::Everybody};
use crate::{
    App, Failure,
    bounds::first_line,
    commands::envelope::{called, known_as},
    connection::{AgentConnection, Vantage},
};

/// What sort of node it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum NodeKind {
    /// A person.
    Person,
    /// A member that is none.
    Agent,
    /// The agent of a job.
    Job,
    /// Somebody who left, or never was a member.
    Outside,
}

impl NodeKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Job => "job",
            Self::Outside => "outside",
        }
    }
}

/// A node.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NodeView {
    pub agent_id: AgentId,
    /// What people call it: a job's agent by its job, until it has a name.
    pub name: String,
    pub kind: NodeKind,
    pub role: Option<Role>,
    /// Whether it is there, and why.
    pub connection: AgentConnection,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub holds_stick: bool,
    /// What it is at, in a line; missing where nothing is on record.
    pub does: Option<String>,
    /// The job whose agent it is.
    pub job: Option<JobId>,
    /// Its tasks in progress.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tasks: Vec<TaskId>,
    /// How much it was sent and has not seen.
    pub queued: u64,
}

impl NodeView {
    /// A member, or one that was.
    pub(super) fn of(agent: AgentView, job: Option<&Job>, tasks: &[Task]) -> Self {
        let person = agent.session_kind.is_some_and(SessionKind::is_person);
        let kind = match (agent.former, job) {
            (true, _) => NodeKind::Outside,
            (false, Some(_)) => NodeKind::Job,
            (false, None) if person => NodeKind::Person,
            (false, None) => NodeKind::Agent,
        };
        let titled = |id: &TaskId| match tasks.iter().find(|task| task.id == *id) {
            Some(task) => format!("{id}: {}", first_line(&task.title)),
            None => id.to_string(),
        };
        let of_tasks = || agent.in_progress.iter().map(titled).collect::<Vec<_>>().join("; ");
        let turn = agent.connection.turn.map(|turn| format!("is in {turn}"));
        let does = job.map(at_job).or_else(|| Some(of_tasks()).filter(|does| !does.is_empty())).or(turn);
        Self {
            agent_id: agent.agent_id,
            name: agent.name,
            kind,
            role: agent.role,
            connection: agent.connection,
            holds_stick: agent.holds_stick,
            does,
            job: job.map(|job| job.id),
            tasks: agent.in_progress,
            queued: 0,
        }
    }

    /// The agent of a job that is no member.
    fn of_job(tx: &mut dyn Tx, found: &Everybody<'_>, job: &Job) -> Result<Self, Failure> {
        let room = &found.sight.room;
        let agent_id = agent_of(&room.id, job.id);
        let from = Vantage::new(room, found.sight.now, StaleAfter::default(), &found.sight.eyes);
        Ok(Self {
            name: called(room, &agent_id),
            kind: NodeKind::Job,
            role: None,
            connection: AgentConnection::of_job(tx, &from, job)?,
            holds_stick: false,
            does: Some(at_job(job)),
            job: Some(job.id),
            tasks: Vec::new(),
            queued: 0,
            agent_id,
        })
    }

    /// Every member, in turn order; then those who left, if they were read.
    pub(super) fn everybody(
        app: &App,
        tx: &mut dyn Tx,
        found: &Everybody<'_>,
        viewer: &AgentId,
    ) -> Result<Vec<Self>, Failure> {
        let room = &found.sight.room.id;
        let views = found.views(app, viewer)?;
        let named: Vec<JobId> = views.iter().filter_map(|agent| own_job(found, &agent.agent_id)).collect();
        let known = jobs::find_all(tx, room, &named)?;
        let job = |agent: &AgentId| {
            let id = own_job(found, agent)?;
            known.iter().find(|job| job.id == id)
        };
        Ok(views
            .into_iter()
            .map(|agent| {
                let job = job(&agent.agent_id);
                Self::of(agent, job, &found.in_progress)
            })
            .collect())
    }

    /// Somebody who is no member: the agent of a job, or one of whom only the name is known.
    pub(super) fn outside(tx: &mut dyn Tx, found: &Everybody<'_>, agent: &AgentId) -> Result<Self, Failure> {
        let room = &found.sight.room;
        let job = match own_job(found, agent) {
            Some(id) => table::find::<Job>(tx, &room.id, &id)?,
            None => None,
        };
        if let Some(job) = job {
            return Self::of_job(tx, found, &job);
        }
        let earlier = former::all(tx, &room.id)?;
        let earlier = earlier.iter().filter(|former| former.agent_id == *agent).max_by_key(|former| former.until);
        Ok(Self {
            agent_id: agent.clone(),
            name: known_as(tx, room, agent)?,
            kind: NodeKind::Outside,
            role: None,
            connection: earlier.map_or_else(AgentConnection::outside, AgentConnection::left),
            holds_stick: false,
            does: None,
            job: None,
            tasks: Vec::new(),
            queued: 0,
        })
    }
}

/// The job of this room whose agent somebody is.
fn own_job(found: &Everybody<'_>, agent: &AgentId) -> Option<JobId> {
    job_of(agent).filter(|job| agent_of(&found.sight.room.id, *job) == *agent)
}

fn at_job(job: &Job) -> String {
    format!("{}: {}", job.id, first_line(&job.title))
}
