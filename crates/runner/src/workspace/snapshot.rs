//! How a working tree looks at a moment.
//!
//! A snapshot is a git tree of all files that are tracked or could be, with their content as it is on disk. Its index
//! begins as a copy of the user's, so that only what changed since has to be read; its objects are in the scratch
//! directory, behind which git sees those of the repository.
//!
//! Filters do not run, so the content of a file that the user's checkout has filtered (Git LFS) cannot be compared with
//! what is committed. Such a file is treated as one that is too large: that it changed is seen by size and time.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::{OsStr, OsString},
    fs::{self, OpenOptions},
    io,
    os::unix::{
        ffi::{OsStrExt, OsStringExt},
        fs::MetadataExt,
    },
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

use super::{
    GitError,
    git::{Git, fields, path},
};

/// Files that are larger are not looked into; that they changed is seen by size and time.
pub const LARGE_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// A working tree of which snapshots can be taken.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The top of the working tree.
    pub(super) top: PathBuf,
    /// Where the user's index is. There need not be one.
    index: PathBuf,
    /// What is ours: an index for each snapshot, and the objects.
    scratch: PathBuf,
    alternates: OsString,
    /// The filters by which files of this working tree may differ from what is committed.
    filters: BTreeSet<OsString>,
}

/// The working tree at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pub(super) tree: String,
    /// Files that were not looked into, by size and time of change.
    pub(super) large: BTreeMap<PathBuf, (u64, i64, i64)>,
    /// Repositories inside this one and files that cannot be read: their content is not in the tree.
    pub(super) left_out: BTreeSet<PathBuf>,
}

impl Workspace {
    /// The working tree around `directory`. `scratch` is a directory of ours, which exists.
    pub fn at(directory: &Path, scratch: &Path) -> Result<Self, GitError> {
        let ask = |words: &[&str]| Git::at(directory).args(["rev-parse", "--path-format=absolute"]).args(words).line();
        let top = PathBuf::from(ask(&["--show-toplevel"])?);
        if top.as_os_str().is_empty() {
            return Err(GitError::NoRepository(directory.to_owned()));
        }
        let scratch = scratch.canonicalize().map_err(GitError::file(scratch))?;
        let objects = scratch.join("objects");
        fs::create_dir_all(&objects).map_err(GitError::file(&objects))?;
        Ok(Self {
            top,
            index: ask(&["--git-path", "index"])?.into(),
            scratch,
            alternates: quoted(&ask(&["--git-path", "objects"])?),
            filters: baton_app::git::filters(directory).map_err(GitError::NotRun)?,
        })
    }

    /// The same for a working tree that was checked out without filters: its files are what is committed.
    pub(super) fn unfiltered(directory: &Path, scratch: &Path) -> Result<Self, GitError> {
        Ok(Self { filters: BTreeSet::new(), ..Self::at(directory, scratch)? })
    }

    /// The top of the working tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Takes a snapshot.
    pub fn snapshot(&self) -> Result<Snapshot, GitError> {
        let index = self.scratch.join("index");
        match copy(&self.index, &index) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(GitError::file(&self.index)(error)),
            Ok(()) => {}
            // A repository in which nothing was ever added.
            Err(_) => drop(fs::remove_file(&index)),
        }
        let git = || self.git().env("GIT_INDEX_FILE", &index);
        let listed = git().args(["ls-files", "-z", "--modified", "--others", "--exclude-standard"]).whole()?;
        let (mut small, mut large, mut left_out) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
        let filtered = self.filtered(&listed)?;
        for name in fields(&listed) {
            match self.look(name, filtered.contains(name)) {
                Look::Take => small.extend_from_slice(&[name, b"\0"].concat()),
                Look::Large(size, seconds, nanoseconds) => {
                    large.insert(path(name).to_owned(), (size, seconds, nanoseconds));
                }
                Look::LeaveOut => {
                    left_out.insert(path(name).to_owned());
                }
                Look::Ignore => {}
            }
        }
        git().args(["update-index", "--add", "--remove", "-z", "--stdin"]).input(small).whole()?;
        let tree = git().args(["write-tree"]).line()?;
        Ok(Snapshot { tree: tree.to_string_lossy().into_owned(), large, left_out })
    }

    /// What a commit has, as if the working tree were just that.
    pub(super) fn committed(&self, commit: &str) -> Result<Snapshot, GitError> {
        let tree = self.git().args(["rev-parse", "--verify", &format!("{commit}^{{tree}}")]).line()?;
        let (large, left_out) = (BTreeMap::new(), BTreeSet::new());
        Ok(Snapshot { tree: tree.to_string_lossy().into_owned(), large, left_out })
    }

    /// Git at the top of the working tree, writing objects to the scratch directory only.
    pub(super) fn git(&self) -> Git {
        Git::at(&self.top)
            .env("GIT_OBJECT_DIRECTORY", self.scratch.join("objects"))
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.alternates)
    }

    /// Those of the listed files that a filter is for.
    fn filtered(&self, listed: &[u8]) -> Result<BTreeSet<Vec<u8>>, GitError> {
        if self.filters.is_empty() || listed.is_empty() {
            return Ok(BTreeSet::new());
        }
        let told = self.git().args(["check-attr", "-z", "--stdin", "filter"]).input(listed.to_vec()).whole()?;
        // `PATH NUL filter NUL NAME NUL`, for each.
        let told: Vec<&[u8]> = told.split(|byte| *byte == 0).collect();
        let is_filtered = |entry: &&[&[u8]]| self.filters.contains(OsStr::from_bytes(entry[2]));
        Ok(told.chunks_exact(3).filter(is_filtered).map(|entry| entry[0].to_vec()).collect())
    }

    fn look(&self, name: &[u8], is_filtered: bool) -> Look {
        // A repository inside this one is listed as a directory, and is not ours to look into.
        if name.ends_with(b"/") {
            return Look::LeaveOut;
        }
        let file = self.top.join(path(name));
        match file.symlink_metadata() {
            // It was deleted, and that is a change.
            Err(_) => Look::Take,
            Ok(about) if about.is_symlink() => Look::Take,
            Ok(about) if about.is_dir() => Look::LeaveOut,
            // A socket or a pipe has no content.
            Ok(about) if !about.is_file() => Look::Ignore,
            Ok(_) if access(&file, Access::READ_OK).is_err() => Look::LeaveOut,
            Ok(about) if is_filtered || about.len() > LARGE_FILE_BYTES => {
                Look::Large(about.len(), about.mtime(), about.mtime_nsec())
            }
            Ok(_) => Look::Take,
        }
    }
}

/// Copies an index with its time: git does not trust an entry that is not older than the index.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    OpenOptions::new().write(true).open(to)?.set_modified(from.metadata()?.modified()?)
}

/// What to do with a file that is not as it is in the index.
enum Look {
    Take,
    Large(u64, i64, i64),
    LeaveOut,
    Ignore,
}

/// A directory as git lists them: with colons in between, unless it is in quotation marks.
fn quoted(directory: &OsStr) -> OsString {
    let bytes = directory.as_bytes();
    if !bytes.contains(&b':') && !bytes.starts_with(b"\"") {
        return directory.to_owned();
    }
    let mut quoted = vec![b'"'];
    for byte in bytes {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    OsString::from_vec(quoted)
}
