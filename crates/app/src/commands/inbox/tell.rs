//! A person's word to an agent: for its next turn, or now.

use baton_core::{
    ids::{AgentId, RoomId, Seq},
    inbox::{Manner, Told},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    app::Request,
    commands::envelope::{called, reachable, why_over},
    table::{Access, Effect, INBOX, Place, UseCase},
};

/// `inbox.tell`
pub struct Tell;

/// What to tell whom.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TellInput {
    pub room_id: RoomId,
    /// A name, an id or a job
    pub to: String,
    pub text: String,
    /// queue: for its next turn (default); interrupt: what it does is stopped
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Manner>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// That it is told.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TellResult {
    pub room_id: RoomId,
    pub message: Seq,
    /// What people call whom it is for.
    pub to: String,
    pub to_agent_id: AgentId,
    pub mode: Manner,
    /// Why it may never be read, where that is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

impl UseCase for Tell {
    const NAME: &'static str = "inbox.tell";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::operators("`baton tell` at a terminal, or the page of `baton up`");
    const ABOUT: &'static str =
        "Tell an agent something as a person, for its next turn or as an interrupt (operators only).";
    type Input = TellInput;
    type Output = TellResult;

    fn perform(app: &App, caller: &Caller, input: TellInput) -> Result<TellResult, Failure> {
        let mode = input.mode.unwrap_or(Manner::Queue);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let to = reachable(change, "to", &input.to)?;
            let over = why_over(change.store.tx()?, &change.room, change.witness, &to.agent_id)?;
            let from_name = called(&change.room, &change.actor.agent_id);
            let told = Told::decide(&to, from_name, change.actor.sender_kind(), &input.text, mode)?;
            let message = change.record(told)?.seq;
            Ok(TellResult {
                room_id: change.room.id.clone(),
                message,
                to: to.name,
                to_agent_id: to.agent_id,
                mode,
                over,
            })
        })
    }
}
