//! What waits for an agent in a room: messages, answers, tasks and scopes of its own.
//!
//! Looking changes nothing. In particular no message is delivered by being counted here.

use baton_core::{
    ids::{AgentId, BeadId, RoomId},
    inbox::Item,
    limits,
    process::Witness,
    room::Room,
    spawn::{Approval, ApprovalId},
    time::Timestamp,
};
use baton_store::{StoreError, engine::Tx, envelopes, inbox, scopes, spawns, tasks};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Caller, Failure, Rights,
    commands::{
        envelope::{RequestView, called},
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
    /// What it owes a response for, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owed: Vec<RequestView>,
    /// What it is owed a response for, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub awaited: Vec<RequestView>,
    /// What an operator has to decide on, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<PendingApproval>,
}

/// A request for another agent that nobody has decided on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PendingApproval {
    pub approval: ApprovalId,
    pub title: String,
    /// What people call who asked.
    pub requested_by: String,
    pub requested_at: Timestamp,
}

impl PendingApproval {
    /// What waits for an operator in a room.
    pub(crate) fn all(tx: &mut dyn Tx, room: &Room) -> Result<Vec<Self>, StoreError> {
        let view = |approval: Approval| Self {
            approval: approval.id,
            requested_by: called(room, &approval.requested_by),
            title: approval.title,
            requested_at: approval.requested_at,
        };
        Ok(spawns::pending(tx, &room.id, limits::REQUESTS_SHOWN)?.into_iter().map(view).collect())
    }
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
        let eyes = app.eyes(tx, &room)?;
        let mut found = Attention::of(tx, &room, &you, &eyes, now)?;
        if caller.rights() >= Rights::Operator {
            found.approvals = PendingApproval::all(tx, &room)?;
        }
        Ok(found)
    })
}

impl Attention {
    /// What waits for `agent` in a room that was loaded.
    pub(crate) fn of(
        tx: &mut dyn Tx,
        room: &Room,
        agent: &AgentId,
        witness: &dyn Witness,
        now: Timestamp,
    ) -> Result<Self, Failure> {
        let waiting = inbox::waiting(tx, &room.id, agent)?;
        let unanswered = inbox::unanswered(tx, &room.id, agent, None, limits::INBOX_DEFAULT)?;
        let at_work = tasks::in_progress_of(tx, &room.id, agent)?;
        let reserved = scopes::in_force(tx, &room.id)?.into_iter();
        let own = reserved.filter(|reservation| reservation.lease.holder == *agent && reservation.is_live(now));
        let owed = envelopes::owed_by(tx, &room.id, agent, limits::REQUESTS_SHOWN)?;
        let awaited = envelopes::owed_to(tx, &room.id, agent, limits::REQUESTS_SHOWN)?;
        // What is awaited is shown as that.
        let is_awaited = |item: &Item| awaited.iter().any(|posted| posted.seq == item.message);
        let unanswered = unanswered.into_iter().filter(|item| !is_awaited(item)).collect();
        Ok(Self {
            owed: RequestView::all(tx, room, witness, &owed)?,
            awaited: RequestView::all(tx, room, witness, &awaited)?,
            approvals: Vec::new(),
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
