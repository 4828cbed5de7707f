//! Whose word it is what is said of a turn.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{Job, Shown},
    lease::Fence,
    turn::{Turn, TurnId, Voice},
};

use super::{TurnResult, TurnView};
use crate::{Caller, Failure, app::internal, commands::jobs::shown, unit::Change};

/// Which turn is meant, and under which claim of its job.
pub(super) struct Meant<'a> {
    pub(super) turn: TurnId,
    pub(super) runner: Option<&'a AgentId>,
    pub(super) revision: Option<Fence>,
}

/// Who speaks of which turn.
pub(super) struct Speaker {
    pub(super) turn: Turn,
    claim: Option<(Job, Shown)>,
    by: AgentId,
}

impl Speaker {
    /// Finds the turn, and the claim that the caller shows if it is a job's.
    pub(super) fn find(change: &mut Change<'_>, caller: &Caller, meant: &Meant<'_>) -> Result<Self, Failure> {
        let turn = change.store.find::<Turn>(&meant.turn)?.cloned().ok_or_else(|| Failure::unknown_id(meant.turn))?;
        let claim = match turn.job {
            Some(job) => {
                let (job, shown) = shown(caller, &change.room.id, Some(job), meant.runner, meant.revision)?;
                Some((change.store.find::<Job>(&job)?.cloned().ok_or_else(|| Failure::unknown_id(job))?, shown))
            }
            None => None,
        };
        Ok(Self { turn, claim, by: change.actor.agent_id.clone() })
    }

    /// As the rules want it.
    pub(super) fn voice(&self) -> Voice<'_> {
        match &self.claim {
            Some((job, shown)) => Voice::Claim(job, shown),
            None => Voice::Own(&self.by),
        }
    }
}

/// The turn as it is now.
pub(super) fn result(change: &mut Change<'_>, id: TurnId) -> Result<TurnResult, Failure> {
    let turn = change.store.find::<Turn>(&id)?.cloned().ok_or_else(|| internal("a turn that was found is there"))?;
    let room_id: RoomId = change.room.id.clone();
    Ok(TurnResult { turn: TurnView::of(&turn, &change.room), room_id })
}
