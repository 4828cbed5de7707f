//! A person says that a program of a runner works again.

use baton_core::{
    ids::{AgentId, RoomId},
    job::Executor,
    runner::{Event, Runner},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, Permission, Place, Tier, UseCase},
};

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
            let runner = change.store.find::<Runner>(&input.runner_id)?.cloned();
            let runner = runner.ok_or_else(|| Failure::unknown_id(format!("runner:{}", input.runner_id)))?;
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
