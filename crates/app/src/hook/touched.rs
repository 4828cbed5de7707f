//! The rooms that a tool call touches: those around the paths that it writes, and those below what it sweeps away.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Component, Path, PathBuf},
};

use baton_core::{
    guard::{ShellEffect, read_shell},
    ids::RoomId,
};
use baton_store::rooms;

use super::guard::ToolUse;
use crate::{
    App, Caller, Failure,
    paths::{self, LastLink},
};

/// Rooms below one directory that are asked. More of them below one directory is a command on a whole disk.
const ROOMS_BELOW: u32 = 64;

/// The part of a tool call that is about one room.
#[derive(Default)]
pub(super) struct Touched {
    /// Files that are written, with links followed where the content goes through them.
    pub(super) paths: BTreeSet<PathBuf>,
    /// The index or the branch of its repository moves.
    pub(super) index: bool,
    /// There may be more.
    pub(super) unread: bool,
}

/// The rooms of a tool call, outer ones before those inside of them.
pub(super) struct TouchedRooms<'a> {
    app: &'a App,
    caller: &'a Caller,
    found: BTreeMap<RoomId, Touched>,
    /// Rooms around directories, since an edit may have thousands of files in a few of them.
    around: HashMap<PathBuf, Option<RoomId>>,
}

impl<'a> TouchedRooms<'a> {
    pub(super) fn of(
        app: &'a App,
        caller: &'a Caller,
        tool: &ToolUse,
    ) -> Result<impl Iterator<Item = (RoomId, Touched)>, Failure> {
        let mut rooms = Self { app, caller, found: BTreeMap::new(), around: HashMap::new() };
        match tool {
            ToolUse::Edit(files) => files.iter().try_for_each(|file| rooms.edit(file))?,
            ToolUse::Shell(command) => rooms.run(command)?,
        }
        rooms.outer_first()
    }

    /// The content of an edited file goes to where a link leads; the link stays.
    fn edit(&mut self, file: &str) -> Result<(), Failure> {
        let path = paths::followed(&self.caller.cwd.join(file), LastLink::Followed);
        let directory = path.parent().unwrap_or(&path).to_owned();
        if let Some(room) = self.around(&directory)? {
            self.found.entry(room).or_default().paths.insert(path);
        }
        Ok(())
    }

    fn run(&mut self, command: &str) -> Result<(), Failure> {
        let read = read_shell(command);
        if read.effect == ShellEffect::Reads {
            return Ok(());
        }
        // Plain writes elsewhere say nothing about the rest of a command that could not be read whole.
        if read.is_partial || read.effect == ShellEffect::Unknown {
            let here = paths::followed(&self.caller.cwd, LastLink::Followed);
            let rooms = self.around(&here)?.into_iter().chain(self.below(&here)?.into_iter().map(|(room, _)| room));
            for room in rooms.collect::<Vec<_>>() {
                self.found.entry(room).or_default().unread = true;
            }
        }
        for tree in read.trees {
            self.sweep(paths::followed(&self.caller.cwd.join(tree), LastLink::Followed))?;
        }
        for index in read.indexes {
            let directory = paths::followed(&self.caller.cwd.join(index), LastLink::Followed);
            if let Some(room) = self.around(&directory)? {
                self.found.entry(room).or_default().index = true;
            }
        }
        for path in read.writes {
            // A command may write through a link or remove the link itself.
            let path = self.caller.cwd.join(path);
            for last in [LastLink::Kept, LastLink::Followed] {
                self.sweep(paths::followed(&path, last))?;
            }
        }
        Ok(())
    }

    /// A path that is written or removed, with all that lies below it.
    fn sweep(&mut self, path: PathBuf) -> Result<(), Failure> {
        for (room, root) in self.below(literal_part(&path))? {
            self.found.entry(room).or_default().paths.insert(root.into());
        }
        // A link that is not followed is a file of the directory that it is in.
        let place = path.parent().filter(|_| path.is_symlink()).unwrap_or(&path).to_owned();
        if let Some(room) = self.around(&place)? {
            self.found.entry(room).or_default().paths.insert(path);
        }
        Ok(())
    }

    fn around(&mut self, directory: &Path) -> Result<Option<RoomId>, Failure> {
        if let Some(known) = self.around.get(directory) {
            return Ok(known.clone());
        }
        let room = self.app.room_around(self.caller, directory)?;
        self.around.insert(directory.to_owned(), room.clone());
        Ok(room)
    }

    fn below(&self, directory: &Path) -> Result<Vec<(RoomId, String)>, Failure> {
        match directory.to_str().filter(|_| directory.is_dir()) {
            Some(directory) => Ok(self.app.store.read(|tx| rooms::below(tx, directory, ROOMS_BELOW))?),
            None => Ok(Vec::new()),
        }
    }

    /// A room that is inside another one has the longer path, and is covered by what is decided about that one.
    fn outer_first(self) -> Result<impl Iterator<Item = (RoomId, Touched)>, Failure> {
        let mut found = Vec::new();
        for (room, touched) in self.found {
            found.push((self.app.room_path(&room)?.map_or(0, |path| path.len()), room, touched));
        }
        found.sort_by_key(|(length, ..)| *length);
        Ok(found.into_iter().map(|(_, room, touched)| (room, touched)))
    }
}

/// The directories of a path before the first name that a shell expands.
fn literal_part(path: &Path) -> &Path {
    let is_pattern =
        |part: Component<'_>| part.as_os_str().as_encoded_bytes().iter().any(|byte| b"*?[{".contains(byte));
    path.ancestors().find(|part| !part.components().any(is_pattern)).unwrap_or(path)
}
