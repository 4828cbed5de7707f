//! Saying that one cannot go on without somebody: a BLOCKED message in a few words.

use baton_core::{
    ids::{BeadId, RoomId},
    inbox::{Category, Draft, Urgency},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    SendResult,
    send::{About, post},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{Effect, INBOX, Place, UseCase},
};

/// `inbox.block`
pub struct Block;

/// What is in the way, and who can help.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockInput {
    pub room_id: RoomId,
    /// Name or id of an agent, role:NAME, or broadcast
    pub to: String,
    pub subject: String,
    pub blocker: String,
    pub requested_action: String,
    /// Default medium
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urgency: Option<Urgency>,
    /// Task or bead; default: your task in progress
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bead_id: Option<BeadId>,
    /// Paths it is about
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

impl UseCase for Block {
    const NAME: &'static str = "inbox.block";
    const PLACE: Place = Place::Portal(&INBOX);
    const EFFECT: Effect = Effect::Write;
    const ABOUT: &'static str = "Say that you are blocked, and what would help.";
    type Input = BlockInput;
    type Output = SendResult;

    fn run(app: &App, caller: &Caller, input: BlockInput) -> Result<SendResult, Failure> {
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        app.change(caller, &request, &input.room_id, |change| {
            let draft = Draft {
                subject: input.subject.clone(),
                blocker: Some(input.blocker.clone()),
                requested_action: Some(input.requested_action.clone()),
                urgency: input.urgency,
                ..Draft::default()
            };
            let about = About { bead_id: input.bead_id.as_ref(), scope: input.scope.as_deref() };
            post(app, change, &input.to, Category::Blocked, &draft, &about)
        })
    }
}
