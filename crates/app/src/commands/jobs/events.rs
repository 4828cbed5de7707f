//! Reading a job's thread.

use baton_core::{
    event::Event,
    ids::{RoomId, Seq},
    job,
};
use baton_store::{engine::Tx, log};

use crate::{Failure, app::internal};

/// What a job asks in full, from the event that created it.
pub(super) fn prompt(tx: &mut dyn Tx, room: &RoomId, created: Seq) -> Result<String, Failure> {
    match log::find(tx, room, created)?.map(|recorded| recorded.event) {
        Some(Event::Job(job::Event::Created(created))) => Ok(created.prompt),
        Some(_) | None => Err(internal(format!("event {created} does not create a job"))),
    }
}
