//! Envelopes to and from an agent, as they were sent.

use baton_core::ids::Seq;
use baton_store::{
    engine::Tx,
    envelopes::{self, Way},
};

use super::read::{Entries, Look};
use crate::commands::open::OpenedEnvelope;

pub(super) fn read(tx: &mut dyn Tx, look: Look<'_>, way: Way) -> Entries<OpenedEnvelope> {
    let room = &look.sight.room.id;
    let posted = envelopes::of_agent(tx, room, (look.agent, way), look.before.map(Seq), look.limit + 1)?;
    let mut opened = Vec::with_capacity(posted.len());
    for posted in posted {
        opened.extend(OpenedEnvelope::read(tx, room, &posted.id)?);
    }
    let (entries, more) = look.fitting(opened);
    let next = entries.last().filter(|_| more).map(|last| last.message.0);
    Ok((entries, next))
}
