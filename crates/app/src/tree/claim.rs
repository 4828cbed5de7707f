//! Drift: what changed between a handoff and the next turn.
//!
//! The stick is granted first. Then the tree is looked at and compared with the handoff's record, edits that nobody
//! explains are put on record, and the new holder is told.

use baton_core::{
    event::Recorded,
    ids::{AgentId, RoomId},
    room::Room,
    scope::{Reservation, ScopePath},
    tree::{Comparison, Drift, Tree},
};
use baton_store::scopes;

use super::{
    artifacts,
    edits::{Author, KnownEdit, Noticed, edits_since},
    look::{RoomFiles, WorkingTree},
    view::{Authors, DriftReason, DriftReport},
};
use crate::{App, Caller, Failure, scoping};

/// Reservations that ended lately and are weighed. Those that ended before the handoff explain nothing.
const ENDED: u32 = 200;

/// A handoff with a record of the tree, as it came with a turn.
pub(crate) struct Received {
    room: RoomId,
    path: String,
    handoff: Recorded,
    /// The agent that had the turn meanwhile, and lost it without a handoff.
    lost_by: Option<AgentId>,
}

/// The room's reservations and edits since a handoff.
struct Explanations {
    room: Room,
    root: ScopePath,
    reservations: Vec<Reservation>,
    edits: Vec<KnownEdit>,
}

impl Received {
    /// Nothing, where there is nothing to compare with.
    pub(crate) fn of(room: &Room, handoff: Option<Recorded>, lost_by: Option<AgentId>) -> Option<Self> {
        let path = room.canonical_path.clone()?;
        let handoff = handoff.filter(|handoff| handoff.event.tree().is_some())?;
        Some(Self { room: room.id.clone(), path, handoff, lost_by })
    }
}

impl App {
    /// The drift since a handoff. The turn is granted whatever comes of this, so a look that fails tells nothing.
    pub(crate) fn drift_since(&self, caller: &Caller, received: &Received) -> Option<DriftReport> {
        let record = received.handoff.event.tree()?;
        let before = &record.tree;
        let RoomFiles { working_tree, workspace } = self.room_paths.files(&received.room, &received.path, caller);
        let drift = working_tree.and_then(|working_tree| compared(&working_tree, before)).unwrap_or_default();
        let handoff = received.handoff.event.handoff();
        let missing =
            workspace.zip(handoff).map(|(workspace, handoff)| artifacts::missing(&workspace, handoff, &before.dirty));
        let missing = missing.unwrap_or_default();
        if drift.is_empty() && missing.is_empty() {
            return None;
        }
        if drift.is_empty() {
            let nobody = |agent: &AgentId| agent.to_string();
            return Some(DriftReport::of(&drift, missing, &Authors::new(), nobody));
        }
        let known = self.explanations(received).ok()?;
        let mut authors = Authors::new();
        for (path, (_, state)) in &drift.files {
            let recorded = known.edits.iter().find(|edit| edit.has(path, state)).map(|edit| edit.0.by.clone());
            let author = match recorded {
                Some(Some(by)) => Some((by, DriftReason::Command)),
                recorded => known.reserved_by(path).map(|owner| (owner, DriftReason::Scope)).or_else(|| {
                    let lost_by = received.lost_by.clone().filter(|_| recorded.is_none())?;
                    Some((lost_by, DriftReason::Turn))
                }),
            };
            authors.extend(author.map(|author| (path.clone(), author)));
        }
        let unexplained: Vec<_> = drift.files.iter().filter(|(path, _)| !authors.contains_key(*path)).collect();
        let is_head_explained = received.lost_by.is_some() || (unexplained.is_empty() && !drift.files.is_empty());
        let noticed = Noticed {
            author: Author::Unknown,
            files: unexplained.into_iter().map(|(path, (_, state))| (path.clone(), state.clone())).collect(),
            more: 0,
            head: drift.head.clone().filter(|_| !is_head_explained),
        };
        if !noticed.files.is_empty() || noticed.head.is_some() {
            // The holder is told either way, and what is not on record is noticed again at the next claim.
            let _ = self.record_noticed(caller, &received.room, &noticed);
        }
        let name = |agent: &AgentId| {
            known.room.member(agent).map_or_else(|| agent.to_string(), |member| member.display_name.clone())
        };
        Some(DriftReport::of(&drift, missing, &authors, name))
    }

    fn explanations(&self, received: &Received) -> Result<Explanations, Failure> {
        self.store.read(|tx| {
            let room = self.room(tx, &received.room)?;
            let since = received.handoff.at;
            let in_force = scopes::in_force(tx, &room.id)?.into_iter();
            let in_force = in_force.filter(|reservation| reservation.lease.expires_at >= since);
            let ended = scopes::ended(tx, &room.id, ENDED)?.into_iter();
            let ended = ended.filter(|reservation| reservation.ended.is_some_and(|ended| ended.at >= since));
            Ok(Explanations {
                root: scoping::root(&room)?,
                reservations: in_force.chain(ended).collect(),
                edits: edits_since(tx, &room.id, received.handoff.seq)?,
                room,
            })
        })
    }
}

/// The differences between a record and the tree as it is; none where it cannot be looked at.
fn compared(working_tree: &WorkingTree, before: &Tree) -> Option<Drift> {
    let look = working_tree.look()?;
    let now = &look.tree;
    let clean = before.dirty.0.keys().filter(|path| !now.dirty.0.contains_key(*path));
    let settled = clean.map(|path| (path.clone(), working_tree.state(path))).collect();
    let committed = match (&before.head, &now.head) {
        (Some(before), Some(now)) if before != now => working_tree.committed(before, now),
        _ => Default::default(),
    };
    Some(Drift::between(Comparison { before, now, settled: &settled, committed: &committed, new: &look.new }))
}

impl Explanations {
    /// The agent that had reserved a file since the handoff.
    fn reserved_by(&self, path: &str) -> Option<AgentId> {
        let file = ScopePath::file(path, &self.root).ok()?;
        let over = self.reservations.iter().find(|reservation| reservation.path(&self.root).contains(&file))?;
        Some(over.lease.holder.clone())
    }
}
