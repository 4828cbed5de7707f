//! Who may change files of the workspace: the holder of the stick, or the agent that has reserved all of them.
//!
//! Somebody else's live scope over one of the paths refuses also the holder of the stick, as the guard does.

use super::{Refusal, Reservation, ScopePath, Scopes, Strictness, View};
use crate::{
    lease::Standing,
    room::{Actor, Stick},
};

/// The right by which files are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditRight {
    /// The caller holds the stick.
    Stick,
    /// The caller has reserved every path.
    Scopes,
}

/// The most paths that a refusal names.
const NAMED: usize = 10;

impl Scopes {
    /// Decides whether `by` may change the files at `paths`.
    pub fn may_edit(&self, view: View<'_>, by: &Actor, paths: &[ScopePath]) -> Result<EditRight, Refusal> {
        self.check(view, &by.agent_id, paths, Strictness::Everyone).1?;
        let ownership = view.room.ownership();
        let holds = |standing: Standing| standing == Standing::Held;
        if ownership.is_some_and(|held| held.belongs_to(by) && holds(held.standing(view.now, view.witness))) {
            return Ok(EditRight::Stick);
        }
        let own: Vec<ScopePath> = self
            .of(&by.agent_id)
            .filter(|reservation| reservation.is_live(view.now))
            .map(|reservation: &Reservation| reservation.path(view.root))
            .collect();
        let uncovered: Vec<&ScopePath> =
            paths.iter().filter(|path| !own.iter().any(|scope| scope.contains(path))).collect();
        if uncovered.is_empty() && !paths.is_empty() {
            return Ok(EditRight::Scopes);
        }
        let kept_for = match &view.room.stick {
            Stick::Reserved(reserved) => Some(&reserved.recipient),
            Stick::Idle(_) | Stick::Owned(_) | Stick::Closed => None,
        };
        Err(Refusal::StickNeeded {
            holder: ownership.map(|held| held.lease.holder.clone()),
            held_until: ownership.map(|held| held.lease.expires_at),
            kept_for: kept_for.cloned(),
            is_own: ownership.is_some_and(|held| held.lease.holder == by.agent_id),
            not_reserved: uncovered.len(),
            paths: uncovered.iter().take(NAMED).map(|path| path.shown(view.root)).collect(),
        })
    }
}
