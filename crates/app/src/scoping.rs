//! Where scopes are: a room's root, and paths as callers write them.

use std::path::Path;

use baton_core::{
    agent::StaleAfter,
    code::ErrorCode,
    limits,
    room::Room,
    scope::{Casing, Conventions, PathStyle, ScopePath},
};

use crate::{App, Failure, paths};

/// Says after how many minutes an agent is stale; the second is the contract's name for it.
const STALE_MINUTES: [&str; 2] = ["BATON_STALE_MINUTES", "BB_AGENT_STALE_MINUTES"];

/// How paths are written and compared on this machine.
const fn conventions() -> Conventions {
    if cfg!(windows) {
        Conventions::WINDOWS
    } else if cfg!(target_os = "macos") {
        Conventions { style: PathStyle::Unix, casing: Casing::Folded }
    } else {
        Conventions::UNIX
    }
}

/// Refuses more scopes than anybody can have.
pub(crate) fn require_few(scopes: &[String]) -> Result<(), Failure> {
    if scopes.len() <= limits::SCOPES_OF_AGENT {
        return Ok(());
    }
    let message = format!("scopes must name at most {} paths.", limits::SCOPES_OF_AGENT);
    Err(Failure::new(ErrorCode::InvalidArgs, message).with("field", "scopes"))
}

/// The root of a room, below which its scopes are. A room without a path has the whole file system.
pub(crate) fn root(room: &Room) -> Result<ScopePath, Failure> {
    let path = room.canonical_path.as_deref().unwrap_or("/");
    ScopePath::root(path, conventions()).map_err(|error| crate::app::internal(format!("the room's path: {error}")))
}

impl App {
    /// After how long an agent is stale: as the environment says, else the contract's 15 minutes.
    pub(crate) fn stale_after(&self) -> Result<StaleAfter, Failure> {
        let set = STALE_MINUTES.into_iter().find(|name| self.environment.var_os(name).is_some());
        let Some(name) = set else { return Ok(StaleAfter::default()) };
        let minutes = self.environment.var(name).and_then(|text| text.trim().parse().ok());
        minutes.and_then(StaleAfter::minutes).ok_or_else(|| {
            let (least, most) = limits::STALE_MINUTES.into_inner();
            Failure::new(ErrorCode::InvalidArgs, format!("{name} must be a whole number from {least} to {most}."))
                .with("field", name)
                .advising(format!("Correct {name}, or unset it to have 15 minutes."))
        })
    }

    /// The setting, or its default where it makes no sense: that is told to people who list agents, and stops nobody else.
    pub(crate) fn stale_after_or_default(&self) -> StaleAfter {
        self.stale_after().unwrap_or_default()
    }

    /// A scope as an agent writes it: relative to the room's root, or absolute and in the room (or around it).
    pub(crate) fn scope_path(&self, root: &ScopePath, field: &str, text: &str) -> Result<ScopePath, Failure> {
        let text = self.in_room(text);
        let path = ScopePath::scope(&text, root).map_err(|error| invalid(field, &error))?;
        require_inside(root, path, field)
    }

    /// A concrete path, such as git tells them. One that lies elsewhere is nobody's scope.
    pub(crate) fn file_path(&self, root: &ScopePath, field: &str, text: &str) -> Result<Option<ScopePath>, Failure> {
        let text = self.in_room(text);
        let path = ScopePath::file(&text, root).map_err(|error| invalid(field, &error))?;
        Ok(Some(path).filter(|path| root.contains(path) || path.contains(root)))
    }

    /// An absolute path as the room has it: linked worktrees share the room of the main one.
    fn in_room(&self, text: &str) -> String {
        let path = Path::new(text);
        if !path.is_absolute() || text.contains('\0') {
            return text.to_owned();
        }
        // A wildcard at the end is not part of the path.
        let (path, rest) = match text.rsplit_once('/') {
            Some((directory, last @ ("*" | "**"))) if !directory.is_empty() => (Path::new(directory), Some(last)),
            _ => (path, None),
        };
        let mapped = paths::in_main_worktree(path, self.environment.home());
        let mapped = mapped.to_str().map_or_else(|| path.to_string_lossy().into_owned(), str::to_owned);
        match rest {
            Some(wildcard) => format!("{}/{wildcard}", mapped.trim_end_matches('/')),
            None => mapped,
        }
    }
}

fn require_inside(root: &ScopePath, path: ScopePath, field: &str) -> Result<ScopePath, Failure> {
    if root.contains(&path) || path.contains(root) {
        return Ok(path);
    }
    let message = format!("{} lies outside the room, which is at {}.", path.shown(root), root.shown(&path));
    Err(Failure::new(ErrorCode::InvalidArgs, message)
        .with("field", field)
        .advising("Give a path inside the room, relative to its root; another workspace has a room of its own."))
}

fn invalid(field: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::InvalidArgs, format!("{error}.")).with("field", field)
}
