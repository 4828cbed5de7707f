//! Which tools an agent used in a turn.

use baton_core::{
    ids::{AgentId, RoomId},
    lease::Fence,
    time::Timestamp,
    turn::{ToolState, ToolUse, TurnId},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    TurnResult,
    speaker::{Meant, Speaker, result},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.turn.tools`
pub struct Tools;

/// What was used.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolsInput {
    pub room_id: RoomId,
    pub turn: TurnId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_id: Option<AgentId>,
    /// Of a job's turn: the job.revision of your claim
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_revision: Option<Fence>,
    /// 1 to 100, in the order in which they were used
    pub uses: Vec<ToolInput>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// The use of a tool.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolInput {
    /// Which tool; one of an MCP server is `server.tool`
    pub name: String,
    /// What with, in a line
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    pub state: ToolState,
    /// Default: now
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
}

impl UseCase for Tools {
    const NAME: &'static str = "context.turn.tools";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Say which tools were used in an open turn.";
    type Input = ToolsInput;
    type Output = TurnResult;

    fn perform(app: &App, caller: &Caller, input: ToolsInput) -> Result<TurnResult, Failure> {
        let meant = Meant { turn: input.turn, runner: input.runner_id.as_ref(), revision: input.claim_revision };
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let used = |used: &ToolInput| ToolUse {
                name: used.name.clone(),
                detail: used.detail.clone(),
                state: used.state,
                at: used.at.unwrap_or(change.now),
            };
            let uses: Vec<ToolUse> = input.uses.iter().map(used).collect();
            let speaker = Speaker::find(change, caller, &meant)?;
            change.record(speaker.turn.tools(speaker.voice(), &uses)?)?;
            result(change, input.turn)
        })
    }
}
