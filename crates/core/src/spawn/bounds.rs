//! The new agent never may do more than the one that asked for it.

use super::{Grants, Refusal};
use crate::{
    ids::AgentId,
    job::{Choice, Executor, Isolation, Job, Policy, Routing},
    policy::Spawning,
};

/// What whoever asks for an agent may do, and so at most what that one may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// What it may do.
    pub grants: Grants,
    /// How its own job is done, if it is a job's agent.
    pub job: Option<Routing>,
}

/// What is asked for in so many words. What is not said is as the one that asks has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Whether the new agent may ask for further ones.
    pub spawn_nodes: Option<bool>,
    /// Whether it may only look.
    pub read_only: Option<bool>,
    /// Where it works.
    pub isolation: Option<Isolation>,
}

impl Bounds {
    /// Those of a person who steers: none.
    pub const fn of_operator() -> Self {
        Self { grants: Grants::ALL, job: None }
    }

    /// Those of a member, by what was granted to it.
    pub const fn of_member(grants: Grants) -> Self {
        Self { grants, job: None }
    }

    /// Those of a job's agent.
    pub fn of_job(job: &Job) -> Self {
        Self { grants: job.lineage.grants, job: Some(job.routing.clone()) }
    }

    /// Refuses whoever may not ask for agents here.
    pub fn require_spawning(&self, policy: Spawning, agent: &AgentId) -> Result<(), Refusal> {
        match policy {
            Spawning::Off => Err(Refusal::Off),
            Spawning::Ask | Spawning::Auto if self.grants.spawn_nodes => Ok(()),
            Spawning::Ask | Spawning::Auto => Err(Refusal::NotGranted { agent_id: agent.clone() }),
        }
    }

    /// How the new agent works and what it may do. What is asked for in so many words and is more than this is refused;
    /// what is not said is no more than this.
    pub fn fit(&self, wishes: Wishes, routing: &Routing) -> Result<(Routing, Grants), Refusal> {
        if wishes.spawn_nodes == Some(true) && !self.grants.spawn_nodes {
            return Err(exceeds("spawn_nodes", "the one that asks may not ask for further agents itself"));
        }
        if wishes.read_only == Some(false) && self.grants.read_only {
            return Err(exceeds("read_only", "the one that asks may only look itself"));
        }
        let asked = Grants {
            spawn_nodes: wishes.spawn_nodes.unwrap_or_default(),
            read_only: wishes.read_only.unwrap_or_default(),
        };
        let routing = match &self.job {
            Some(own) => within(own, wishes, routing)?,
            None => routing.clone(),
        };
        Ok((routing, asked.within(self.grants)))
    }
}

/// `routing` for an agent that comes from one whose own is `own`.
fn within(own: &Routing, wishes: Wishes, routing: &Routing) -> Result<Routing, Refusal> {
    let mut routing = routing.clone();
    if routing.profile() > own.profile() {
        let why = format!("the job that asks is {}, and that is the most it may ask for", own.profile());
        return Err(exceeds("executor_profile", why));
    }
    let forbidden = own.policy.as_ref().map_or(&[][..], |policy| policy.forbid.as_slice());
    let is_forbidden = |executor: &Executor| forbidden.contains(executor);
    if let Some(executor) = routing.executor.executor().filter(is_forbidden) {
        return Err(exceeds("executor", format!("{executor} is forbidden to the job that asks")));
    }
    if routing.executor == Choice::Auto && !forbidden.is_empty() {
        let mut policy: Policy = routing.policy.take().unwrap_or_default();
        if let Some(executor) = policy.prefer.iter().find(|executor| is_forbidden(executor)) {
            return Err(exceeds("policy", format!("{executor} is forbidden to the job that asks")));
        }
        policy.forbid.extend(forbidden);
        policy.forbid.sort();
        policy.forbid.dedup();
        routing.policy = Some(policy);
    }
    if own.isolation == Isolation::Worktree {
        if wishes.isolation == Some(Isolation::Workspace) {
            return Err(exceeds("isolation", "the job that asks works in a worktree of its own"));
        }
        routing.isolation = Isolation::Worktree;
    }
    Ok(routing)
}

fn exceeds(field: &'static str, why: impl Into<String>) -> Refusal {
    Refusal::Exceeds { field, why: why.into() }
}
