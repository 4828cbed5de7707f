//! Runners: `routing` has which of them a job is for, `standing` whether they are there, `diagnosing` what does not fit
//! together, `troubles` which executors are not used and what jobs wait for that, and `skills` what a job's agent is given to
//! read.

mod diagnosing;
mod routing;
mod skills;
mod standing;
mod troubles;

use super::{Ability, Capabilities, Heartbeat, Phase, Runner};
use crate::{
    ids::AgentId,
    job::{Executor, JobId, Profile},
    time::{Timestamp, Ttl},
};

fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// Every profile of some executors, one job at a time, artifacts kept.
fn able(executors: &[Executor]) -> Capabilities {
    let ability = |executor: &Executor| Ability { executor: *executor, profiles: Profile::ALL.to_vec(), trouble: None };
    Capabilities {
        executors: executors.iter().map(ability).collect(),
        max_parallel: 1,
        supports_artifacts: true,
        sandbox_policy: None,
    }
}

fn heartbeat(runner: &str, phase: Phase, active: &[u32]) -> Heartbeat {
    Heartbeat {
        runner: agent(runner),
        phase,
        active: active.iter().copied().map(JobId).collect(),
        ttl: Ttl::from_secs(20),
        capabilities: None,
    }
}

/// A runner that said this at the beginning, and is there for 20 s.
fn runner(name: &str, phase: Phase, active: &[u32]) -> Runner {
    let mut runner = Runner {
        id: agent(name),
        claimant: agent(name).into(),
        capabilities: None,
        retired: false,
        phase: Phase::Idle,
        active: Vec::new(),
        lease_expires_at: at(0),
    };
    runner.hear(at(0), &heartbeat(name, phase, active));
    runner
}
