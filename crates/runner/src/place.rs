//! Where a job works: in the workspace, or in a worktree of its own.

use std::path::{Path, PathBuf};

use baton_core::job::Isolation;

use crate::{
    desk::Claimed,
    scratch::Scratch,
    settings::Settings,
    workspace::{Snapshot, Workspace, Worktree},
};

/// A place to work in. A worktree is removed with it; its diff was kept after each slice.
pub(crate) struct Place {
    scratch: Scratch,
    ground: Ground,
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
            let name = format!("{}-{}", claimed.id(), claimed.revision());
            let tree = Worktree::create(workspace, &settings.worktrees, &name)
                .map_err(|error| format!("It wants a worktree, and that cannot be made: {error}."))?;
            let inside = workspace.strip_prefix(tree.repository()).unwrap_or(Path::new(""));
            let path = tree.path().join(inside);
            Ground::Own(Some(tree), path)
        } else {
            Ground::Shared(workspace.to_owned(), Workspace::at(workspace, scratch.path()).ok())
        };
        Ok(Self { scratch, ground })
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

    /// What changed: since `before`, or in a worktree since it was made. Nothing, where nothing did or git cannot tell.
    pub(crate) fn diff(&self, before: &Before) -> Option<String> {
        let diff = match &self.ground {
            Ground::Shared(_, workspace) => {
                let workspace = workspace.as_ref()?;
                workspace.diff(before.0.as_ref()?, &workspace.snapshot().ok()?)
            }
            Ground::Own(tree, _) => tree.as_ref()?.diff(self.scratch.path()),
        };
        let diff = diff.ok().filter(|diff| !diff.is_empty())?;
        let cut = if diff.was_cut { "\n[there was more, which was not kept]\n" } else { "" };
        Some(diff.text + cut)
    }
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
