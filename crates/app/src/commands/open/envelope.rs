//! An envelope, and what became of it.

use baton_core::{
    envelope::{Envelope, PayloadId, Posted},
    ids::{RoomId, Seq},
    inbox::Stage,
    reference::Reference,
    time::Timestamp,
    turn::TurnId,
};
use baton_store::{engine::Tx, envelopes, inbox, log, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Failure, commands::envelope::sent};

/// An envelope as it was sent, and how far it is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedEnvelope {
    pub message: Seq,
    /// What people call the sender.
    pub from: String,
    /// What people call the recipient.
    pub to: String,
    pub sent_at: Timestamp,
    pub state: Stage,
    pub delivered_at: Option<Timestamp>,
    pub seen_at: Option<Timestamp>,
    pub accepted_at: Option<Timestamp>,
    /// The turn that consumed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// What it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub answers: Option<Reference>,
    /// What answers it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub answered_by: Option<Reference>,
    /// Whether a response is owed for it.
    pub awaits_response: bool,
    pub envelope: Envelope,
}

impl OpenedEnvelope {
    pub(crate) fn read(tx: &mut dyn Tx, room: &RoomId, id: &PayloadId) -> Result<Option<Self>, Failure> {
        let Some(posted) = envelopes::by_id(tx, room, id)? else { return Ok(None) };
        let Some(recorded) = log::find(tx, room, posted.seq)? else { return Ok(None) };
        let Some(sent) = sent(&recorded) else { return Ok(None) };
        let item = inbox::of_message(tx, room, posted.seq)?.into_iter().next();
        let mut named = |seq: Option<Seq>| -> Result<Option<Reference>, Failure> {
            let found = seq.map(|seq| table::find::<Posted>(tx, room, &seq)).transpose()?.flatten();
            Ok(found.map(|posted| Reference::Payload(posted.id)))
        };
        Ok(Some(Self {
            message: posted.seq,
            from: sent.from_name.clone(),
            to: sent.to_name.clone(),
            sent_at: recorded.at,
            state: item.as_ref().map_or(Stage::Queued, |item| item.stage()),
            delivered_at: item.as_ref().and_then(|item| item.delivered_at),
            seen_at: item.as_ref().and_then(|item| item.seen_at),
            accepted_at: item.as_ref().and_then(|item| item.accepted_at),
            turn: item.as_ref().and_then(|item| item.turn),
            answers: named(sent.answers)?,
            answered_by: named(posted.answered_by)?,
            awaits_response: posted.is_owed(),
            envelope: (*sent.envelope).clone(),
        }))
    }
}
