//! Files that are nobody else's business: 0600 whatever the umask, in a directory that is 0700, replaced as a whole.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::Path,
};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use tempfile::NamedTempFile;

const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Makes a directory, and those that it is in.
pub(crate) fn directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path)
}

/// Replaces a file. A reader sees the old text or the new one, and a change is seen as another file.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let parent = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    directory(parent)?;
    // Temporary files are made 0600.
    let mut file = NamedTempFile::new_in(parent)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// Waits for a lock that goes with what is returned.
pub(crate) fn lock(path: &Path) -> io::Result<File> {
    if let Some(parent) = path.parent() {
        directory(parent)?;
    }
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(FILE_MODE).open(path)?;
    file.lock()?;
    Ok(file)
}

/// What went wrong with a file, for whoever asked.
pub(crate) fn failed(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{} cannot be used: {error}.", path.display());
    Failure::new(ErrorCode::StoreUnavailable, message).advising("See that your user may read and write it.")
}
