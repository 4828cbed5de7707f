//! Content by its hash, in files that only their owner reads.
//!
//! Each store has a directory of its own below the data directory (`artifacts/store-…`), so that what one of them gives up
//! is not another one's. What is read is found by its hash wherever it is: also among the files of another store, and in
//! `artifacts` itself, where everything was kept before. Nothing of that is ever removed, because it cannot be told whose
//! it is.
//!
//! Files are in directories by the first two digits of their hash, and each of those has a lock. Whoever keeps a file shares
//! it until the file is on record, and whoever removes files has it alone: so a file that is not on record, and whose lock
//! nobody shares, is nobody's.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError},
    io::{self, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    time::SystemTime,
};

use sha2::{Digest, Sha256};

const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
/// How the directories of stores begin.
const STORE: &str = "store-";
const LOCKS: &str = "locks";

/// The files of one store.
pub(crate) struct Files {
    /// Where the files of all stores are.
    all: PathBuf,
    /// Where those of this store are.
    own: PathBuf,
}

/// What was found of some content.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// All of it.
    Whole(Vec<u8>),
    /// A file of that name, with something else in it.
    Changed,
    /// No such file.
    Nowhere,
}

/// A file in one of the directories.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) modified: SystemTime,
}

impl Entry {
    /// Whether it is content, and not a draft of it.
    pub(super) fn is_content(&self) -> bool {
        is_hash(&self.name)
    }

    /// Whether it is a draft.
    pub(super) fn is_draft(&self) -> bool {
        self.name.starts_with('.')
    }
}

/// The right to rely on the files with one beginning, or to remove some of them, until it is dropped.
#[derive(Debug)]
pub(super) struct Hold {
    _lock: File,
}

impl Files {
    /// The files of the store called `store` in a data directory.
    pub(crate) fn below(data: &Path, store: &str) -> Self {
        let all = data.join("artifacts");
        Self { own: all.join(format!("{STORE}{store}")), all }
    }

    /// Where the ends of what programs print are, while they do.
    pub(super) fn tails(&self) -> PathBuf {
        self.own.join("tails")
    }

    /// Keeps `content`, whose hash it gives. What is there already is left as it is. Once this is back, it survives a crash
    /// of the machine.
    pub(super) fn keep(&self, content: &[u8]) -> io::Result<String> {
        let sha256 = hash(content);
        let path = place(&self.own, &sha256).ok_or(io::ErrorKind::InvalidInput)?;
        if fs::read(&path).is_ok_and(|found| found == content) {
            return Ok(sha256);
        }
        let directory = path.parent().unwrap_or(&self.own);
        private_directory(directory)?;
        let (mut file, draft) = draft(directory)?;
        let written = file.write_all(content).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&draft, &path));
        if written.is_err() {
            // What is left of it would only be litter; that it cannot be written is told either way.
            let _ = fs::remove_file(&draft);
        }
        written?;
        // The name is in the directory, and must be on the disk too.
        File::open(directory)?.sync_all()?;
        Ok(sha256)
    }

    /// All of the content with this hash and length. A file is never trusted for its name.
    pub(super) fn read(&self, sha256: &str, bytes: u64) -> io::Result<Found> {
        let mut found = Found::Nowhere;
        for root in self.roots()? {
            let Some(path) = place(&root, sha256) else { return Ok(Found::Nowhere) };
            let file = match File::open(path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let mut content = Vec::new();
            file.take(bytes.saturating_add(1)).read_to_end(&mut content)?;
            if content.len() as u64 == bytes && hash(&content) == sha256 {
                return Ok(Found::Whole(content));
            }
            found = Found::Changed;
        }
        Ok(found)
    }

    /// Where content may be: this store's files, those that were kept before stores had their own, and other stores'.
    fn roots(&self) -> io::Result<Vec<PathBuf>> {
        let mut others = Vec::new();
        for name in names(&self.all)?.into_iter().filter(|name| name.starts_with(STORE)) {
            others.push(self.all.join(name));
        }
        others.retain(|other| *other != self.own);
        others.sort();
        Ok([self.own.clone(), self.all.clone()].into_iter().chain(others).collect())
    }

    /// Sees to it that content with this hash is not removed until the hold is dropped.
    pub(super) fn hold(&self, sha256: &str) -> io::Result<Hold> {
        let lock = self.lock(sha256.get(..2).ok_or(io::ErrorKind::InvalidInput)?)?;
        lock.lock_shared()?;
        Ok(Hold { _lock: lock })
    }

    /// Becomes the only one that relies on the files of one directory. Nothing, while somebody else does.
    pub(super) fn alone(&self, directory: &str) -> io::Result<Option<Hold>> {
        let lock = self.lock(directory)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Hold { _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    fn lock(&self, directory: &str) -> io::Result<File> {
        let locks = self.own.join(LOCKS);
        private_directory(&locks)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(FILE_MODE);
        options.open(locks.join(directory))
    }

    /// The directories of this store, in their order.
    pub(super) fn directories(&self) -> io::Result<Vec<String>> {
        let mut found = names(&self.own)?;
        found.retain(|name| name.len() == 2);
        found.sort();
        Ok(found)
    }

    /// The files in one of them, in their order. What goes meanwhile is left out.
    pub(super) fn entries(&self, directory: &str) -> io::Result<Vec<Entry>> {
        let directory = self.own.join(directory);
        let mut found = Vec::new();
        for name in names(&directory)? {
            let path = directory.join(&name);
            let Ok(metadata) = fs::metadata(&path) else { continue };
            if metadata.is_file() {
                found.push(Entry { name, path, bytes: metadata.len(), modified: metadata.modified()? });
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    /// The time by the clock that files are dated with.
    pub(super) fn now(&self) -> io::Result<SystemTime> {
        let (file, path) = draft(&self.own)?;
        let modified = file.metadata().and_then(|metadata| metadata.modified());
        fs::remove_file(path)?;
        modified
    }
}

/// The hash of some content, in hex.
pub(crate) fn hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Where the content with this hash is below `root`: `ab/abcdef…`. Hashes are hex and come from here or from the log, where
/// nothing else is stored; one that is none leads nowhere, and above all not out of the directory.
fn place(root: &Path, sha256: &str) -> Option<PathBuf> {
    is_hash(sha256).then(|| root.join(&sha256[..2]).join(sha256))
}

/// What is in a directory, less what has no name that we would give. A directory that is not there is empty.
fn names(directory: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        found.extend(entry?.file_name().into_string());
    }
    Ok(found)
}

/// A fresh file in `directory` under a name that nobody looks for.
fn draft(directory: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!(".{}-{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&path) {
            Ok(file) => {
                // The umask may have taken away what we need ourselves.
                file.set_permissions(Permissions::from_mode(FILE_MODE))?;
                return Ok((file, path));
            }
            // Left behind by a process of the same number that was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

pub(super) fn private_directory(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(DIRECTORY_MODE))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn files() -> (tempfile::TempDir, Files) {
        let directory = tempfile::tempdir().unwrap();
        let files = Files::below(directory.path(), "one");
        (directory, files)
    }

    fn whole(content: &[u8]) -> Found {
        Found::Whole(content.to_vec())
    }

    #[test]
    fn content_is_kept_under_its_hash_for_its_owner_only() {
        let (directory, files) = files();
        let sha256 = files.keep(b"hello").unwrap();
        let path = directory.path().join("artifacts/store-one").join(&sha256[..2]).join(&sha256);
        assert_eq!((fs::read(&path).unwrap(), hash(b"hello")), (b"hello".to_vec(), sha256.clone()));
        let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        let inode = fs::metadata(&path).unwrap().ino();
        assert_eq!(files.keep(b"hello").unwrap(), sha256);
        assert_eq!(fs::metadata(&path).unwrap().ino(), inode, "what is there is not written again");
        let entries = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(entries, 1, "no draft stays behind");
    }

    #[test]
    fn what_was_changed_behind_our_back_is_noticed_and_written_again() {
        let (directory, files) = files();
        let sha256 = files.keep(b"hello").unwrap();
        for changed in ["he", "hell0", "hello!"] {
            fs::write(directory.path().join("artifacts/store-one").join(&sha256[..2]).join(&sha256), changed).unwrap();
            assert_eq!(files.read(&sha256, 5).unwrap(), Found::Changed, "{changed}");
            files.keep(b"hello").unwrap();
            assert_eq!(files.read(&sha256, 5).unwrap(), whole(b"hello"));
        }
    }

    #[test]
    fn content_is_found_in_the_old_place_and_with_another_store_but_never_for_its_name_alone() {
        let (directory, files) = files();
        let old = directory.path().join("artifacts");
        for (root, content) in [(old.clone(), "old"), (old.join("store-two"), "other")] {
            let path = place(&root, &hash(content.as_bytes())).unwrap();
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, content).unwrap();
            assert_eq!(files.read(&hash(content.as_bytes()), content.len() as u64).unwrap(), whole(content.as_bytes()));
        }
        let damaged = place(&files.own, &hash(b"old")).unwrap();
        fs::create_dir_all(damaged.parent().unwrap()).unwrap();
        fs::write(damaged, "0ld").unwrap();
        assert_eq!(files.read(&hash(b"old"), 3).unwrap(), whole(b"old"), "another copy is whole");
        for elsewhere in ["../../etc/passwd", "", "ab", &"g".repeat(64), &hash(b"never kept")] {
            assert_eq!(files.read(elsewhere, 9).unwrap(), Found::Nowhere, "{elsewhere}");
        }
    }

    #[test]
    fn nobody_is_alone_with_files_that_another_relies_on() {
        let (_directory, files) = files();
        let sha256 = files.keep(b"hello").unwrap();
        let [one, two] = [(); 2].map(|()| files.hold(&sha256).unwrap());
        assert!(files.alone(&sha256[..2]).unwrap().is_none());
        drop(one);
        assert!(files.alone(&sha256[..2]).unwrap().is_none());
        drop(two);
        assert!(files.alone(&sha256[..2]).unwrap().is_some());
    }
}
