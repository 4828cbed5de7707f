//! Reports on a turn: what its agent was told, and which tools it used.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, Role, RoomId},
    lease::Fence,
    reference::Reference,
    time::Timestamp,
    turn::{PromptMode, Telling, ToolState, ToolUse, TurnId},
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
    refs,
    table::{CONTEXT, Effect, Place, UseCase},
};

/// `context.turn.prompt`
pub struct Prompt;

/// What it was told, by how much and where it is kept.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PromptInput {
    pub room_id: RoomId,
    pub turn: TurnId,
    pub runner_id: Option<AgentId>,
    /// Of a job's turn: the job.revision of your claim
    pub claim_revision: Option<Fence>,
    pub mode: PromptMode,
    /// What the agent is here for
    pub role: Option<Role>,
    /// Tokens of the prompt in effect
    pub tokens: u32,
    /// Tokens of what was sent of it
    pub sent_tokens: u32,
    /// contextpack://pack/…
    pub context_ref: Option<String>,
    /// Where both are kept: artifact://prompt/1
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

impl UseCase for Prompt {
    const NAME: &'static str = "context.turn.prompt";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Say what the agent of an open turn was told.";
    type Input = PromptInput;
    type Output = TurnResult;

    fn perform(app: &App, caller: &Caller, input: PromptInput) -> Result<TurnResult, Failure> {
        let references = refs::parse(&input.refs)?;
        let context_ref = input.context_ref.as_deref().map(pack).transpose()?;
        let telling = Telling {
            mode: input.mode,
            role: input.role.clone(),
            tokens: input.tokens,
            sent_tokens: input.sent_tokens,
            context_ref,
            refs: references,
        };
        let meant = Meant { turn: input.turn, runner: input.runner_id.as_ref(), revision: input.claim_revision };
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let speaker = Speaker::find(change, caller, &meant)?;
            let event = speaker.turn.prompt(speaker.voice(), &telling)?;
            let named: Vec<Reference> = telling.refs.iter().chain(&telling.context_ref).cloned().collect();
            refs::require(change.store.tx()?, &change.room.id, &named)?;
            change.record(event)?;
            result(change, input.turn)
        })
    }
}

fn pack(text: &str) -> Result<Reference, Failure> {
    text.parse().map_err(|error| {
        Failure::new(ErrorCode::InvalidInput, format!("context_ref: {error}.")).with("field", "context_ref")
    })
}

/// `context.turn.tools`
pub struct Tools;

/// What was used.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolsInput {
    pub room_id: RoomId,
    pub turn: TurnId,
    pub runner_id: Option<AgentId>,
    /// Of a job's turn: the job.revision of your claim
    pub claim_revision: Option<Fence>,
    /// 1 to 100, in the order in which they were used
    pub uses: Vec<ToolInput>,
    /// Repeat a call safely: the same key gets the first answer
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
