//! A runner signs off, so that nobody waits for its lease to run out.

use baton_core::{
    claimant::Claimant,
    ids::{AgentId, RoomId},
    runner::{Event, Retired, Runner},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Access, Effect, JOBS, Place, UseCase},
};

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
            let runner = change.store.find::<Runner>(&input.runner_id)?.cloned();
            let runner = runner.ok_or_else(|| Failure::unknown_id(format!("runner:{}", input.runner_id)))?;
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
