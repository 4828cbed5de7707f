//! The content of files, read within bounds.

use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::ffi::OsStrExt,
    path::Path,
    time::UNIX_EPOCH,
};

use baton_core::tree::FileState;
use rustix::fs::{Mode, OFlags};

/// Larger files are compared by size and time. A record of 500 such files is read in a fraction of a second.
const READ_BYTES: u64 = 512 * 1024;

/// The content of the file at `path` below `root`.
pub(super) fn state_of(root: &Path, path: &str) -> FileState {
    read(&root.join(path)).unwrap_or_else(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => FileState::deleted(),
        _ => FileState::other(),
    })
}

fn read(path: &Path) -> io::Result<FileState> {
    let found = fs::symlink_metadata(path)?;
    if found.is_symlink() {
        return Ok(FileState::link(fs::read_link(path)?.as_os_str().as_bytes()));
    }
    if found.is_dir() {
        return Ok(FileState::directory());
    }
    if !found.is_file() {
        return Ok(FileState::other());
    }
    // A pipe or a link may have taken the file's place meanwhile: neither is waited for or followed.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    if !found.is_file() {
        return Ok(FileState::other());
    }
    if found.len() > READ_BYTES {
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        return Ok(FileState::large(found.len(), modified.map_or(0, |since| since.as_millis())));
    }
    let mut bytes = Vec::new();
    file.take(READ_BYTES).read_to_end(&mut bytes)?;
    Ok(FileState::content(&bytes))
}
