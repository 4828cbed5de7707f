//! Where a job works: in the workspace, or in a worktree of its own.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use baton_app::{Failure, commands::jobs::PriorPatch, patches::Repository};
use baton_core::{job::Isolation, library::PatchOrigin};

use crate::{
    desk::Claimed,
    scratch::Scratch,
    settings::Settings,
    workspace::{ChangedFile, Diff, GitError, Snapshot, Workspace, Worktree},
};

/// How many files are named whose changes are not shown.
const NAMES_MAX: usize = 20;

/// A place to work in. A worktree is removed with it; its diff was kept after each slice.
pub(crate) struct Place {
    scratch: Scratch,
    ground: Ground,
    /// Whether a patch of the job was kept: then also that nothing is left of it is kept.
    has_patch: AtomicBool,
    /// Paths of which it was told that no diff has them.
    left_out: Mutex<BTreeSet<String>>,
}

/// The changes of a slice.
#[derive(Default)]
pub(crate) struct Changes {
    /// None, where nothing changed.
    pub(crate) diff: Option<KeptDiff>,
    /// Paths whose changes cannot be in a diff, where that was not told before.
    pub(crate) left_out: Vec<String>,
}

/// What changed, as it is kept.
pub(crate) struct KeptDiff {
    pub(crate) content: Vec<u8>,
    /// The origin of a diff that can be applied.
    pub(crate) origin: Option<PatchOrigin>,
}

enum Ground {
    /// The workspace itself, with git to tell what changed if it is a repository.
    Shared(PathBuf, Option<Workspace>),
    /// A worktree, and below it the directory that the workspace is in its repository.
    Own(Option<Worktree>, PathBuf),
}

/// How a place was before a slice.
pub(crate) struct Before(Option<Snapshot>);

impl Place {
    /// The place that a job asks for, or why it cannot be had.
    pub(crate) fn of(settings: &Settings, claimed: &Claimed) -> Result<Self, String> {
        let workspace = settings.workspace.as_deref().ok_or("The room has no workspace to work in.")?;
        let scratch = Scratch::new(&settings.scratch).map_err(|error| format!("No scratch directory: {error}."))?;
        let asked = claimed.job.meta.get("isolation").and_then(serde_json::Value::as_str);
        let ground = if asked == Some(Isolation::Worktree.as_str()) {
            // The same for each claim: a program may find a conversation by where it was held.
            let name = claimed.id().to_string();
            let tree = Worktree::create(workspace, &settings.worktrees, &name)
                .map_err(|error| format!("It wants a worktree, and that cannot be made: {error}."))?;
            let inside = workspace.strip_prefix(tree.repository()).unwrap_or(Path::new(""));
            let path = tree.path().join(inside);
            Ground::Own(Some(tree), path)
        } else {
            Ground::Shared(workspace.to_owned(), Workspace::at(workspace, scratch.path()).ok())
        };
        Ok(Self { scratch, ground, has_patch: AtomicBool::new(false), left_out: Mutex::default() })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        match &self.ground {
            Ground::Shared(path, _) | Ground::Own(_, path) => path,
        }
    }

    /// How it is now, to tell later what changed.
    pub(crate) fn before(&self) -> Before {
        match &self.ground {
            Ground::Shared(_, Some(workspace)) => Before(workspace.snapshot().ok()),
            Ground::Shared(_, None) | Ground::Own(..) => Before(None),
        }
    }

    /// Puts what the job changed before into its worktree, and tells its agent how that went. In a shared workspace it is there.
    pub(crate) fn restore(&self, prior: &PriorPatch) -> Option<String> {
        let Ground::Own(Some(tree), _) = &self.ground else { return None };
        self.has_patch.store(true, Ordering::Relaxed);
        let reference = &prior.reference;
        let restored = prior.content.as_ref().map_err(Clone::clone).and_then(|(base, patch)| {
            put_patch(tree.path(), self.scratch.path(), base, patch).map_err(|failure| failure.message)
        });
        Some(match restored {
            Ok(0) => format!("Your earlier changes ({reference}) are in the commit that this worktree begins at."),
            Ok(_) => format!(
                "Your earlier changes ({reference}) are in this worktree again, not committed. Go on from them."
            ),
            Err(why) => format!(
                "Your earlier changes are not in this worktree: {why} Look at them with the tool `open` ({reference}), and make \
                 them again where they are still right."
            ),
        })
    }

    /// What changed: since `before`, or in a worktree since it was made. Nothing, where nothing did; an error, where git cannot
    /// tell what became of a worktree.
    pub(crate) fn changes(&self, before: &Before) -> Result<Changes, GitError> {
        let (diff, tree) = match &self.ground {
            Ground::Shared(_, workspace) => (diff_of_shared(workspace.as_ref(), before), None),
            Ground::Own(None, _) => (None, None),
            Ground::Own(Some(tree), _) => (Some(tree.diff(self.scratch.path())?), Some(tree)),
        };
        let left_out =
            diff.as_ref().filter(|_| tree.is_some()).map(|diff| self.untold(&diff.left_out)).unwrap_or_default();
        let Some(diff) = diff.filter(|diff| !diff.is_empty() || self.has_patch.load(Ordering::Relaxed)) else {
            return Ok(Changes { diff: None, left_out });
        };
        let origin = tree.map(|tree| PatchOrigin {
            base: tree.base().to_owned(),
            repository: tree.repository().to_string_lossy().into_owned(),
            cut: diff.was_cut,
            too_large: diff.too_large.clone(),
        });
        self.has_patch.store(true, Ordering::Relaxed);
        let note = diff_note(&diff);
        let mut content = diff.bytes;
        if diff.was_cut {
            content.extend_from_slice(b"\n[there was more, which was not kept]\n");
        }
        content.extend_from_slice(note.as_bytes());
        Ok(Changes { diff: Some(KeptDiff { content, origin }), left_out })
    }

    /// Those of the paths that this is not yet known of: they are left out of the diff of each slice.
    fn untold(&self, paths: &[String]) -> Vec<String> {
        let mut told = self.left_out.lock().unwrap_or_else(PoisonError::into_inner);
        paths.iter().filter(|path| told.insert((*path).clone())).cloned().collect()
    }
}

/// What changed in a shared workspace, where git can tell.
fn diff_of_shared(workspace: Option<&Workspace>, before: &Before) -> Option<Diff> {
    let workspace = workspace?;
    let diff = workspace.diff(before.0.as_ref()?, &workspace.snapshot().ok()?).ok();
    diff.filter(|diff| !diff.is_empty())
}

/// Names the files that changed and have no place in the text, since they were not looked into.
fn diff_note(diff: &Diff) -> String {
    let text = String::from_utf8_lossy(&diff.bytes);
    let is_left_out = |file: &&ChangedFile| file.is_opaque && !text.contains(&format!("b/{}", file.path));
    let left_out: Vec<_> = diff.files.iter().filter(is_left_out).map(|file| file.path.as_str()).collect();
    if left_out.is_empty() {
        return String::new();
    }
    let shown = left_out[..left_out.len().min(NAMES_MAX)].join(", ");
    let more = left_out.len().saturating_sub(NAMES_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("[changed, and not shown because of their size or a filter: {shown}{more}]\n")
}

/// Puts a patch into a fresh worktree, and tells how many files that changed.
fn put_patch(tree: &Path, scratch: &Path, base: &str, patch: &[u8]) -> Result<usize, Failure> {
    if patch.is_empty() {
        return Ok(0);
    }
    let repository = Repository::open(tree, scratch)?;
    Ok(repository.plan(base, patch)?.place()?.keep().files)
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Ground::Own(tree, _) = &mut self.ground
            && let Some(tree) = tree.take()
        {
            // One that cannot be removed now is found by the next runner.
            let _ = tree.remove();
        }
    }
}
