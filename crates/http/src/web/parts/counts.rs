//! How much waits, for the navigation.

use baton_app::{
    Failure,
    commands::agent::{NeedKind, Needs, NeedsInput},
};

use crate::web::{look::Look, page::Place};

/// How much waits where.
pub(in crate::web) struct Counts {
    needs: usize,
    approvals: usize,
}

impl Counts {
    /// How much waits at a place, if anything does.
    pub(in crate::web) fn of(&self, place: Place) -> Option<usize> {
        let count = match place {
            Place::Now => self.needs,
            Place::Approvals => self.approvals,
            Place::Rooms | Place::Jobs | Place::Agents | Place::Search | Place::Doctor | Place::Elsewhere => 0,
        };
        Some(count).filter(|count| *count > 0)
    }
}

/// Counts what waits. It is kept and indexed, so that every page can ask.
pub(in crate::web) fn counts(look: &Look<'_>) -> Result<Counts, Failure> {
    let found = look.ask::<Needs>(NeedsInput { limit: Some(1), ..NeedsInput::default() })?;
    let approvals = found.counts.get(&NeedKind::Approval).copied().unwrap_or_default();
    Ok(Counts { needs: found.counts.values().sum(), approvals })
}
