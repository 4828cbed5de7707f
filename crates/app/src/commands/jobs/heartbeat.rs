//! A runner says that it is there, and what it can do.

use baton_core::{
    claimant::Claimant,
    ids::{AgentId, RoomId},
    job::{JobId, clamp},
    limits,
    runner::{self, Capabilities, Phase, Runner},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, JOBS, Place, UseCase},
};

/// `jobs.runner.heartbeat`
pub struct Heartbeat;

/// Who is there.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeartbeatInput {
    pub room_id: RoomId,
    pub runner_id: AgentId,
    pub status: Phase,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_job_id: Option<JobId>,
    /// Where it is at several
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub active_jobs: Vec<JobId>,
    /// 1000 to 300000; default 20000
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_ttl_ms: Option<u64>,
    /// What it can do; said once, it stays
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
