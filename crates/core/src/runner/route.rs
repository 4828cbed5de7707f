//! Which runner a job is for: filter, rank, tie-break. The same runners in any order give the same choice.

use super::{Ability, Capabilities};
use crate::{
    ids::AgentId,
    job::{Executor, Routing},
};

/// A runner that is there, as routing weighs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub runner: AgentId,
    /// What it can do.
    pub capabilities: Capabilities,
    /// How many jobs it has claimed.
    pub load: u32,
}

/// Who does a job, with what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Who.
    pub runner: AgentId,
    /// With what.
    pub executor: Executor,
}

/// The executors with which these capabilities could do the job, best first.
pub fn can_do(capabilities: &Capabilities, routing: &Routing) -> Vec<Executor> {
    let policy = routing.policy.clone().unwrap_or_default();
    let leaves_something = !routing.expected_artifacts.is_empty();
    if leaves_something && !capabilities.supports_artifacts {
        return Vec::new();
    }
    let wanted = |executor: &Executor| routing.executor.executor().is_none_or(|wanted| wanted == *executor);
    let allowed = |executor: &Executor| !policy.forbid.contains(executor);
    let able = |executor: &Executor| {
        let has = |ability: &Ability| ability.executor == *executor;
        capabilities.has(*executor, routing.profile())
            || (routing.takes_any_profile() && capabilities.executors.iter().any(has))
    };
    let mut able: Vec<Executor> =
        Executor::ALL.iter().copied().filter(|e| wanted(e) && allowed(e) && able(e)).collect();
    able.sort_by_key(|executor| preference(&policy.prefer, *executor));
    able
}

/// The runner that the job is for, if any of those that are there can do it.
pub fn route(routing: &Routing, candidates: &[Candidate]) -> Option<Route> {
    let prefer = routing.policy.as_ref().map(|policy| policy.prefer.as_slice()).unwrap_or_default();
    let ranked = candidates.iter().flat_map(|candidate| {
        can_do(&candidate.capabilities, routing).into_iter().map(move |executor| {
            let is_full = candidate.load >= candidate.capabilities.max_parallel;
            let rank = (preference(prefer, executor), is_full, candidate.load, &candidate.runner, executor);
            (rank, Route { runner: candidate.runner.clone(), executor })
        })
    });
    ranked.min_by(|(one, _), (other, _)| one.cmp(other)).map(|(_, route)| route)
}

/// Where an executor stands in what is preferred; what is not named comes last.
fn preference(prefer: &[Executor], executor: Executor) -> usize {
    prefer.iter().position(|preferred| *preferred == executor).unwrap_or(prefer.len())
}
