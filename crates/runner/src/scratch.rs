//! Directories of slices: gone when the slice is over, and, if the runner was killed, when the next one starts.
//!
//! Beside each directory is a file that its runner has locked. A lock ends with its process, so a directory whose lock can
//! be had belongs to nobody.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

const LOCK: &str = "lock";

/// A directory of one slice.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
    lock: (PathBuf, File),
}

impl Scratch {
    /// Makes one below `root`, which is made if need be.
    pub(crate) fn new(root: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(root)?;
        loop {
            let marker = tempfile::Builder::new().prefix("slice-").suffix(".lock").tempfile_in(root)?;
            let (file, lock_path) = marker.keep().map_err(|error| error.error)?;
            // A runner that starts may find the file before it is locked, and take it for one that was left behind.
            if !is_ours(&file, &lock_path) {
                continue;
            }
            let path = lock_path.with_extension("");
            DirBuilder::new().mode(0o700).create(&path)?;
            return Ok(Self { path, lock: (lock_path, file) });
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is swept by the next runner.
        let _ = fs::remove_dir_all(&self.path);
        let _ = fs::remove_file(&self.lock.0);
    }
}

/// Removes the directories of runners that are gone, and tells how many.
pub(crate) fn sweep(root: &Path) -> usize {
    let Ok(entries) = fs::read_dir(root) else { return 0 };
    let locks = entries.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some(LOCK.as_ref()));
    locks.filter(|lock| remove(lock).is_ok()).count()
}

/// Takes the lock, and tells whether it was to be had and still is the file's of that name.
fn is_ours(file: &File, path: &Path) -> bool {
    let same = || Some(file.metadata().ok()?.ino() == path.metadata().ok()?.ino());
    file.try_lock().is_ok() && same() == Some(true)
}

fn remove(lock: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(lock)?;
    if !is_ours(&file, lock) {
        return Err(io::Error::other("it is in use"));
    }
    let directory = lock.with_extension("");
    if directory.exists() {
        fs::remove_dir_all(&directory)?;
    }
    fs::remove_file(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slices_directory_goes_with_it_and_one_that_is_left_behind_is_swept() {
        let root = tempfile::tempdir().unwrap();
        let used = Scratch::new(root.path()).unwrap();
        fs::write(used.path().join("x"), "x").unwrap();
        let lost = Scratch::new(root.path()).unwrap();
        let (path, lock) = (lost.path().to_owned(), lost.lock.0.clone());
        fs::write(path.join("x"), "x").unwrap();
        // What a killed runner leaves: the lock is free, and nothing was removed.
        lost.lock.1.unlock().unwrap();
        assert_eq!(sweep(root.path()), 1);
        assert!(!path.exists() && !lock.exists());
        assert!(used.path().join("x").exists());
        let kept = used.path().to_owned();
        drop(used);
        assert!(!kept.exists());
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_directory_that_is_just_being_made_is_not_taken_for_one_that_was_left() {
        let root = tempfile::tempdir().unwrap();
        let made = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !made.load(std::sync::atomic::Ordering::Relaxed) {
                    sweep(root.path());
                }
            });
            let all: Vec<_> = (0..300).map(|_| Scratch::new(root.path())).collect();
            made.store(true, std::sync::atomic::Ordering::Relaxed);
            for scratch in &all {
                let scratch = scratch.as_ref().unwrap();
                assert!(scratch.path().is_dir() && scratch.lock.0.is_file(), "{scratch:?}");
            }
        });
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }
}
