//! Whom somebody means who looks at an agent.

use baton_core::{ids::AgentId, room::Room};
use baton_store::{
    engine::Tx,
    envelopes::{self, Way},
    inbox,
};

use crate::{Failure, commands::turn};

/// Whoever has had turns, or has been written to or has written: also those who never joined.
pub(super) fn whose(tx: &mut dyn Tx, room: &Room, named: &str) -> Result<AgentId, Failure> {
    let refused = match turn::whose(tx, room, named) {
        Ok(agent) => return Ok(agent),
        Err(refused) => refused,
    };
    let Ok(agent) = named.parse::<AgentId>() else { return Err(refused) };
    let sent = envelopes::of_agent(tx, &room.id, (&agent, Way::Sent), None, 1)?;
    let known = !sent.is_empty()
        || !inbox::newest(tx, &room.id, &agent, None, 1)?.is_empty()
        || !inbox::sent(tx, &room.id, &agent, None, 1)?.is_empty();
    if known { Ok(agent) } else { Err(refused) }
}
