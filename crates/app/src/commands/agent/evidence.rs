//! What speaks for an adoption: files that are not committed, and work in progress.
//!
//! Programs are asked (git, `bd`) before the transaction; what the store knows is added inside it, so that the decision
//! is made on what is true then.

use std::path::{Path, PathBuf};

use baton_core::{
    agent::{Evidence, Target},
    ids::{AgentId, BeadId},
    room::Room,
    scope::{ScopePath, Scopes},
    task::Task,
};
use baton_store::{engine::Tx, scopes, tasks};

use crate::{
    App, Caller, Failure,
    beads::{self, Bead, Beads},
    paths, scoping,
};

/// Scopes that ran out and still count as claimed.
const EXPIRED_CLAIMS: u32 = 64;

/// What programs told about a workspace, once for all identities.
pub(super) struct Survey {
    root: ScopePath,
    /// Files that are not committed, in the room's own paths.
    changed: Vec<ScopePath>,
    beads: Vec<Bead>,
    /// What could not be looked at, and why.
    gaps: Vec<String>,
    /// The scopes that the caller said to look at.
    asked: Vec<ScopePath>,
    /// Who would adopt.
    by: AgentId,
}

impl Survey {
    /// Asks git and `bd` about the room's workspace, as it is where the caller works.
    pub(super) fn make(app: &App, caller: &Caller, room: &Room, asked: &[String]) -> Result<Self, Failure> {
        scoping::require_few(asked)?;
        let root = scoping::root(room)?;
        let asked = asked.iter().map(|text| app.scope_path(&root, "scopes", text)).collect::<Result<_, _>>()?;
        let by = caller.actor().agent_id;
        let mut survey = Self { root, changed: Vec::new(), beads: Vec::new(), gaps: Vec::new(), asked, by };
        let Some(path) = room.canonical_path.as_deref().map(Path::new) else {
            survey.gaps.push("the room has no path, so nothing can be uncommitted there".to_owned());
            return Ok(survey);
        };
        for checkout in checkouts(path, &caller.cwd) {
            match paths::changed_paths(&checkout) {
                Ok(changed) => survey.add(app, &changed)?,
                Err(failure) => survey.gaps.push(failure.message.trim_end_matches('.').to_owned()),
            }
        }
        match beads::in_progress(path, &app.environment) {
            Beads::None => {}
            Beads::Unknown { why } => survey.gaps.push(format!("beads could not be read: {why}")),
            Beads::InProgress(found) => survey.beads = found,
        }
        Ok(survey)
    }

    fn add(&mut self, app: &App, changed: &[PathBuf]) -> Result<(), Failure> {
        for path in changed {
            if let Some(file) = app.committed_path(&self.root, "scopes", &path.to_string_lossy())? {
                self.changed.push(file);
            }
        }
        Ok(())
    }

    /// The evidence for one identity. Its scopes are those it has, or had until they ran out; when the caller named
    /// some, only what lies in both counts. What has become a third one's scope since is that one's work.
    pub(super) fn evidence(&self, tx: &mut dyn Tx, room: &Room, target: &Target) -> Result<Evidence, Failure> {
        let now = tx.now()?;
        let in_force = scopes::in_force(tx, &room.id)?;
        let claimed = self.claimed(tx, room, target, &in_force)?;
        let of_others = in_force.iter().filter(|other| {
            other.is_live(now) && other.lease.holder != target.agent_id && other.lease.holder != self.by
        });
        let of_others: Vec<ScopePath> = of_others.map(|other| other.path(&self.root)).collect();
        let counts = |file: &ScopePath| {
            claimed.iter().any(|scope| scope.contains(file))
                && !of_others.iter().any(|scope| scope.contains(file))
                && (self.asked.is_empty() || self.asked.iter().any(|scope| scope.contains(file)))
        };
        let mut changed: Vec<String> =
            self.changed.iter().filter(|file| counts(file)).map(|file| file.shown(&self.root)).collect();
        changed.sort();
        changed.dedup();
        let own = tasks::in_progress_of(tx, &room.id, &target.agent_id)?;
        let relevant = own.iter().filter(|task| self.is_relevant(task, &claimed)).map(|task| task.id.bead_id());
        let mut in_progress: Vec<BeadId> = relevant.collect();
        in_progress.extend(self.beads_of(&target.agent_id, &target.name));
        in_progress.sort();
        let scopes = claimed.iter().map(|scope| scope.shown(&self.root)).collect();
        Ok(Evidence { scopes, changed, in_progress, gaps: self.gaps.clone(), confirmed: false })
    }

    fn claimed(
        &self,
        tx: &mut dyn Tx,
        room: &Room,
        target: &Target,
        in_force: &Scopes,
    ) -> Result<Vec<ScopePath>, Failure> {
        let mut found: Vec<ScopePath> = in_force.of(&target.agent_id).map(|own| own.path(&self.root)).collect();
        let expired = scopes::expired_of(tx, &room.id, &target.agent_id, EXPIRED_CLAIMS)?;
        found.extend(expired.iter().map(|own| own.path(&self.root)));
        if found.is_empty() {
            // It claimed nothing, or gave back all it had; then what the caller says it worked on is all there is to go by.
            found.extend(self.asked.iter().cloned());
        }
        found.sort_by_key(|scope| scope.shown(&self.root));
        found.dedup();
        Ok(found)
    }

    /// Whether a task has to do with the scopes. One that is about no paths in particular has to do with all of them.
    fn is_relevant(&self, task: &Task, claimed: &[ScopePath]) -> bool {
        use baton_core::scope::Overlap;
        let of_task: Vec<ScopePath> =
            task.scopes.iter().filter_map(|text| ScopePath::scope(text, &self.root).ok()).collect();
        let scopes = if self.asked.is_empty() { claimed } else { &self.asked };
        of_task.is_empty()
            || scopes.is_empty()
            || of_task.iter().any(|one| scopes.iter().any(|other| one.overlap(other) != Overlap::Disjoint))
    }

    fn beads_of<'a>(&'a self, agent: &'a AgentId, name: &'a str) -> impl Iterator<Item = BeadId> + 'a {
        let own = move |bead: &&Bead| bead.assignee.as_deref().is_some_and(|who| who == name || who == agent.as_str());
        self.beads.iter().filter(own).filter_map(|bead| bead.id.parse().ok())
    }
}

/// The working trees that count: the room's own, and the linked one that the caller is in.
fn checkouts(room: &Path, cwd: &Path) -> Vec<PathBuf> {
    let mut found = vec![room.to_owned()];
    let known = Some(cwd).filter(|cwd| !cwd.as_os_str().is_empty());
    if let Some(own) = known.and_then(paths::checkout_root).filter(|own| !room.starts_with(own) && *own != room) {
        let main = paths::in_main_worktree(own, None, paths::LastLink::Followed);
        if main.starts_with(room) || room.starts_with(&main) {
            found.push(own.to_owned());
        }
    }
    found
}
