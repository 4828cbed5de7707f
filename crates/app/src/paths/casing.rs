//! The spelling a directory itself uses for its entries, where the filesystem accepts others.
//!
//! `/Srv/Repo` and `/srv/repo` are one directory on a case-insensitive filesystem, and must be one room. Which
//! directories are insensitive cannot be asked (it may differ from one to the next), so it is tried: a name whose
//! case was flipped leads to the same file, or it does not.

use std::{
    ffi::{OsStr, OsString},
    path::{Component, Path, PathBuf},
};

/// As much of a filesystem as spelling needs.
pub(super) trait Filesystem {
    /// What tells a file from every other, whatever path led to it. `None` when nothing is there.
    fn file_id(&self, path: &Path) -> Option<(u64, u64)>;
    /// The names in a directory as they are stored. Empty when it cannot be read.
    fn entries(&self, dir: &Path) -> Vec<OsString>;
}

/// The real one.
pub(super) struct Disk;

impl Filesystem for Disk {
    #[cfg(unix)]
    fn file_id(&self, path: &Path) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.symlink_metadata().ok()?;
        Some((metadata.dev(), metadata.ino()))
    }

    /// Canonical paths already have the stored spelling on Windows.
    #[cfg(not(unix))]
    fn file_id(&self, _path: &Path) -> Option<(u64, u64)> {
        None
    }

    fn entries(&self, dir: &Path) -> Vec<OsString> {
        let entries = dir.read_dir().into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name()).collect()
    }
}

/// `path` with every component spelt as its directory stores it.
pub(super) fn as_stored(path: &Path, filesystem: &impl Filesystem) -> PathBuf {
    path.components().fold(PathBuf::new(), |dir, component| match component {
        Component::Normal(name) => {
            let stored = stored_name(&dir, name, filesystem);
            dir.join(stored)
        }
        Component::Prefix(_) | Component::RootDir | Component::CurDir | Component::ParentDir => dir.join(component),
    })
}

fn stored_name(dir: &Path, name: &OsStr, filesystem: &impl Filesystem) -> OsString {
    let as_given = || name.to_owned();
    // The common case costs one look: nothing answers to the flipped name, so the given one is exact.
    let Some(flipped) = name.to_str().and_then(flip_case) else { return as_given() };
    let Some(file) = filesystem.file_id(&dir.join(flipped)) else { return as_given() };
    if filesystem.file_id(&dir.join(name)) != Some(file) {
        return as_given();
    }
    let entries = filesystem.entries(dir);
    if entries.iter().any(|entry| entry == name) {
        return as_given();
    }
    let folded = |text: &OsStr| text.to_str().map(str::to_lowercase);
    let same = |entry: &OsString| folded(entry) == folded(name) && filesystem.file_id(&dir.join(entry)) == Some(file);
    entries.into_iter().find(same).unwrap_or_else(as_given)
}

/// The name with the case of its letters turned over; `None` where it has none to turn.
fn flip_case(name: &str) -> Option<String> {
    let flip = |c: char| if c.is_uppercase() { c.to_lowercase().next() } else { c.to_uppercase().next() };
    let flipped: String = name.chars().map(|c| flip(c).unwrap_or(c)).collect();
    (flipped != name).then_some(flipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directories that answer to any case, except below `/exact`.
    struct Fake(&'static [&'static str]);

    impl Fake {
        fn find(&self, path: &Path) -> Option<&'static str> {
            let text = path.to_str().unwrap();
            let is_it = |stored: &&&'static str| match stored.starts_with("/exact/") {
                true => **stored == text,
                false => stored.to_lowercase() == text.to_lowercase(),
            };
            self.0.iter().find(is_it).copied()
        }
    }

    impl Filesystem for Fake {
        fn file_id(&self, path: &Path) -> Option<(u64, u64)> {
            let stored = self.find(path)?;
            let place = self.0.iter().position(|known| *known == stored)?;
            Some((1, u64::try_from(place).unwrap()))
        }

        fn entries(&self, dir: &Path) -> Vec<OsString> {
            let inside = self.0.iter().map(Path::new).filter(|path| path.parent() == Some(dir));
            inside.filter_map(Path::file_name).map(OsStr::to_owned).collect()
        }
    }

    #[test]
    fn casing_is_what_the_directories_store_where_case_does_not_matter_and_as_given_where_it_does() {
        let fake = Fake(&["/Work", "/Work/Répo", "/Work/Répo/src", "/Work/42", "/exact", "/exact/Repo", "/exact/rEPO"]);
        let cases = [
            ("/work/RÉPO/SRC", "/Work/Répo/src"),
            ("/Work/Répo", "/Work/Répo"),
            ("/WORK/42", "/Work/42"),
            ("/exact/Repo", "/exact/Repo"),
            ("/exact/rEPO", "/exact/rEPO"),
            ("/", "/"),
        ];
        for (given, stored) in cases {
            assert_eq!(as_stored(Path::new(given), &fake), Path::new(stored), "{given}");
        }
    }
}
