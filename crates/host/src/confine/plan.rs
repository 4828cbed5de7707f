//! From "everything but these" to a list of places that may be written.
//!
//! A rule for a directory counts for all that is below it, and nothing takes it back further down. So a directory with a
//! denied path somewhere below gets no rule; each of its entries does. New entries cannot be made in such a directory,
//! and those that are there cannot be removed or renamed.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The paths to allow, given a way to list the entries of a directory: files and directories, no symbolic links, because a
/// rule for a link would count for its target. The most specific path decides; a path that is in both lists is allowed.
pub(super) fn writable_paths(
    denied: &[PathBuf],
    allowed: &[PathBuf],
    entries: &mut dyn FnMut(&Path) -> Vec<PathBuf>,
) -> Vec<PathBuf> {
    let mut marks: BTreeMap<&Path, bool> = denied.iter().map(|path| (path.as_path(), false)).collect();
    marks.extend(allowed.iter().map(|path| (path.as_path(), true)));
    let mut found = Vec::new();
    visit(&marks, Path::new("/"), true, entries, &mut found);
    found
}

fn visit(
    marks: &BTreeMap<&Path, bool>,
    path: &Path,
    is_parent_writable: bool,
    entries: &mut dyn FnMut(&Path) -> Vec<PathBuf>,
    found: &mut Vec<PathBuf>,
) {
    let is_writable = marks.get(path).copied().unwrap_or(is_parent_writable);
    let below = || marks.iter().filter(|(mark, _)| **mark != path && mark.starts_with(path));
    if below().all(|(_, is_mark_writable)| *is_mark_writable == is_writable) {
        found.extend(is_writable.then(|| path.to_owned()));
        return;
    }
    // The way to a mark is known even where the directory cannot be listed.
    let toward =
        |mark: &Path| path.join(mark.strip_prefix(path).ok().and_then(|rest| rest.iter().next()).unwrap_or_default());
    let mut next: BTreeSet<PathBuf> = below().map(|(mark, _)| toward(mark)).collect();
    if is_writable {
        next.extend(entries(path));
    }
    for path in next {
        visit(marks, &path, is_writable, entries, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: [&str; 12] = [
        "/dev",
        "/home",
        "/tmp",
        "/home/ana",
        "/home/bo",
        "/home/ana/.cache",
        "/home/ana/work",
        "/home/ana/work/src",
        "/home/ana/work/docs",
        "/home/ana/work/data",
        "/home/ana/work/src/lib",
        "/home/ana/work/src/main",
    ];

    fn plan(denied: &[&str], allowed: &[&str]) -> Vec<String> {
        let owned = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let mut entries = |dir: &Path| {
            let tree = TREE.iter().map(Path::new);
            tree.filter(|path| path.parent() == Some(dir)).map(Path::to_owned).collect()
        };
        let found = writable_paths(&owned(denied), &owned(allowed), &mut entries);
        found.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn everything_beside_the_way_to_a_denied_directory_is_allowed() {
        assert_eq!(plan(&["/home/ana/work"], &[]), ["/dev", "/home/ana/.cache", "/home/bo", "/tmp"]);
    }

    #[test]
    fn an_allowed_path_inside_a_denied_one_is_allowed_again_and_a_denied_one_in_that_is_not() {
        let (before, after) = (["/dev", "/home/ana/.cache"], ["/home/bo", "/tmp"]);
        let own = plan(&["/home/ana/work"], &["/home/ana/work/data"]);
        assert_eq!(own, [&before[..], &["/home/ana/work/data"], &after].concat());
        let nested = plan(&["/home/ana/work", "/home/ana/work/src/lib"], &["/home/ana/work/src"]);
        assert_eq!(nested, [&before[..], &["/home/ana/work/src/main"], &after].concat());
    }

    #[test]
    fn a_denied_path_that_does_not_exist_keeps_its_directory_from_getting_new_entries() {
        let expected = ["/dev", "/home/ana/.cache", "/home/ana/work/data", "/home/ana/work/docs", "/home/ana/work/src"];
        assert_eq!(plan(&["/home/ana/work/new/deep"], &[]), [&expected[..], &["/home/bo", "/tmp"]].concat());
    }

    #[test]
    fn a_directory_that_cannot_be_listed_is_still_a_way_to_what_is_known() {
        let denied = [PathBuf::from("/home/ana/work")];
        let found = writable_paths(&denied, &[], &mut |dir| match dir.to_str() {
            Some("/home/ana") => vec!["/home/ana/.cache".into()],
            _ => Vec::new(),
        });
        assert_eq!(found, [Path::new("/home/ana/.cache")]);
    }

    #[test]
    fn a_path_that_is_denied_and_allowed_is_allowed_and_without_denials_all_is() {
        assert_eq!(plan(&["/home"], &["/home"]), ["/"]);
        assert_eq!(plan(&[], &["/home"]), ["/"]);
        assert!(plan(&["/"], &[]).is_empty());
    }
}
