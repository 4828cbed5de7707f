//! Content by its hash, in files that only their owner reads.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, Permissions},
    io::{self, Read, Seek, SeekFrom, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use sha2::{Digest, Sha256};

const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The files of one data directory.
pub(super) struct Files {
    root: PathBuf,
}

impl Files {
    pub(super) fn below(data: &Path) -> Self {
        Self { root: data.join("artifacts") }
    }

    /// Where the content with this hash is: `ab/abcdef…`. Hashes are hex and come from here or from the log, where nothing
    /// else is stored; one that is none leads nowhere, and above all not out of the directory.
    fn path(&self, sha256: &str) -> Option<PathBuf> {
        let is_hash = sha256.len() == 64 && sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        is_hash.then(|| self.root.join(&sha256[..2]).join(sha256))
    }

    /// Keeps `content`, whose hash it gives. What is there already is left as it is. Once this is back, it survives a crash
    /// of the machine.
    pub(super) fn keep(&self, content: &[u8]) -> io::Result<String> {
        let sha256 = hash(content);
        let path = self.path(&sha256).ok_or(io::ErrorKind::InvalidInput)?;
        if fs::metadata(&path).is_ok_and(|found| found.len() == content.len() as u64) {
            return Ok(sha256);
        }
        let directory = path.parent().unwrap_or(&self.root);
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

    /// How much there is of the content with this hash, and `most` bytes of it from `from`. Nothing, if it is not here.
    pub(super) fn read(&self, sha256: &str, from: u64, most: usize) -> io::Result<Option<(u64, Vec<u8>)>> {
        let Some(path) = self.path(sha256) else { return Ok(None) };
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let bytes = file.metadata()?.len();
        file.seek(SeekFrom::Start(from))?;
        let mut content = Vec::new();
        file.take(most as u64).read_to_end(&mut content)?;
        Ok(Some((bytes, content)))
    }
}

/// The hash of some content, in hex.
pub(super) fn hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
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

fn private_directory(path: &Path) -> io::Result<()> {
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
        let files = Files::below(directory.path());
        (directory, files)
    }

    #[test]
    fn content_is_kept_under_its_hash_for_its_owner_only() {
        let (directory, files) = files();
        let sha256 = files.keep(b"hello").unwrap();
        let path = directory.path().join("artifacts").join(&sha256[..2]).join(&sha256);
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
    fn what_was_cut_short_behind_our_back_is_written_again() {
        let (directory, files) = files();
        let sha256 = files.keep(b"hello").unwrap();
        fs::write(directory.path().join("artifacts").join(&sha256[..2]).join(&sha256), b"he").unwrap();
        assert_eq!(files.read(&sha256, 0, 9).unwrap(), Some((2, b"he".to_vec())));
        files.keep(b"hello").unwrap();
        assert_eq!(files.read(&sha256, 0, 9).unwrap(), Some((5, b"hello".to_vec())));
    }

    #[test]
    fn a_part_of_it_is_read_and_what_is_no_hash_leads_nowhere() {
        let (_directory, files) = files();
        let sha256 = files.keep(b"0123456789").unwrap();
        assert_eq!(files.read(&sha256, 3, 4).unwrap(), Some((10, b"3456".to_vec())));
        assert_eq!(files.read(&sha256, 99, 4).unwrap(), Some((10, Vec::new())));
        for elsewhere in ["../../etc/passwd", "", "ab", &"g".repeat(64), &hash(b"never kept")] {
            assert_eq!(files.read(elsewhere, 0, 9).unwrap(), None, "{elsewhere}");
        }
    }
}
