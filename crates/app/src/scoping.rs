//! Where scopes are: a room's root, and paths as callers write them.

use std::path::{Path, PathBuf};

use baton_core::{
    agent::StaleAfter,
    code::ErrorCode,
    ids::RoomId,
    limits,
    redact::redact,
    room::Room,
    scope::{Casing, Conventions, PathStyle, ScopePath},
};

use crate::{
    App, Failure,
    paths::{self, LastLink},
};

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

    /// Scopes as an agent writes them for a room. Called before a change begins: links are followed on a disk that may not
    /// answer, and nobody else is to wait for that.
    pub(crate) fn scope_paths(&self, room: &RoomId, field: &str, texts: &[String]) -> Result<Vec<ScopePath>, Failure> {
        Ok(self.scopes_from(room, field, texts)?.1)
    }

    /// Scopes as they are stored, from the room's root; called before a change begins, too.
    pub(crate) fn stored_scopes(&self, room: &RoomId, field: &str, texts: &[String]) -> Result<Vec<String>, Failure> {
        let (root, paths) = self.scopes_from(room, field, texts)?;
        Ok(paths.iter().map(|path| path.shown(&root)).collect())
    }

    fn scopes_from(
        &self,
        room: &RoomId,
        field: &str,
        texts: &[String],
    ) -> Result<(ScopePath, Vec<ScopePath>), Failure> {
        let root = root(&self.store.read(|tx| self.room(tx, room))?)?;
        let paths = texts.iter().map(|text| self.scope_path(&root, field, text)).collect::<Result<_, _>>()?;
        Ok((root, paths))
    }

    /// A scope as an agent writes it: relative to the room's root, or absolute and in the room. A directory is the same
    /// place under the names of all links that lead to it.
    pub(crate) fn scope_path(&self, root: &ScopePath, field: &str, text: &str) -> Result<ScopePath, Failure> {
        require_plain(field, text)?;
        let written = ScopePath::scope(text, root).map_err(|error| invalid(field, &error))?;
        let path = match self.on_disk(root, &written, is_absolute(text), LastLink::Followed) {
            Some(place) if written.is_wildcard() => ScopePath::scope(&format!("{place}/*"), root),
            Some(place) => ScopePath::scope(&place, root),
            None => return require_inside(root, &written, written.clone(), field),
        };
        require_inside(root, &written, path.map_err(|error| invalid(field, &error))?, field)
    }

    /// A path that somebody is about to write to.
    pub(crate) fn written_path(&self, root: &ScopePath, field: &str, text: &str) -> Result<ScopePath, Failure> {
        let (written, path) = self.file(root, field, text, LastLink::Followed)?;
        require_inside(root, &written, path, field)
    }

    /// A path as git tells it. One that lies elsewhere is nobody's scope.
    pub(crate) fn committed_path(
        &self,
        root: &ScopePath,
        field: &str,
        text: &str,
    ) -> Result<Option<ScopePath>, Failure> {
        let (_, path) = self.file(root, field, text, LastLink::Kept)?;
        Ok(Some(path).filter(|path| root.contains(path) || path.contains(root)))
    }

    /// A concrete path, as it was written and where it is.
    fn file(
        &self,
        root: &ScopePath,
        field: &str,
        text: &str,
        last: LastLink,
    ) -> Result<(ScopePath, ScopePath), Failure> {
        let read = |text: &str| ScopePath::file(text, root).map_err(|error| invalid(field, &error));
        let written = read(text)?;
        let place = self.on_disk(root, &written, is_absolute(text), last);
        let path = place.map_or_else(|| Ok(written.clone()), |place| read(&place))?;
        Ok((written, path))
    }

    /// Where a path is, if that is not where it says: links are followed, and linked worktrees share the room of the main
    /// one. Below the room's root it is told from there, because the root may be reached by a link on this machine.
    fn on_disk(&self, root: &ScopePath, written: &ScopePath, absolute: bool, last: LastLink) -> Option<String> {
        // Scopes of a room without a path are names and not places.
        if root.is_anchor() {
            return None;
        }
        let (from, root) = (PathBuf::from(written.absolute()), PathBuf::from(root.absolute()));
        let mut place = paths::followed(&from, last);
        let real_root = paths::followed(&root, LastLink::Followed);
        if absolute || !place.starts_with(&real_root) {
            place = paths::in_main_worktree(&place, self.environment.home(), last);
        }
        if place == from {
            return None;
        }
        let below = place.strip_prefix(&real_root).or_else(|_| place.strip_prefix(&root));
        let place = below.map_or_else(|_| place.clone(), |below| Path::new(".").join(below));
        Some(place.to_string_lossy().into_owned())
    }
}

/// A path as an answer repeats it. A text that looks like a secret is told without it: reading it as a path may have taken
/// away what it is known by.
pub(crate) fn repeated(path: &ScopePath, root: &ScopePath, text: &str) -> String {
    match redact(text) {
        said if said != text => said.into_owned(),
        _ => redact(&path.shown(root)).into_owned(),
    }
}

/// Refuses a scope that begins like a place elsewhere, and would be reserved in the room under that name.
fn require_plain(field: &str, text: &str) -> Result<(), Failure> {
    let write = "Write the path itself, from the room's root or absolute";
    let begins = |head: &str, why: &str| invalid(field, &format!("scope {text:?} begins with {head}, {why}. {write}"));
    let mut chars = text.chars();
    let is_drive = chars.next().is_some_and(|c| c.is_ascii_alphabetic()) && chars.as_str().starts_with([':']);
    match conventions().style {
        _ if text.starts_with("~/") => Err(begins("\"~\"", "which only a shell reads")),
        PathStyle::Unix if is_drive && chars.as_str()[1..].starts_with(['/', '\\']) => {
            Err(begins("the letter of a drive", "and there are none here"))
        }
        PathStyle::Unix | PathStyle::Windows => Ok(()),
    }
}

/// Whether a text says where it starts itself.
fn is_absolute(text: &str) -> bool {
    text.starts_with(['/', '\\']) || Path::new(text).is_absolute()
}

/// Refuses a path that leads out of the room. `/` is everything, and so has all of the room in it.
fn require_inside(root: &ScopePath, written: &ScopePath, path: ScopePath, field: &str) -> Result<ScopePath, Failure> {
    if root.contains(&path) || (path.is_anchor() && path.contains(root)) {
        return Ok(path);
    }
    let (shown, at) = (path.shown(root), root.absolute());
    let message = if *written == path {
        format!("{shown} lies outside the room, which is at {at}.")
    } else {
        format!("{} leads to {shown}, which lies outside the room at {at}.", written.shown(root))
    };
    Err(Failure::new(ErrorCode::InvalidArgs, message)
        .with("field", field)
        .advising("Give a path inside the room, relative to its root; another workspace has a room of its own."))
}

fn invalid(field: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::InvalidArgs, format!("{error}.")).with("field", field)
}
