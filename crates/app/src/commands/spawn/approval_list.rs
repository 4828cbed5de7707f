//! Requests for agents.

use baton_core::{
    ids::RoomId,
    limits,
    spawn::{Approval, ApprovalId, ApprovalStatus},
};
use baton_store::{engine::Tx, spawns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ApprovalView, pending_digest};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    table::{AGENT, Effect, Place, UseCase},
};

/// `agent.approval.list`
pub struct ApprovalList;

/// Which requests.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovalListInput {
    pub room_id: RoomId,
    /// Only those
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ApprovalStatus>,
    /// Only older ones: the last one seen
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<ApprovalId>,
    /// 1 to 200; default 25
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Requests, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalListResult {
    pub room_id: RoomId,
    pub approvals: Vec<ApprovalView>,
    /// Whether there are more: ask again with `before` the last one.
    pub has_more: bool,
}

impl UseCase for ApprovalList {
    const NAME: &'static str = "agent.approval.list";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Requests for further agents, newest first. `open` shows one in full.";
    type Input = ApprovalListInput;
    type Output = ApprovalListResult;

    fn perform(app: &App, caller: &Caller, input: ApprovalListInput) -> Result<ApprovalListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let found = input.find(tx, limit + 1)?;
            let digests: Vec<_> =
                found.iter().map(|approval| pending_digest(tx, &room.id, approval)).collect::<Result<_, _>>()?;
            let found: Vec<_> = found.into_iter().zip(digests).collect();
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
        let approvals =
            Page::default().fill(&found, limit, |(approval, digest)| ApprovalView::of(&room, approval, digest.clone()));
        let has_more = approvals.len() < found.len();
        Ok(ApprovalListResult { approvals, room_id: room.id, has_more })
    }
}

impl ApprovalListInput {
    /// The first `most` requests that are meant: it is read on until there are enough.
    fn find(&self, tx: &mut dyn Tx, most: u32) -> Result<Vec<Approval>, Failure> {
        let (mut found, mut before) = (Vec::new(), self.before);
        loop {
            let some = spawns::before(tx, &self.room_id, before, most)?;
            let (read, last) = (some.len(), some.last().map(|approval| approval.id));
            found
                .extend(some.into_iter().filter(|approval| self.status.is_none_or(|status| approval.status == status)));
            if read < most as usize || found.len() >= most as usize {
                found.truncate(most as usize);
                return Ok(found);
            }
            before = last;
        }
    }
}
