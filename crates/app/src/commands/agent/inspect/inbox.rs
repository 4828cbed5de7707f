//! What is and was in an agent's inbox, and how far each item is. Being looked at here moves none of them.

use baton_core::{ids::Seq, inbox::Item, time::Timestamp, turn::TurnId};
use baton_store::{engine::Tx, inbox, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::{Entries, Look};
use crate::commands::inbox::{ItemView, words};

/// An item of an inbox, with its way up the ladder.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InboxEntry {
    #[serde(flatten)]
    pub item: ItemView,
    pub delivered_at: Option<Timestamp>,
    pub seen_at: Option<Timestamp>,
    pub accepted_at: Option<Timestamp>,
    /// The turn that has it.
    pub turn: Option<TurnId>,
}

pub(super) fn read(tx: &mut dyn Tx, look: Look<'_>) -> Entries<InboxEntry> {
    let room = &look.sight.room;
    let items = inbox::newest(tx, &room.id, look.agent, look.before.map(Seq), look.limit + 1)?;
    let places: Vec<Seq> = items.iter().map(|item| item.message).collect();
    let events = log::find_all(tx, &room.id, &places)?;
    let entry = |item: &Item| {
        let recorded = events.iter().find(|recorded| recorded.seq == item.message)?;
        Some(InboxEntry {
            item: ItemView::of(item, words(recorded, room)?),
            delivered_at: item.delivered_at,
            seen_at: item.seen_at,
            accepted_at: item.accepted_at,
            turn: item.turn,
        })
    };
    let entries = items.iter().filter_map(entry).collect();
    let (entries, more) = look.fitting(entries);
    let next = entries.last().filter(|_| more).map(|last: &InboxEntry| last.item.message.0);
    Ok((entries, next))
}
