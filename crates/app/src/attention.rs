//! What waits for an agent in a room: messages, answers, tasks and scopes of its own.
//!
//! Looking changes nothing. In particular no message is delivered by being counted here.

use baton_core::{
    ids::{AgentId, BeadId, RoomId},
    limits,
    room::Room,
    time::Timestamp,
};
use baton_store::{StoreError, engine::Tx, inbox, scopes, tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure,
    commands::{
        inbox::{SentView, became_of},
        tasks::TaskView,
    },
};

/// What an agent should not forget.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attention {
    /// Messages it has not seen.
    pub unseen: u64,
    /// Messages it has to accept and has not.
    pub to_accept: u64,
    /// What it sent and somebody still has to accept, newest first.
    pub unanswered: Vec<SentView>,
    /// Its tasks in progress.
    pub tasks: Vec<TaskView>,
    /// What it has reserved.
    pub scopes: Vec<OwnScope>,
}

/// Paths that an agent has reserved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OwnScope {
    /// Relative to the room's root.
    pub scope: String,
    pub bead_id: Option<BeadId>,
    pub expires_at: Timestamp,
}

/// What waits for the caller in a room.
pub fn attention(app: &App, caller: &Caller, room_id: &RoomId) -> Result<Attention, Failure> {
    let you = caller.actor().agent_id;
    app.store.read(|tx| {
        let room = app.room(tx, room_id)?;
        let now = tx.now()?;
        Ok(Attention::of(tx, &room, &you, now)?)
    })
}

impl Attention {
    /// What waits for `agent` in a room that was loaded.
    pub(crate) fn of(tx: &mut dyn Tx, room: &Room, agent: &AgentId, now: Timestamp) -> Result<Self, StoreError> {
        let waiting = inbox::waiting(tx, &room.id, agent)?;
        let unanswered = inbox::unanswered(tx, &room.id, agent, None, limits::INBOX_DEFAULT)?;
        let at_work = tasks::in_progress_of(tx, &room.id, agent)?;
        let reserved = scopes::in_force(tx, &room.id)?.reservations.into_iter();
        let own = reserved.filter(|reservation| reservation.lease.holder == *agent && reservation.is_live(now));
        Ok(Self {
            unseen: waiting.unseen,
            to_accept: waiting.to_accept,
            unanswered: became_of(tx, room, unanswered)?,
            tasks: at_work.iter().map(|task| TaskView::of(task, room)).collect(),
            scopes: own
                .map(|reservation| OwnScope {
                    expires_at: reservation.lease.expires_at,
                    bead_id: reservation.bead_id,
                    scope: reservation.scope,
                })
                .collect(),
        })
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
