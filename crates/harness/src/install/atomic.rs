//! Replacing a file as a whole: a reader sees the old text or the new one, and a crash leaves one of them.
//!
//! The new text is written beside the file, synced, given the file's mode and owner, and renamed over it. A symbolic
//! link is followed first: many people keep their configuration in a repository and link to it.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

/// As many links as the kernel itself follows.
const LINKS_MAX: usize = 40;
const NEW_DIRECTORY_MODE: u32 = 0o700;

/// The file that a path stands for once links are followed. It need not exist.
pub(crate) fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
            // Not a link, or not there: this is the file.
            Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(path);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Replaces the file, or creates it with `new_mode`, and its directories with it.
pub(crate) fn write(path: &Path, text: &str, new_mode: u32) -> io::Result<()> {
    let path = resolve(path)?;
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(NEW_DIRECTORY_MODE).create(directory)?;
    let temporary = temporary_path(&path, directory)?;
    let written = write_temporary(&temporary, &path, text, new_mode).and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // The first failure is the one to tell; a leftover here would only be litter.
        let _ = fs::remove_file(&temporary);
    }
    written?;
    sync_directory(directory);
    Ok(())
}

/// Removes a file, and the directories above it that are empty then, up to one of those that are kept. A link to it is the
/// person's, and stays.
pub(crate) fn remove(path: &Path, kept: &[PathBuf]) -> io::Result<()> {
    let path = resolve(path)?;
    fs::remove_file(&path)?;
    for directory in path.ancestors().skip(1).take_while(|directory| !kept.iter().any(|kept| kept == directory)) {
        // A directory with something else in it stays, and that is no failure.
        if fs::remove_dir(directory).is_err() {
            break;
        }
    }
    Ok(())
}

fn temporary_path(path: &Path, directory: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(format!(".baton-{}", std::process::id()));
    let temporary = directory.join(temporary);
    // Whoever had our process id before us is gone, and left this behind.
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(temporary),
    }
}

fn write_temporary(temporary: &Path, original: &Path, text: &str, new_mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(temporary)?;
    file.write_all(text.as_bytes())?;
    match fs::metadata(original) {
        Ok(old) => keep_owner_and_mode(&file, &old)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            file.set_permissions(fs::Permissions::from_mode(new_mode))?;
        }
        Err(error) => return Err(error),
    }
    file.sync_all()
}

fn keep_owner_and_mode(file: &File, old: &fs::Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
        // Only root may give a file away. For anyone else the new file is theirs, as it is after any editor.
        let owner = rustix::fs::Uid::from_raw(old.uid());
        let group = rustix::fs::Gid::from_raw(old.gid());
        let _ = rustix::fs::fchown(file, Some(owner), Some(group));
    }
    file.set_permissions(fs::Permissions::from_mode(old.mode() & 0o7777))
}

/// Makes the rename last. The new text is in place already, so a filesystem that cannot do this is no failure.
fn sync_directory(directory: &Path) {
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
}
