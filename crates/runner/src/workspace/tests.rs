//! Real repositories: what is seen of changes, and that the user's own things stay as they are.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use baton_testkit::git_for_tests;
use tempfile::TempDir;

use super::*;

struct Place {
    directory: TempDir,
}

impl Place {
    /// A repository with one commit, in a directory whose name needs care.
    fn new() -> Self {
        let place = Self { directory: tempfile::Builder::new().prefix("a:b ").tempdir().unwrap() };
        fs::create_dir_all(place.repository()).unwrap();
        fs::create_dir_all(place.scratch()).unwrap();
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place.write(".gitignore", "ignored\n");
        place.write("kept", "one\ntwo\n");
        place.write("gone", "away\n");
        place.git(&["add", "."]);
        place.git(&["commit", "--quiet", "-m", "first"]);
        place
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn repository(&self) -> PathBuf {
        self.at("repository")
    }

    fn scratch(&self) -> PathBuf {
        self.at("scratch")
    }

    fn worktrees(&self) -> PathBuf {
        self.at("data/worktrees")
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.repository().join(name), text).unwrap();
    }

    fn git(&self, words: &[&str]) -> String {
        git_in(&self.repository(), words)
    }

    fn workspace(&self) -> Workspace {
        Workspace::at(&self.repository(), &self.scratch()).unwrap()
    }

    /// Everything below the repository's own directory, but for what git changes when it looks.
    fn insides(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut found, mut to_see) = (Vec::new(), vec![self.repository().join(".git")]);
        while let Some(directory) = to_see.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { to_see.push(path) } else { found.push((path.clone(), fs::read(path).unwrap())) }
            }
        }
        found.sort();
        found
    }
}

fn git_in(directory: &Path, words: &[&str]) -> String {
    let mut command = git_for_tests();
    command.arg("-C").arg(directory).args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]).args(words);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn shown(diff: &Diff) -> String {
    let file = |file: &ChangedFile| {
        format!("{:?} {}{}", file.change, file.path, if file.is_opaque { " (not shown)" } else { "" })
    };
    diff.files.iter().map(file).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_slice_changed_what_is_different_after_it_and_nothing_else() {
    let place = Place::new();
    // The user was at work: something staged, something not, something new.
    place.write("kept", "one\nTWO\n");
    place.git(&["add", "kept"]);
    place.write("kept", "one\nTWO\nthree\n");
    place.write("notes", "mine\n");
    let workspace = place.workspace();
    let (insides, before) = (place.insides(), workspace.snapshot().unwrap());
    assert_eq!(workspace.snapshot().unwrap(), before);

    place.write("kept", "one\nTWO\nthree\nfour\n");
    fs::remove_file(place.repository().join("gone")).unwrap();
    place.write("new file", "new\n");
    place.write("ignored", "not seen\n");
    place.write("binary", b"\0\x01\x02");
    symlink("kept", place.repository().join("link")).unwrap();
    let after = workspace.snapshot().unwrap();
    let diff = workspace.diff(&before, &after).unwrap();
    insta::assert_snapshot!(shown(&diff), @"
    Added binary (not shown)
    Deleted gone
    Modified kept
    Added link
    Added new file
    ");
    insta::assert_snapshot!(diff.text(), @r#"
    diff --git a/binary b/binary
    new file mode 100644
    index 0000000..8352675
    Binary files /dev/null and b/binary differ
    diff --git a/gone b/gone
    deleted file mode 100644
    index 9a95dff..0000000
    --- a/gone
    +++ /dev/null
    @@ -1 +0,0 @@
    -away
    diff --git a/kept b/kept
    index ddc897f..6addb9b 100644
    --- a/kept
    +++ b/kept
    @@ -1,3 +1,4 @@
     one
     TWO
     three
    +four
    diff --git a/link b/link
    new file mode 120000
    index 0000000..1cff52e
    --- /dev/null
    +++ b/link
    @@ -0,0 +1 @@
    +kept
    \ No newline at end of file
    diff --git a/new file b/new file
    new file mode 100644
    index 0000000..3e75765
    --- /dev/null
    +++ b/new file	
    @@ -0,0 +1 @@
    +new
    "#);
    assert!(!diff.was_cut && diff.files_left_out == 0);
    assert!(place.insides() == insides, "the repository's own files changed");
    assert!(workspace.diff(&after, &after).unwrap().is_empty());
}

#[test]
fn a_change_in_the_same_moment_as_the_index_is_seen() {
    let place = Place::new();
    place.git(&["add", "kept"]);
    let workspace = place.workspace();
    let before = workspace.snapshot().unwrap();
    // The same size, and most likely the same time as far as git can tell.
    place.write("kept", "one\ntoo\n");
    let diff = workspace.diff(&before, &workspace.snapshot().unwrap()).unwrap();
    assert_eq!(shown(&diff), "Modified kept");
}

#[test]
fn too_much_is_cut_and_large_files_are_only_named() {
    let place = Place::new();
    let large = vec![b'x'; usize::try_from(LARGE_FILE_BYTES).unwrap() + 1];
    place.write("staying", &large);
    place.write("going", &large);
    let workspace = place.workspace();
    let before = workspace.snapshot().unwrap();
    place.write("long", "a line that is repeated\n".repeat(100_000));
    place.write("kept", &large);
    place.write("coming", &large);
    fs::remove_file(place.repository().join("going")).unwrap();
    let diff = workspace.diff(&before, &workspace.snapshot().unwrap()).unwrap();
    insta::assert_snapshot!(shown(&diff), @"
    Added coming (not shown)
    Deleted going (not shown)
    Modified kept (not shown)
    Added long
    ");
    assert_eq!((diff.was_cut, diff.bytes.len()), (true, DIFF_BYTES));
}

#[test]
fn what_cannot_be_looked_into_stops_nothing() {
    let place = Place::new();
    let inner = place.repository().join("inner");
    fs::create_dir(&inner).unwrap();
    git_in(&inner, &["init", "--quiet"]);
    Command::new("mkfifo").arg(place.repository().join("pipe")).status().unwrap();
    let workspace = place.workspace();
    let before = workspace.snapshot().unwrap();
    place.write("new", "x\n");
    let diff = workspace.diff(&before, &workspace.snapshot().unwrap()).unwrap();
    assert_eq!(shown(&diff), "Added new");
}

#[test]
fn no_program_that_the_repository_names_is_run() {
    let place = Place::new();
    let tell = place.at("told");
    let program = place.at("tell");
    fs::write(&program, format!("#!/bin/sh\necho \"$0\" >> '{}'\ncat\n", tell.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "pre-commit"] {
        fs::copy(&program, place.repository().join(".git/hooks").join(hook)).unwrap();
    }
    let program = format!("'{}'", program.display());
    place.write(".gitattributes", "* diff=tell filter=tell\nserved filter=served\n");
    place.write("served", "by a process\n");
    place.git(&["-c", "core.hooksPath=/dev/null", "add", "."]);
    place.git(&["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "second"]);
    for setting in [
        "diff.external",
        "core.fsmonitor",
        "core.pager",
        "diff.tell.textconv",
        "diff.tell.command",
        "filter.served.process",
    ] {
        place.git(&["config", setting, &program]);
    }
    place.git(&["config", "filter.served.required", "true"]);
    let before = place.workspace().snapshot().unwrap();
    place.write("kept", "changed\n");
    let diff = place.workspace().diff(&before, &place.workspace().snapshot().unwrap()).unwrap();
    assert!(diff.text().contains("+changed"), "{}", diff.text());
    let tree = Worktree::create(&place.repository(), &place.worktrees(), "JOB-001").unwrap();
    fs::write(tree.path().join("kept"), "changed\n").unwrap();
    assert_eq!(shown(&tree.diff(&place.scratch()).unwrap()), "Modified kept");
    tree.remove().unwrap();
    assert!(!tell.exists(), "{}", fs::read_to_string(tell).unwrap());
}

/// A filter as Git LFS has one: what is committed stands for what is on disk.
#[test]
fn a_file_behind_a_filter_is_named_when_it_changed_and_its_content_is_left_alone() {
    let place = Place::new();
    let told = place.at("told");
    place.write(".gitattributes", "*.big filter=stand-in\n");
    place.git(&["config", "filter.stand-in.clean", &format!("echo ran >> '{}'; echo pointer", told.display())]);
    place.git(&["config", "filter.stand-in.required", "true"]);
    for name in ["one.big", "two.big", "three.big"] {
        place.write(name, "the real content\n");
    }
    place.git(&["add", "."]);
    place.git(&["commit", "--quiet", "-m", "filtered"]);
    fs::remove_file(&told).unwrap();
    let workspace = place.workspace();
    // The user is at work on one of them, and looked at another.
    place.write("three.big", "theirs\n");
    let before = workspace.snapshot().unwrap();
    assert_eq!(shown(&workspace.diff(&before, &workspace.snapshot().unwrap()).unwrap()), "");
    place.write("one.big", "other content\n");
    place.write("four.big", "new\n");
    place.write("kept", "changed\n");
    let diff = workspace.diff(&before, &workspace.snapshot().unwrap()).unwrap();
    assert_eq!(shown(&diff), "Added four.big (not shown)\nModified kept\nModified one.big (not shown)");

    // A worktree begins with what is committed, to the byte, so its diff is of content.
    let tree = Worktree::create(&place.repository(), &place.worktrees(), "JOB-001").unwrap();
    assert_eq!(fs::read_to_string(tree.path().join("one.big")).unwrap(), "pointer\n");
    assert!(tree.diff(&place.scratch()).unwrap().is_empty());
    fs::write(tree.path().join("one.big"), "replaced\n").unwrap();
    let diff = tree.diff(&place.scratch()).unwrap();
    assert!(diff.text().contains("-pointer\n+replaced"), "{}", diff.text());
    assert!(!told.exists(), "the filter ran");
}

#[test]
fn a_worktree_has_what_is_committed_and_its_diff_what_came_of_it() {
    let place = Place::new();
    place.write("kept", "not committed\n");
    let tree = Worktree::create(&place.repository(), &place.worktrees(), "room/JOB 1").unwrap();
    assert_eq!(tree.path(), place.worktrees().join("room-JOB-1-1"));
    assert_eq!(fs::read_to_string(tree.path().join("kept")).unwrap(), "one\ntwo\n");
    assert_eq!(git_in(tree.path(), &["rev-parse", "HEAD"]).trim(), tree.base());
    assert!(tree.diff(&place.scratch()).unwrap().is_empty());

    fs::write(tree.path().join("kept"), "committed\n").unwrap();
    git_in(tree.path(), &["commit", "--quiet", "-am", "second"]);
    fs::write(tree.path().join("new"), "not committed\n").unwrap();
    assert_eq!(shown(&tree.diff(&place.scratch()).unwrap()), "Modified kept\nAdded new");

    let path = tree.path().to_owned();
    tree.remove().unwrap();
    assert!(!path.exists());
    assert_eq!(fs::read_dir(place.worktrees()).unwrap().count(), 0);
    assert_eq!(place.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    assert_eq!(fs::read_to_string(place.repository().join("kept")).unwrap(), "not committed\n");
}

#[test]
fn what_a_runner_left_behind_is_found_once_it_is_gone() {
    let place = Place::new();
    let worktrees = place.worktrees();
    assert!(Worktree::leftovers(&worktrees).unwrap().is_empty());
    let mine = Worktree::create(&place.repository(), &worktrees, "JOB-001").unwrap();
    let left = Worktree::create(&place.repository(), &worktrees, "JOB-001").unwrap();
    let path = left.path().to_owned();
    fs::write(path.join("new"), "work\n").unwrap();
    drop(left);
    // One that was cut off before it had said anything, and something that is not ours at all.
    fs::write(worktrees.join("JOB-002-1.claim"), "").unwrap();
    fs::write(worktrees.join("JOB-003-1.claim"), r#"{"repository":"/","path":"/etc","base":"x"}"#).unwrap();

    // Another test may just be starting a process, which has the lock, too, until it has become its program.
    let mut looks = (0..10_000).map(|_| Worktree::leftovers(&worktrees).unwrap());
    let mut found = looks.find(|found| !found.is_empty()).unwrap();
    assert_eq!(found.iter().map(Worktree::path).collect::<Vec<_>>(), [&path]);
    assert!(Worktree::leftovers(&worktrees).unwrap().is_empty(), "it was found twice");
    let left = found.remove(0);
    assert_eq!(shown(&left.diff(&place.scratch()).unwrap()), "Added new");
    left.remove().unwrap();
    assert!(!path.exists() && mine.path().exists());
    let names: Vec<_> = fs::read_dir(&worktrees).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn a_worktree_whose_repository_is_gone_is_removed_all_the_same() {
    let place = Place::new();
    let tree = Worktree::create(&place.repository(), &place.worktrees(), "JOB-001").unwrap();
    fs::remove_dir_all(place.repository()).unwrap();
    let path = tree.path().to_owned();
    tree.remove().unwrap();
    assert!(!path.exists());
}

#[test]
fn where_there_is_no_repository_or_no_commit_that_is_said() {
    let place = Place::new();
    let plain = place.scratch();
    let said = Workspace::at(&plain, &plain).unwrap_err().to_string();
    assert_eq!(said, format!("{} is not in a git working tree", plain.display()));
    let said = Worktree::create(&plain, &place.worktrees(), "x").unwrap_err().to_string();
    assert_eq!(said, format!("{} is not in a git working tree", plain.display()));

    let empty = place.at("empty");
    fs::create_dir(&empty).unwrap();
    git_in(&empty, &["init", "--quiet"]);
    let said = Worktree::create(&empty, &place.worktrees(), "x").unwrap_err().to_string();
    assert_eq!(said, format!("{} has no commit yet", empty.display()));
    // Without a commit, changes are seen all the same.
    let workspace = Workspace::at(&empty, &place.scratch()).unwrap();
    let before = workspace.snapshot().unwrap();
    fs::write(empty.join("first"), "x\n").unwrap();
    assert_eq!(shown(&workspace.diff(&before, &workspace.snapshot().unwrap()).unwrap()), "Added first");
}
