//! Everybody in a room, from one look, which itself shows nobody to be there.

use baton_core::{
    agent::Former,
    ids::{AgentId, RoomId},
    limits,
    scope::{Scopes, View},
    task::{State, Task},
};
use baton_store::{engine::Tx, former, scopes, tasks};

use super::{AgentView, directory::Directory};
use crate::{App, Failure, app::Sight, connection::Streams, scoping};

/// Whether those who left are meant too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Earlier {
    Too,
    Not,
}

/// A room's agents, and what they are shown from.
pub(super) struct Everybody<'a> {
    pub(super) sight: Sight<'a>,
    pub(super) in_progress: Vec<Task>,
    reserved: Scopes,
    streams: Streams,
    earlier: Vec<Former>,
}

impl<'a> Everybody<'a> {
    pub(super) fn read(app: &'a App, tx: &mut dyn Tx, room: &RoomId, earlier: Earlier) -> Result<Self, Failure> {
        let room = app.room(tx, room)?;
        let eyes = app.eyes(tx, &room)?;
        Ok(Self {
            in_progress: tasks::in_state(tx, &room.id, State::InProgress, None, limits::TASKS_MAX)?,
            reserved: scopes::in_force(tx, &room.id)?,
            streams: Streams::of_members(tx, &room, &eyes)?,
            earlier: if earlier == Earlier::Too { former::all(tx, &room.id)? } else { Vec::new() },
            sight: Sight { room, eyes, now: tx.now()? },
        })
    }

    /// All of them as `viewer` sees them: in turn order; then those who left, the last first.
    pub(super) fn views(&self, app: &App, viewer: &AgentId) -> Result<Vec<AgentView>, Failure> {
        let Sight { room, eyes, now } = &self.sight;
        let root = scoping::root(room)?;
        let view = View { room, root: &root, now: *now, stale_after: app.stale_after()?, witness: eyes };
        let directory =
            Directory { view, scopes: &self.reserved, in_progress: &self.in_progress, streams: &self.streams, viewer };
        let members = room.members.iter().map(|member| directory.member(member));
        Ok(members.chain(self.earlier.iter().rev().map(|former| directory.former(former))).collect())
    }
}
