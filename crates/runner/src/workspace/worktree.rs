//! A working tree for one job, beside the user's own.
//!
//! It begins at what is committed; what the user has not committed is not in it. Next to each worktree is a file that
//! its runner keeps locked and that says what it belongs to. When the runner is gone, so is the lock, and the next one
//! finds the worktree among the [`leftovers`](Worktree::leftovers).

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Diff, GitError, Workspace, diff::Purpose, git::Git};

/// The ending of the file that says what a worktree belongs to.
const CLAIM: &str = "claim";
/// How often another name is tried.
const NAMES_MAX: u32 = 1_000;
const CLAIM_BYTES: u64 = 64 * 1024;

/// A worktree that this process has to itself.
#[derive(Debug)]
pub struct Worktree {
    about: About,
    claim: Claim,
}

/// What a worktree belongs to.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct About {
    /// The top of the repository's working tree it was made from.
    repository: PathBuf,
    path: PathBuf,
    /// The commit it began at.
    base: String,
}

impl Worktree {
    /// Makes one of the repository around `workspace`, below `directory`, which is made if need be. `name` says what it
    /// is for.
    pub fn create(workspace: &Path, directory: &Path, name: &str) -> Result<Self, GitError> {
        let repository: PathBuf = Git::at(workspace).args(["rev-parse", "--show-toplevel"]).line()?.into();
        let head = Git::at(&repository).args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]).line();
        let base = head.map_err(|_| GitError::NoCommit(repository.clone()))?.to_string_lossy().into_owned();
        DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(GitError::file(directory))?;
        let directory = directory.canonicalize().map_err(GitError::file(directory))?;
        let mut claim = Claim::new(&directory, name)?;
        let about = About { repository, path: claim.path.with_extension(""), base };
        claim.write(&about)?;
        let tree = Self { about, claim };
        let added = Git::at(&tree.about.repository)
            .args(["worktree", "add", "--quiet", "--detach", "--no-checkout"])
            .args([tree.about.path.as_os_str(), tree.about.base.as_ref()])
            .whole();
        // From the inside: a configuration may include more for a worktree than for the repository, and what it then
        // names has to be known before files are written.
        let filled = added.and_then(|_| Git::at(&tree.about.path).args(["reset", "--quiet", "--hard"]).whole());
        match filled {
            Ok(_) => Ok(tree),
            Err(error) => {
                // Why it could not be made is worth more than that it could not be removed either.
                let _ = tree.remove();
                Err(error)
            }
        }
    }

    /// The worktrees below `directory` whose runners are gone. They are this process's now, to look at and to remove.
    pub fn leftovers(directory: &Path) -> Result<Vec<Self>, GitError> {
        let entries = match fs::read_dir(directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(GitError::file(directory))?,
        };
        let claims =
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension() == Some(CLAIM.as_ref()));
        let mut found = Vec::new();
        for mut claim in claims.filter_map(|path| Claim::taken_over(&path)) {
            match claim.read() {
                Some(about) => found.push(Self { about, claim }),
                // Its runner did not get further than this.
                None => claim.end(),
            }
        }
        found.sort_by(|one, other| one.about.path.cmp(&other.about.path));
        Ok(found)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.about.path
    }

    /// The commit it began at.
    pub fn base(&self) -> &str {
        &self.about.base
    }

    /// The repository's working tree that it was made from.
    pub fn repository(&self) -> &Path {
        &self.about.repository
    }

    /// All that was changed in it, committed or not, so that it can be applied. `scratch` is a directory of ours.
    pub fn diff(&self, scratch: &Path) -> Result<Diff, GitError> {
        let common = |at: &Path| {
            Git::at(at).args(["rev-parse", "--path-format=absolute", "--git-common-dir"]).line().map(PathBuf::from)
        };
        let workspace = Workspace::unfiltered(&self.about.path, scratch).map_err(|error| match error {
            GitError::NoRepository(_) => GitError::Replaced,
            error => error,
        })?;
        // Whoever works in it can replace its `.git`; another repository cannot say what changed since the base.
        if workspace.top() != self.about.path || common(&self.about.path)? != common(&self.about.repository)? {
            return Err(GitError::Replaced);
        }
        workspace.diff_for(Purpose::Apply, &workspace.committed(&self.about.base)?, &workspace.snapshot()?)
    }

    /// Removes it, with all that was changed in it.
    pub fn remove(self) -> Result<(), GitError> {
        let path = &self.about.path;
        // Twice the force removes it also where it is locked. If git cannot, as when the repository is gone, we do.
        let _ = Git::at(&self.about.repository).args(["worktree", "remove", "--force", "--force"]).args([path]).whole();
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(GitError::file(path)(error)),
            Ok(()) | Err(_) => {}
        }
        let _ = Git::at(&self.about.repository).args(["worktree", "prune"]).whole();
        self.claim.end();
        Ok(())
    }
}

/// A file that is locked as long as its process lives.
#[derive(Debug)]
struct Claim {
    file: File,
    path: PathBuf,
}

impl Claim {
    fn new(directory: &Path, name: &str) -> Result<Self, GitError> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        let name: String = name.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).take(64).collect();
        for number in 1..=NAMES_MAX {
            let path = directory.join(format!("{name}-{number}.{CLAIM}"));
            // A directory without a claim is nobody's we know of, and stays.
            if path.with_extension("").symlink_metadata().is_ok() {
                continue;
            }
            match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(GitError::file(&path)(error)),
                // Somebody who looks for what is left may have been faster with the lock.
                Ok(file) => {
                    if let Some(claim) = Self::locked(file, &path) {
                        return Ok(claim);
                    }
                }
            }
        }
        Err(GitError::Failed(format!("there are {NAMES_MAX} worktrees for {name} already")))
    }

    fn taken_over(path: &Path) -> Option<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path).ok()?;
        Self::locked(file, path)
    }

    /// The claim, if nobody else has it and it still is what its name says.
    fn locked(file: File, path: &Path) -> Option<Self> {
        match file.try_lock() {
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => None,
            Ok(()) => {
                let (ours, named) = (file.metadata().ok()?, path.metadata().ok()?);
                (ours.ino() == named.ino()).then(|| Self { file, path: path.to_owned() })
            }
        }
    }

    fn write(&mut self, about: &About) -> Result<(), GitError> {
        let text = serde_json::to_vec(about).map_err(io::Error::from);
        text.and_then(|text| self.file.write_all(&text)).map_err(GitError::file(&self.path))
    }

    fn read(&mut self) -> Option<About> {
        let mut text = Vec::new();
        self.file.rewind().ok()?;
        Read::by_ref(&mut self.file).take(CLAIM_BYTES).read_to_end(&mut text).ok()?;
        let about: About = serde_json::from_slice(&text).ok()?;
        // What is removed is only ever what lies next to the claim.
        (about.path == self.path.with_extension("")).then_some(about)
    }

    fn end(self) {
        let _ = fs::remove_file(&self.path);
    }
}
