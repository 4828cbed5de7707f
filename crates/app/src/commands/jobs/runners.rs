//! Runners: being there, signing off, and a person's word that a program works again.

use baton_core::{
    claimant::Claimant,
    ids::{AgentId, RoomId},
    job::{Executor, JobId, clamp},
    limits,
    runner::{self, Capabilities, Event, Phase, Retired, Runner},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, JOBS, Permission, Place, Tier, UseCase},
    unit::Change,
};

/// `jobs.runner.heartbeat`
pub struct Heartbeat;

/// Who is there.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeartbeatInput {
    pub room_id: RoomId,
    pub runner_id: AgentId,
    pub status: Phase,
    pub active_job_id: Option<JobId>,
    /// Where it is at several
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub active_jobs: Vec<JobId>,
    /// 1000 to 300000; default 20000
    pub lease_ttl_ms: Option<u64>,
    /// What it can do; said once, it stays
    pub capabilities: Option<Capabilities>,
}

/// Until when it counts as there.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct HeartbeatResult {
    pub room_id: RoomId,
    pub runner_id: AgentId,
    pub status: Phase,
    pub lease_expires_at_ms: i64,
}

impl UseCase for Heartbeat {
    const NAME: &'static str = "jobs.runner.heartbeat";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::AGENTS.without_jobs(None);
    const ABOUT: &'static str = "As a runner, say that you are there and what you can do.";
    type Input = HeartbeatInput;
    type Output = HeartbeatResult;

    fn perform(app: &App, caller: &Caller, input: HeartbeatInput) -> Result<HeartbeatResult, Failure> {
        let mut active: Vec<JobId> = input.active_job_id.into_iter().collect();
        active.extend(input.active_jobs.iter().filter(|job| Some(**job) != input.active_job_id));
        let heartbeat = runner::Heartbeat {
            runner: input.runner_id.clone(),
            phase: input.status,
            active,
            ttl: clamp(input.lease_ttl_ms, limits::RUNNER_TTL),
            capabilities: input.capabilities.clone(),
        };
        let request = Request { command: Self::NAME, input: &input, key: None };
        let heard = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let known = change.store.find::<Runner>(&heartbeat.runner)?;
            let by = Claimant::of(change.actor);
            let decided = heartbeat.news(change.now, known, &by, change.witness)?;
            change.record(decided)?;
            let now = change.now;
            change.store.shift::<Runner>(&heartbeat.runner, |runner| runner.hear(now, &heartbeat))?;
            Ok(HeartbeatResult {
                room_id: change.room.id.clone(),
                runner_id: heartbeat.runner.clone(),
                status: heartbeat.phase,
                lease_expires_at_ms: change.now.plus(heartbeat.ttl).as_millis(),
            })
        })?;
        app.forget_runner_start_failure(&input.room_id);
        Ok(heard)
    }
}

/// `jobs.runner.retire`
pub struct Retire;

/// Who goes.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RetireInput {
    pub room_id: RoomId,
    pub runner_id: AgentId,
}

/// That it is gone.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RetireResult {
    pub room_id: RoomId,
    pub runner_id: AgentId,
}

impl UseCase for Retire {
    const NAME: &'static str = "jobs.runner.retire";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::AGENTS.without_jobs(None);
    const ABOUT: &'static str = "As a runner, sign off.";
    type Input = RetireInput;
    type Output = RetireResult;

    fn perform(app: &App, caller: &Caller, input: RetireInput) -> Result<RetireResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: None };
        app.change(caller, &request, &input.room_id, |change| {
            let runner = required(change, &input.runner_id)?;
            let by = Claimant::of(change.actor);
            if runner.claimant.agent != by.agent {
                return Err(runner.taken().into());
            }
            runner.require_free(change.now, &by, change.witness)?;
            if !runner.retired {
                change.record(Event::Retired(Retired { runner_id: runner.id.clone() }))?;
            }
            Ok(RetireResult { room_id: change.room.id.clone(), runner_id: runner.id })
        })
    }
}

/// `jobs.runner.reset`
pub struct Reset;

/// Which runner, and which of its programs.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResetInput {
    pub room_id: RoomId,
    pub runner_id: AgentId,
    /// Default: all that are in trouble
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor: Option<Executor>,
}

/// What the runner tries again.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ResetResult {
    pub room_id: RoomId,
    pub runner_id: AgentId,
    pub executors: Vec<Executor>,
}

impl UseCase for Reset {
    const NAME: &'static str = "jobs.runner.reset";
    const PLACE: Place = Place::Tool("reset_runner", Tier::Full);
    const EFFECT: Effect = Effect::Write;
    // A job's agent does its job; whether programs work is its manager's affair.
    const ACCESS: Access = Access { job_agent: Permission::No, ..Access::AGENTS };
    const ABOUT: &'static str = "Say that a program of a runner is mended: the runner tries it again at once.";
    type Input = ResetInput;
    type Output = ResetResult;

    fn perform(app: &App, caller: &Caller, input: ResetInput) -> Result<ResetResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: None };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let runner = required(change, &input.runner_id)?;
            let event = runner.reset(input.executor)?;
            let executors = match &event {
                Event::Reset(reset) => reset.executors.clone(),
                Event::Registered(_) | Event::Retired(_) => Vec::new(),
            };
            change.record(event)?;
            Ok(ResetResult { room_id: change.room.id.clone(), runner_id: runner.id, executors })
        })
    }
}

/// A runner that must be there.
fn required(change: &mut Change<'_>, id: &AgentId) -> Result<Runner, Failure> {
    change.store.find::<Runner>(id)?.cloned().ok_or_else(|| Failure::unknown_id(format!("runner:{id}")))
}
