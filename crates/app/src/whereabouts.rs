//! Which room is meant by a caller who names a path, or nothing at all.

use std::path::Path;

use baton_core::{code::ErrorCode, ids::RoomId};
use baton_store::rooms;

use crate::{App, Caller, Failure, paths};

impl App {
    /// The room of `workspace`, which is a room's id or a path in one. Without it: the room that the caller joined
    /// last on this connection, else that of the job it works on, else the one around the directory it works in.
    pub fn room_for(&self, caller: &Caller, workspace: Option<&str>) -> Result<RoomId, Failure> {
        match workspace {
            // A directory that is called like a room can be written as `./room_…`.
            Some(workspace) => match workspace.parse() {
                Ok(room) => Ok(room),
                Err(_) => self.room_at(caller, Path::new(workspace)),
            },
            None => match caller.room_joined_last().or_else(|| caller.assigned_room().cloned()) {
                Some(room) => Ok(room),
                None if caller.is_from_afar() => {
                    Err(Failure::new(ErrorCode::UnknownRoom, "Nothing says which room is meant.").advising(
                        "Name it with `workspace` (a room_id or an absolute path), or join one with `join_path`.",
                    ))
                }
                None => self.room_at(caller, Path::new(".")),
            },
        }
    }

    /// The room that covers `path`, which may be relative to where the caller works.
    pub fn room_at(&self, caller: &Caller, path: &Path) -> Result<RoomId, Failure> {
        let location = paths::resolve(path, &caller.cwd, self.environment.home())?;
        let found = self.store.read::<_, Failure>(|tx| Ok(rooms::at_paths(tx, &location.ancestors)?))?;
        found.into_iter().next().ok_or_else(|| {
            let message = format!("No room covers {}.", location.canonical_path);
            Failure::new(ErrorCode::UnknownRoom, message).advising("Open one with `join_path`.")
        })
    }
}
