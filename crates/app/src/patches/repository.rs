//! A working tree, with a scratch directory for an index and objects that are not the user's.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use baton_core::code::ErrorCode;

use super::git::{self, Git};
use crate::Failure;

/// A working tree that a patch is used in.
#[derive(Debug)]
pub struct Repository {
    /// The top of the working tree.
    pub(super) top: PathBuf,
    /// Where git keeps what belongs to this working tree.
    pub(super) git_dir: PathBuf,
    alternates: OsString,
    /// How long the ids of its objects are.
    pub(super) id_digits: usize,
    scratch: Scratch,
}

/// Where the objects of a call are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objects {
    /// Into the scratch directory, which is removed.
    Scratch,
    /// Into the repository.
    Kept,
}

impl Repository {
    /// The working tree around `directory`, with a scratch directory of its own below `scratch`.
    pub fn open(directory: &Path, scratch: &Path) -> Result<Self, Failure> {
        let ask = |words: &[&str]| Git::at(directory).args(["rev-parse", "--path-format=absolute"]).args(words).path();
        let top = ask(&["--show-toplevel"])?;
        // A setting of the repository may say that its working tree is elsewhere, where nobody asked for changes.
        if !directory.starts_with(&top) {
            let message = format!("{} is not in the working tree of its repository.", directory.display());
            return Err(git::failed(message));
        }
        let (git_dir, objects) = (ask(&["--absolute-git-dir"])?, ask(&["--git-path", "objects"])?);
        let format = Git::at(directory).args(["rev-parse", "--show-object-format"]).line()?;
        let id_digits = if format == "sha256" { 64 } else { 40 };
        let scratch = Scratch::new(scratch).map_err(not_written)?;
        let alternates = git::alternates(&objects);
        Ok(Self { top, git_dir, alternates, id_digits, scratch })
    }

    /// The top of the working tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The commit that the working tree is at.
    pub fn head(&self) -> Result<String, Failure> {
        self.commit("HEAD")?.ok_or_else(|| git::failed("The workspace has no commit yet.".to_owned()))
    }

    /// The commit of this name, if the repository has it.
    pub(super) fn commit(&self, name: &str) -> Result<Option<String>, Failure> {
        let asked = ["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")];
        let answer = self.git(Objects::Scratch).args(asked).run()?;
        let text = crate::paths::git::text(&answer.stdout);
        Ok(Some(text).filter(|text| answer.status.success() && !text.is_empty()))
    }

    /// A call with the scratch index.
    pub(super) fn git(&self, objects: Objects) -> Git {
        let git = Git::at(&self.top).env("GIT_INDEX_FILE", self.scratch.0.join("index"));
        match objects {
            Objects::Kept => git,
            Objects::Scratch => git
                .env("GIT_OBJECT_DIRECTORY", self.scratch.0.join("objects"))
                .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", &self.alternates),
        }
    }

    /// The tree of `base` with `patch`, which was made against it.
    pub(super) fn patched(&self, base: &str, patch: &[u8], objects: Objects) -> Result<String, Failure> {
        self.git(objects).args(["read-tree", "--end-of-options", base]).output()?;
        let applied = self.git(objects).args(["apply", "--cached", "--binary", "-p1"]).input(patch.to_vec()).run()?;
        if !applied.status.success() {
            let said = applied.stderr.trim().lines().last().unwrap_or_default().to_owned();
            let message = format!("The patch does not apply to the commit that it was made against: {said}");
            return Err(Failure::new(ErrorCode::PatchUnusable, message).with("base", base));
        }
        self.git(objects).args(["write-tree"]).line()
    }

    /// A file in the scratch directory.
    pub(super) fn scratch(&self, name: &str) -> PathBuf {
        self.scratch.0.join(name)
    }
}

/// A directory that is removed with the value.
#[derive(Debug)]
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn new(below: &Path) -> io::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = below.join(format!("patch-{}-{number}", std::process::id()));
            fs::create_dir_all(below)?;
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    let scratch = Self(path);
                    fs::create_dir(scratch.0.join("objects"))?;
                    return Ok(scratch);
                }
                // Left behind by a process of the same number that was killed.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing in it is needed, and nothing can be done if it stays.
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub(super) fn not_written(error: io::Error) -> Failure {
    Failure::new(ErrorCode::StoreUnavailable, format!("A scratch directory could not be made: {error}."))
}
