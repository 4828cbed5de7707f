//! What is on its way: the stick, envelopes and messages that were sent and not consumed.

use baton_core::{
    ids::{AgentId, Seq},
    inbox::{Item, Stage},
    reference::Reference,
    room::Stick,
    time::Timestamp,
};
use baton_store::{engine::Tx, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Failure,
    app::Sight,
    bounds::first_line,
    commands::{
        envelope::known_as,
        inbox::{ItemView, words},
    },
};

/// Flights that a graph has at most.
const FLIGHTS_MAX: usize = 100;

/// What is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum FlightKind {
    /// The stick, with its handoff: passed, and not claimed.
    Stick,
    /// An envelope.
    Envelope,
    /// Any other message.
    Message,
}

impl FlightKind {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stick => "stick",
            Self::Envelope => "envelope",
            Self::Message => "message",
        }
    }
}

/// Something that was sent and not consumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FlightView {
    pub kind: FlightKind,
    /// The envelope's id; else the place in the log.
    pub id: String,
    pub message: Seq,
    /// Where to open it.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    pub from_agent_id: AgentId,
    pub from: String,
    pub to_agent_id: AgentId,
    pub to: String,
    /// What it is about, in a line.
    pub subject: String,
    /// queued, or delivered: its recipient was told of it.
    pub state: Stage,
    /// Whether what the recipient does stops for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupts: bool,
    pub sent_at: Timestamp,
}

/// What of `pending` nobody has seen, and the stick where it is on its way; oldest first.
pub(super) fn of_items(tx: &mut dyn Tx, sight: &Sight<'_>, pending: &[Item]) -> Result<Vec<FlightView>, Failure> {
    let room = &sight.room;
    let mut unseen: Vec<&Item> = pending.iter().filter(|item| item.seen_at.is_none()).collect();
    unseen.sort_by_key(|item| (item.message, item.recipient.clone()));
    unseen.truncate(FLIGHTS_MAX);
    let places: Vec<Seq> = unseen.iter().map(|item| item.message).collect();
    let events = log::find_all(tx, &room.id, &places)?;
    let mut flights: Vec<FlightView> = stick(tx, sight)?.into_iter().collect();
    for item in unseen {
        let recorded = events.iter().find(|recorded| recorded.seq == item.message);
        let Some(words) = recorded.and_then(|recorded| words(recorded, room)) else { continue };
        let view = ItemView::of(item, words);
        let (kind, id) = match &view.reference {
            Some(Reference::Payload(id)) => (FlightKind::Envelope, id.to_string()),
            _ => (FlightKind::Message, item.message.to_string()),
        };
        flights.push(FlightView {
            kind,
            id,
            message: item.message,
            reference: view.reference,
            from_agent_id: item.sender.clone(),
            from: view.from_agent,
            to_agent_id: item.recipient.clone(),
            to: known_as(tx, room, &item.recipient)?,
            subject: view.subject,
            state: view.state,
            interrupts: item.interrupts,
            sent_at: item.queued_at,
        });
    }
    Ok(flights)
}

/// The stick, while it is kept for somebody who has not claimed it.
fn stick(tx: &mut dyn Tx, sight: &Sight<'_>) -> Result<Option<FlightView>, Failure> {
    let room = &sight.room;
    let Stick::Reserved(reservation) = &room.stick else { return Ok(None) };
    let recorded = log::find(tx, &room.id, reservation.pending.seq)?;
    let subject =
        recorded.as_ref().and_then(|recorded| recorded.event.handoff()).map(|handoff| first_line(&handoff.status));
    Ok(Some(FlightView {
        kind: FlightKind::Stick,
        id: reservation.pending.seq.to_string(),
        message: reservation.pending.seq,
        reference: None,
        from: known_as(tx, room, &reservation.pending.from)?,
        from_agent_id: reservation.pending.from.clone(),
        to: known_as(tx, room, &reservation.recipient)?,
        to_agent_id: reservation.recipient.clone(),
        subject: subject.unwrap_or_default(),
        state: Stage::Queued,
        interrupts: false,
        sent_at: recorded.map_or(room.updated_at, |recorded| recorded.at),
    }))
}
