//! Files that an agent left.

use baton_core::{
    job::{agent_of, job_of},
    library::{Artifact, ArtifactId, ArtifactKind},
};
use baton_store::{
    engine::Tx,
    library::{self, Artifacts},
};

use super::read::{Entries, Look};
use crate::commands::library::ArtifactView;

/// Which sorts of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinds {
    All,
    Diffs,
}

/// Records that are looked at for those of one agent. Whoever wants older ones asks for them.
const LOOKED_AT: usize = 1_000;
/// Records that are read at once.
const STEP: u32 = 200;

pub(super) fn read(tx: &mut dyn Tx, look: Look<'_>, kinds: Kinds) -> Entries<ArtifactView> {
    let room = &look.sight.room.id;
    let job = job_of(look.agent).filter(|job| agent_of(room, *job) == *look.agent);
    let which = job.map_or(Artifacts::All, Artifacts::OfJob);
    let is_meant = |artifact: &Artifact| {
        let own = job.is_some() || artifact.node.as_ref() == Some(look.agent) || artifact.created_by == *look.agent;
        own && (kinds == Kinds::All || artifact.kind == ArtifactKind::Diff)
    };
    let mut before = look.before.map(|before| ArtifactId(before.try_into().unwrap_or(u32::MAX)));
    let (mut found, mut seen) = (Vec::new(), 0);
    // Where nothing is left to look at, the cursor is none.
    let unseen = loop {
        let some = library::artifacts(tx, room, which, before, STEP)?;
        let is_all = some.len() < STEP as usize;
        seen += some.len();
        before = some.last().map(|artifact| artifact.id).or(before);
        found.extend(some.into_iter().filter(is_meant));
        if is_all {
            break None;
        }
        if found.len() > look.limit as usize || seen >= LOOKED_AT {
            break before;
        }
    };
    let ids: Vec<ArtifactId> = found.iter().map(|artifact| artifact.id).collect();
    let (entries, more) = look.fitting(found.iter().map(ArtifactView::from).collect());
    let next = if more { entries.len().checked_sub(1).and_then(|last| ids.get(last)).copied() } else { unseen };
    Ok((entries, next.map(|id| u64::from(id.0))))
}
