//! What was said in a session.

use baton_core::{
    ids::{RoomId, Seq},
    limits,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{History, HistoryInput};
use crate::{
    App, Caller, Failure, bounds,
    bus::Record,
    table::{BUS, Effect, Place, UseCase},
};

/// `bus.messages`
pub struct Messages;

/// Which messages.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessagesInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Only after this seq
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Seq>,
    /// 1 to 200; default 50
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Messages, oldest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct MessagesResult {
    pub room_id: RoomId,
    pub messages: Vec<Record>,
    /// Pass it as `after` next time.
    pub cursor: Seq,
    /// Whether more is there already.
    pub has_more: bool,
}

impl UseCase for Messages {
    const NAME: &'static str = "bus.messages";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("message.list");
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What was said in a session, oldest first.";
    type Input = MessagesInput;
    type Output = MessagesResult;

    fn perform(app: &App, caller: &Caller, input: MessagesInput) -> Result<MessagesResult, Failure> {
        bounds::limit(input.limit, limits::ACTIONS_DEFAULT, limits::EVENTS_MAX)?;
        let asked = HistoryInput {
            room_id: input.room_id,
            after: input.after,
            before: None,
            types: Some(vec!["message.created".to_owned()]),
            limit: input.limit,
            max_wait_ms: None,
        };
        let found = History::run(app, caller, asked)?;
        let (messages, cursor) = (found.events, found.cursor);
        Ok(MessagesResult { room_id: found.room_id, messages, cursor, has_more: found.has_more })
    }
}
