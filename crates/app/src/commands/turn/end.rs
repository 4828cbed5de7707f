//! Ending a turn: what it consumed is accepted, or goes back.

use baton_core::{
    ids::{AgentId, RoomId},
    lease::Fence,
    turn::{Ending, Outcome, TurnId, Usage},
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

/// `context.turn.end`
pub struct End;

/// How it ended.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndInput {
    pub room_id: RoomId,
    pub turn: TurnId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner_id: Option<AgentId>,
    /// Of a job's turn: the job.revision of your claim
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim_revision: Option<Fence>,
    /// completed, failed or interrupted
    pub outcome: Outcome,
    /// Why, where it did not go well
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The provider's name for the conversation
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Of an interrupted turn: its conversation goes on, so what it consumed need not be told again
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resumable: bool,
    #[serde(default)]
    pub usage: Usage,
    /// What it left behind: artifact://diff/1
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refs: Vec<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for End {
    const NAME: &'static str = "context.turn.end";
    const PLACE: Place = Place::Portal(&CONTEXT);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "End a turn. What a failed one consumed goes back to the queue.";
    type Input = EndInput;
    type Output = TurnResult;

    fn perform(app: &App, caller: &Caller, input: EndInput) -> Result<TurnResult, Failure> {
        let ending = Ending {
            outcome: input.outcome,
            why: input.why.clone(),
            session: input.session.clone(),
            resumable: input.resumable,
            usage: input.usage,
            refs: refs::parse(&input.refs)?,
        };
        let meant = Meant { turn: input.turn, runner: input.runner_id.as_ref(), revision: input.claim_revision };
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let speaker = Speaker::find(change, caller, &meant)?;
            let items = change.items_of_turn(&speaker.turn)?;
            let event = speaker.turn.end(speaker.voice(), &ending, items)?;
            refs::require(change.store.tx()?, &change.room.id, &ending.refs)?;
            change.record(event)?;
            if ending.outcome == Outcome::Completed {
                change.complete_actions_of(&speaker.turn.agent_id)?;
            }
            result(change, input.turn)
        })
    }
}
