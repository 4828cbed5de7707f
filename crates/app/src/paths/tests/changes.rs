//! What git says about working trees, from real ones.

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::{BufRead, BufReader},
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use baton_testkit::git_for_tests;

use super::{
    super::{LastLink, changed_paths, followed, hooks_directory, in_main_worktree, staged_paths},
    World,
};
use crate::Failure;

/// Without the part of the paths that changes from run to run.
fn short(world: &World, paths: Result<Vec<PathBuf>, Failure>) -> Vec<String> {
    let below = |path: PathBuf| path.strip_prefix(&world.root).unwrap().to_string_lossy().into_owned();
    paths.unwrap().into_iter().map(below).collect()
}

fn changed(world: &World, dir: &str) -> Vec<String> {
    short(world, changed_paths(&world.at(dir)))
}

fn staged(world: &World, dir: &str) -> Vec<String> {
    short(world, staged_paths(&world.at(dir), None))
}

fn committed(world: &World, dir: &str, files: &[&str]) {
    world.repository(dir);
    for name in files {
        world.file(&format!("{dir}/{name}"), &format!("{name}\n"));
    }
    world.git(dir, &["add", "."]);
    world.git(dir, &["commit", "--quiet", "--message=files"]);
}

#[test]
fn whatever_is_not_committed_is_a_change_and_what_is_staged_is_told_apart() {
    let world = World::new();
    committed(&world, "repo", &["same", "dirty", "staged", "gone", "unstaged", "old name", "sub/deep"]);
    assert_eq!(changed(&world, "repo"), [""; 0]);
    world.file("repo/.gitignore", "ignored\n");
    world.git("repo", &["add", ".gitignore"]);
    world.git("repo", &["commit", "--quiet", "--message=ignore"]);

    world.file("repo/dirty", "2\n");
    world.file("repo/staged", "2\n");
    world.file("repo/sub/deep", "2\n");
    world.git("repo", &["add", "staged", "sub"]);
    world.git("repo", &["rm", "--quiet", "gone"]);
    fs::remove_file(world.at("repo/unstaged")).unwrap();
    world.git("repo", &["mv", "old name", "new name"]);
    world.file("repo/fresh/one", "");
    world.file("repo/fresh/two", "");
    world.file("repo/ignored", "");
    world.repository("repo/inner");

    let all = [
        "repo/dirty",
        "repo/fresh/one",
        "repo/fresh/two",
        "repo/gone",
        "repo/inner",
        "repo/new name",
        "repo/old name",
        "repo/staged",
        "repo/sub/deep",
        "repo/unstaged",
    ];
    let next = ["repo/gone", "repo/new name", "repo/old name", "repo/staged", "repo/sub/deep"];
    for dir in ["repo", "repo/sub"] {
        assert_eq!(changed(&world, dir), all, "{dir}");
        assert_eq!(staged(&world, dir), next, "{dir}");
    }
    // A setting that would make the names relative to the directory, and leave out the others.
    world.git("repo", &["config", "diff.relative", "true"]);
    assert_eq!(staged(&world, "repo/sub"), next);
}

#[test]
fn names_are_kept_byte_for_byte() {
    let world = World::new();
    world.repository("repo");
    let names: [&[u8]; 6] = [b" lead", b"R  x", b"a\nb", b"caf\xe9", b"quote\"", b"tab\t"];
    let mut paths: Vec<PathBuf> = names.map(|name| world.at("repo").join(OsStr::from_bytes(name))).into();
    paths.sort();
    for path in &paths {
        fs::write(path, "").unwrap();
    }
    assert_eq!(changed_paths(&world.at("repo")).unwrap(), paths);
    world.git("repo", &["add", "."]);
    assert_eq!(staged_paths(&world.at("repo"), None).unwrap(), paths);
}

#[test]
fn before_the_first_commit_everything_is_new() {
    let world = World::new();
    world.git("repo", &["init", "--quiet"]);
    world.file("repo/staged", "");
    world.git("repo", &["add", "."]);
    world.file("repo/loose", "");
    assert_eq!(changed(&world, "repo"), ["repo/loose", "repo/staged"]);
    assert_eq!(staged(&world, "repo"), ["repo/staged"]);
}

#[test]
fn a_submodule_is_one_path_and_changes_with_its_commit() {
    let world = World::new();
    committed(&world, "library", &["file"]);
    committed(&world, "repo", &["file"]);
    world.git("repo", &["submodule", "--quiet", "add", world.at("library").to_str().unwrap(), "sub"]);
    world.git("repo", &["commit", "--quiet", "--message=sub"]);
    world.file("repo/sub/file", "2\n");
    assert_eq!(changed(&world, "repo"), [""; 0], "its own files are its own affair");
    assert_eq!(changed(&world, "repo/sub"), ["repo/sub/file"]);
    world.git("repo/sub", &["commit", "--quiet", "--all", "--message=two"]);
    assert_eq!(changed(&world, "repo"), ["repo/sub"]);
    world.git("repo", &["add", "sub"]);
    assert_eq!(staged(&world, "repo"), ["repo/sub"]);
}

#[test]
fn a_linked_worktree_has_changes_and_an_index_of_its_own() {
    let world = World::new();
    committed(&world, "repo", &["a", "b"]);
    world.git("repo", &["worktree", "add", "--quiet", "../tree"]);
    world.file("repo/a", "2\n");
    world.file("tree/b", "2\n");
    world.git("tree", &["add", "b"]);
    assert_eq!((changed(&world, "repo"), changed(&world, "tree")), (vec!["repo/a".into()], vec!["tree/b".into()]));
    assert_eq!((staged(&world, "repo"), staged(&world, "tree")), (vec![], vec!["tree/b".into()]));
}

#[test]
fn where_git_cannot_tell_it_is_said() {
    let world = World::new();
    let plain = world.dir("plain");
    world.git("bare.git", &["init", "--quiet", "--bare"]);
    let bare = world.at("bare.git");
    for asked in
        [changed_paths, |dir: &Path| staged_paths(dir, None), |dir: &Path| hooks_directory(dir).map(|_| vec![])]
    {
        let failure = asked(&plain).unwrap_err();
        assert_eq!(failure.message, format!("{} is not in a git repository.", plain.display()));
        assert!(failure.next.contains("inside a git working tree"), "{}", failure.next);
        assert_eq!(asked(&bare).unwrap_err().message, format!("{} has no working tree.", bare.display()));
    }
}

/// Commits with a hook that says which index it was given and waits, and asks what is staged meanwhile.
fn staged_in_hook(world: &World, dir: &str, started_in: &str, commit: &[&str]) -> (OsString, Vec<String>) {
    let go_on = world.at("go-on");
    if !go_on.exists() {
        assert!(Command::new("mkfifo").arg(&go_on).status().unwrap().success());
        let hook = world.dir("hooks").join("pre-commit");
        let wait = format!("#!/bin/sh\necho \"$GIT_INDEX_FILE\"\nread line < '{}'\nexit 1\n", go_on.display());
        baton_testkit::script(&hook, &wait);
    }
    let mut command = git_for_tests();
    command.arg("-C").arg(world.at(started_in));
    command.args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]);
    command.arg("-c").arg(format!("core.hooksPath={}", world.at("hooks").display()));
    command.args(["commit", "--quiet", "--message=next"]).args(commit).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut index = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut index).unwrap();
    let index = OsString::from(index.trim_end());
    let staged = staged_paths(&world.at(dir), Some(&index));
    fs::write(&go_on, "\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    (index, short(world, staged))
}

#[test]
fn a_hook_sees_what_its_own_commit_changes() {
    let world = World::new();
    committed(&world, "repo", &["a", "b", "c", "sub/d"]);
    world.git("repo", &["worktree", "add", "--quiet", "../tree"]);
    for dir in ["repo", "tree"] {
        for name in ["a", "b", "sub/d"] {
            world.file(&format!("{dir}/{name}"), "2\n");
        }
        world.git(dir, &["add", "a"]);
        let file = |name: &str| format!("{dir}/{name}");
        for started_in in [dir.to_owned(), file("sub")] {
            let (_, paths) = staged_in_hook(&world, dir, &started_in, &[]);
            assert_eq!(paths, [file("a")], "{started_in}");
            let (index, paths) = staged_in_hook(&world, dir, &started_in, &["--all"]);
            assert_eq!(paths, [file("a"), file("b"), file("sub/d")], "{started_in} {index:?}");
            let b = world.at(&file("b"));
            let (index, paths) = staged_in_hook(&world, dir, &started_in, &[b.to_str().unwrap()]);
            assert_eq!(paths, [file("b")], "{started_in} {index:?}");
        }
        assert_eq!(staged(&world, dir), [file("a")], "the usual index is as it was");
    }
}

#[test]
fn a_merge_changes_what_is_like_neither_side() {
    let world = World::new();
    committed(&world, "repo", &["both", "theirs", "ours", "later"]);
    world.git("repo", &["switch", "--quiet", "--create", "side"]);
    for name in ["both", "theirs"] {
        world.file(&format!("repo/{name}"), "side\n");
    }
    world.git("repo", &["commit", "--quiet", "--all", "--message=side"]);
    world.git("repo", &["switch", "--quiet", "--create", "main-line", "HEAD~1"]);
    for name in ["both", "ours"] {
        world.file(&format!("repo/{name}"), "main\n");
    }
    world.git("repo", &["commit", "--quiet", "--all", "--message=main"]);
    world.git("repo", &["merge", "--quiet", "--no-commit", "--strategy-option=ours", "side"]);
    world.file("repo/both", "resolved\n");
    world.file("repo/later", "by the way\n");
    world.git("repo", &["add", "--all"]);
    assert_eq!(staged(&world, "repo"), ["repo/both", "repo/later"]);
    world.file("repo/theirs", "touched\n");
    world.git("repo", &["add", "--all"]);
    assert_eq!(staged(&world, "repo"), ["repo/both", "repo/later", "repo/theirs"]);
}

#[test]
fn a_path_in_a_linked_worktree_is_the_same_place_in_the_main_one() {
    let world = World::new();
    committed(&world, "repo", &["src/a"]);
    world.git("repo", &["worktree", "add", "--quiet", "../tree"]);
    world.git("repo", &["worktree", "add", "--quiet", ".trees/one"]);
    world.repository("tree/vendor/inner");
    world.dir("plain");
    symlink(world.at("tree/src"), world.at("plain/link")).unwrap();
    symlink("src", world.at("tree/current")).unwrap();
    let mapped = |path: &str| {
        let path = in_main_worktree(&world.at(path), Some(&world.at("home")), LastLink::Kept);
        path.strip_prefix(&world.root).unwrap().to_str().unwrap().to_owned()
    };
    for (path, expected) in [
        ("tree", "repo"),
        ("tree/src/a", "repo/src/a"),
        ("tree/gone/for/good", "repo/gone/for/good"),
        ("tree/src/../new", "repo/new"),
        ("plain/link/a", "repo/src/a"),
        ("tree/current", "repo/current"),
        ("tree/current/a", "repo/src/a"),
        ("tree/vendor/inner/x", "repo/vendor/inner/x"),
        ("repo/.trees/one/src/a", "repo/src/a"),
        ("repo/.trees/two/src/a", "repo/.trees/two/src/a"),
        ("repo/src/a", "repo/src/a"),
        ("plain/none", "plain/none"),
        ("nowhere/at/all", "nowhere/at/all"),
    ] {
        assert_eq!(mapped(path), expected, "{path}");
    }
    assert_eq!(in_main_worktree(Path::new("/"), None, LastLink::Kept), Path::new("/"));
    assert_eq!(in_main_worktree(Path::new("/nowhere"), None, LastLink::Kept), Path::new("/nowhere"));
}

#[test]
fn links_are_followed_to_what_is_there_and_to_what_is_not() {
    let world = World::new();
    world.dir("real/deep");
    world.dir("other");
    symlink("real", world.at("link")).unwrap();
    symlink("../link/deep", world.at("other/up")).unwrap();
    symlink("gone/../later/on", world.at("dangling")).unwrap();
    symlink("two", world.at("one")).unwrap();
    symlink("one", world.at("two")).unwrap();
    let at = |path: &str, last| followed(&world.at(path), last).strip_prefix(&world.root).unwrap().to_owned();
    for (path, expected) in [
        ("link", "real"),
        ("link/deep/new", "real/deep/new"),
        ("other/up", "real/deep"),
        ("other/up/new/file", "real/deep/new/file"),
        ("dangling/x", "later/on/x"),
        ("real/none/link", "real/none/link"),
    ] {
        assert_eq!(at(path, LastLink::Followed), Path::new(expected), "{path}");
    }
    assert_eq!(at("link", LastLink::Kept), Path::new("link"));
    assert_eq!(at("other/up", LastLink::Kept), Path::new("other/up"));
    assert_eq!(at("link/deep", LastLink::Kept), Path::new("real/deep"));
    // A loop ends, somewhere on it.
    assert!(["one/x", "two/x"].map(Path::new).contains(&at("one/x", LastLink::Followed).as_path()));
}

#[test]
fn worktrees_of_a_repository_at_home_stay_where_they_are() {
    let world = World::new();
    committed(&world, "home", &["a"]);
    world.git("home", &["worktree", "add", "--quiet", "tree"]);
    let file = world.at("home/tree/a");
    assert_eq!(in_main_worktree(&file, Some(&world.at("home")), LastLink::Kept), file);
}

#[test]
fn hooks_are_where_git_looks_for_them() {
    let world = World::new();
    committed(&world, "repo", &["sub/a"]);
    world.git("repo", &["worktree", "add", "--quiet", "../tree"]);
    for dir in ["repo", "repo/sub", "tree", "tree/sub"] {
        assert_eq!(hooks_directory(&world.at(dir)).unwrap(), world.at("repo/.git/hooks"), "{dir}");
    }
    world.git("repo", &["config", "core.hooksPath", ".githooks"]);
    assert_eq!(hooks_directory(&world.at("repo/sub")).unwrap(), world.at("repo/.githooks"));
    assert_eq!(hooks_directory(&world.at("tree/sub")).unwrap(), world.at("tree/.githooks"));
    world.git("repo", &["config", "core.hooksPath", world.at("plain").to_str().unwrap()]);
    assert_eq!(hooks_directory(&world.at("tree")).unwrap(), world.at("plain"));
}
