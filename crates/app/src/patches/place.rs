//! Putting the results of a plan into the working tree: all of them, or none.
//!
//! Each file that is replaced is first moved aside, and only then compared with what the plan was made on: what was written in
//! between is noticed however late it came, and everything goes back. A file that appeared in between is never written over.

use std::{
    fs, io,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use baton_core::code::ErrorCode;
use rustix::{
    fs::{CWD, RenameFlags, renameat_with},
    io::Errno,
};

use super::{
    Plan, PlannedFile,
    plan::{Found, conflict},
    repository::{Objects, Scratch},
};
use crate::Failure;

/// Results that are in place, and can still be taken back. Dropped, they are.
#[derive(Debug)]
#[must_use = "dropped, it takes everything back"]
pub struct Placing<'a> {
    top: &'a Path,
    done: Vec<Step>,
    is_kept: bool,
    aside: Scratch,
}

/// Results that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// How many files were changed.
    pub files: usize,
}

/// Something that was done, and is undone in the reverse order.
#[derive(Debug)]
enum Step {
    /// A file was moved aside.
    Aside { file: PathBuf, kept: PathBuf },
    /// A file was put into place.
    New(PathBuf),
    /// A directory was made.
    Directory(PathBuf),
    /// A directory that had become empty was removed.
    NoDirectory(PathBuf),
}

impl Plan<'_> {
    /// Puts the results into place.
    pub fn place(&self) -> Result<Placing<'_>, Failure> {
        // Beside the repository's own files, so that nothing has to be copied to be moved.
        let aside = Scratch::new(&self.repository.git_dir).map_err(|error| not_placed(&error, Path::new(".git")))?;
        let written = aside.0.join("written");
        self.write_results(&written)?;
        let mut placing = Placing { top: &self.repository.top, done: Vec::new(), is_kept: false, aside };
        for (number, file) in self.files.iter().enumerate().filter(|(_, file)| file.found.is_some()) {
            placing.move_aside(number, file)?;
        }
        for file in self.files.iter().filter(|file| file.is_removed) {
            placing.remove_empty_above(&file.path);
        }
        for file in self.files.iter().filter(|file| !file.is_removed) {
            placing.put(&written.join(&file.path), &file.path)?;
        }
        Ok(placing)
    }

    /// Writes the files that are new or different below a directory, as git would into the working tree.
    fn write_results(&self, into: &Path) -> Result<(), Failure> {
        let mut names = Vec::new();
        for file in self.files.iter().filter(|file| !file.is_removed) {
            names.extend_from_slice(file.path.as_os_str().as_bytes());
            names.push(0);
        }
        let mut prefix = std::ffi::OsString::from("--prefix=");
        prefix.push(into);
        prefix.push("/");
        let git = self.repository.git(Objects::Scratch).args(["checkout-index", "--quiet", "--force", "-z", "--stdin"]);
        git.args([prefix]).input(names).output().map(|_| ())
    }
}

impl Placing<'_> {
    /// Moves a file aside, if it still is what was planned on.
    fn move_aside(&mut self, number: usize, planned: &PlannedFile) -> Result<(), Failure> {
        let (file, kept) = (self.top.join(&planned.path), self.aside.0.join(format!("old-{number}")));
        shift(&file, &kept).map_err(|error| self.changed(&error, &planned.path))?;
        self.done.push(Step::Aside { file, kept: kept.clone() });
        let about = kept.symlink_metadata().map_err(|error| not_placed(&error, &planned.path))?;
        if planned.found == Some(Found::of(&about)) { Ok(()) } else { Err(changed_meanwhile(&planned.path)) }
    }

    /// Puts a new file into place, where there is none.
    fn put(&mut self, from: &Path, path: &Path) -> Result<(), Failure> {
        let file = self.top.join(path);
        self.make_directories(path)?;
        shift(from, &file).map_err(|error| self.changed(&error, path))?;
        self.done.push(Step::New(file));
        Ok(())
    }

    fn make_directories(&mut self, path: &Path) -> Result<(), Failure> {
        let mut above: Vec<&Path> = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()).collect();
        above.reverse();
        for directory in above {
            let directory = self.top.join(directory);
            match directory.symlink_metadata() {
                Ok(about) if about.is_dir() => {}
                Ok(_) => return Err(changed_meanwhile(path)),
                Err(_) => {
                    fs::create_dir(&directory).map_err(|error| not_placed(&error, path))?;
                    self.done.push(Step::Directory(directory));
                }
            }
        }
        Ok(())
    }

    /// Removes the directories above a removed file that have become empty, as git does.
    fn remove_empty_above(&mut self, path: &Path) {
        for above in path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty()) {
            let directory = self.top.join(above);
            if fs::remove_dir(&directory).is_err() {
                return;
            }
            self.done.push(Step::NoDirectory(directory));
        }
    }

    /// Keeps what was put into place.
    pub fn keep(mut self) -> Placed {
        self.is_kept = true;
        let is_new = |step: &&Step| matches!(step, Step::New(_));
        let news = self.done.iter().filter(is_new).count();
        let replaced = |file: &Path| self.done.iter().any(|step| matches!(step, Step::New(new) if new == file));
        let removed = |step: &&Step| matches!(step, Step::Aside { file, .. } if !replaced(file));
        Placed { files: news + self.done.iter().filter(removed).count() }
    }

    fn changed(&self, error: &io::Error, path: &Path) -> Failure {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::AlreadyExists | io::ErrorKind::IsADirectory => {
                changed_meanwhile(path)
            }
            _ => not_placed(error, path),
        }
    }
}

impl Drop for Placing<'_> {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        while let Some(step) = self.done.pop() {
            // What cannot be taken back is left as it is; the file that was moved aside is then lost with the scratch directory,
            // so that is kept where it cannot be moved back.
            match step {
                Step::New(file) => drop(fs::remove_file(file)),
                Step::Directory(directory) => drop(fs::remove_dir(directory)),
                Step::NoDirectory(directory) => drop(fs::create_dir(directory)),
                Step::Aside { file, kept } => {
                    if shift(&kept, &file).is_err() {
                        drop(shift(&kept, &file.with_added_extension("baton-kept")));
                    }
                }
            }
        }
    }
}

/// Moves a file, and never over another. Where it goes to another file system it is copied there under another name first.
fn shift(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(()),
        Err(Errno::XDEV) => {
            let draft = to.with_added_extension(format!("baton-{}", std::process::id()));
            let about = from.symlink_metadata()?;
            let copied = if about.is_symlink() {
                fs::read_link(from).and_then(|target| std::os::unix::fs::symlink(target, &draft))
            } else {
                fs::copy(from, &draft)
                    .and_then(|_| fs::File::options().write(true).open(&draft)?.set_modified(about.modified()?))
            };
            let moved = copied
                .and_then(|()| Ok(renameat_with(CWD, &draft, CWD, to, RenameFlags::NOREPLACE)?))
                .and_then(|()| fs::remove_file(from));
            if moved.is_err() {
                let _ = fs::remove_file(&draft);
            }
            moved
        }
        Err(error) => Err(error.into()),
    }
}

fn changed_meanwhile(path: &Path) -> Failure {
    let message = "A file was changed while the patch was being applied; everything is as it was.";
    conflict(message, &[path.to_owned()]).advising("Try again once nobody else writes there.")
}

fn not_placed(error: &io::Error, path: &Path) -> Failure {
    let message = format!("{} could not be written: {error}; everything is as it was.", path.display());
    Failure::new(ErrorCode::PatchConflict, message).advising("Give your user the right to write there, then try again.")
}
