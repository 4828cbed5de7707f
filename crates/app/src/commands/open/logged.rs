//! An event of a room's log, whatever it is.

use baton_core::{ids::Seq, room::Room};
use baton_store::{engine::Tx, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Failure, view::RoomEvent};

/// An event as everybody may see it: who holds a lease knows its id, and nobody else does.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedLog {
    pub event: RoomEvent,
}

impl OpenedLog {
    pub(super) fn read(tx: &mut dyn Tx, room: &Room, seq: Seq) -> Result<Option<Self>, Failure> {
        let found: Vec<_> = log::find(tx, &room.id, seq)?.into_iter().collect();
        Ok(RoomEvent::all_of(tx, room, &found)?.pop().map(|event| Self { event }))
    }
}
