//! Real directories, real repositories, real worktrees.

mod changes;

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::symlink},
    path::{Path, PathBuf},
};

use baton_core::{code::ErrorCode, handoff::Artifact, time::Timestamp};
use baton_testkit::git_for_tests;
use tempfile::TempDir;

use super::{Location, canonical, checkout_root, draft_artifacts, resolve};

/// A directory of its own, with a home in it.
struct World {
    _dir: TempDir,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let world = Self { _dir: dir, root };
        world.dir("home");
        world
    }

    fn at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }

    fn dir(&self, path: &str) -> PathBuf {
        fs::create_dir_all(self.at(path)).unwrap();
        self.at(path)
    }

    fn file(&self, path: &str, text: &str) {
        self.dir(path.rsplit_once('/').map_or("", |(dir, _)| dir));
        fs::write(self.at(path), text).unwrap();
    }

    fn git(&self, dir: &str, arguments: &[&str]) {
        self.git_at(dir, arguments, "2026-01-01T00:00:00Z");
    }

    fn git_at(&self, dir: &str, arguments: &[&str], date: &str) {
        let identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.org", "-c", "init.defaultBranch=main"];
        let output = git_for_tests()
            .arg("-C")
            .arg(self.dir(dir))
            .args(identity)
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .env("GIT_AUTHOR_DATE", date)
            .env("GIT_COMMITTER_DATE", date)
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn repository(&self, dir: &str) {
        self.git(dir, &["init", "--quiet"]);
        self.git(dir, &["commit", "--quiet", "--allow-empty", "--message=first"]);
    }

    fn locate(&self, path: &str) -> Location {
        resolve(&self.at(path), Path::new("/"), Some(&self.at("home"))).unwrap()
    }

    /// `root | ancestors`, without the part of the paths that changes from run to run.
    fn located(&self, path: &str) -> String {
        let location = self.locate(path);
        let short = |path: &str| match path.strip_prefix(self.root.to_str().unwrap()) {
            Some("") => ".".to_owned(),
            Some(rest) => rest.trim_start_matches('/').to_owned(),
            None => path.to_owned(),
        };
        let ancestors: Vec<String> = location.ancestors.iter().map(|path| short(path)).collect();
        format!("{} | {}", short(&location.preferred_root), ancestors.join(" "))
    }
}

#[test]
fn files_symlinks_dots_and_relative_paths_come_to_the_same_directory() {
    let world = World::new();
    world.file("repo/src/main.rs", "");
    symlink(world.at("repo/src"), world.at("link")).unwrap();
    let expected = world.at("repo/src").to_str().unwrap().to_owned();
    let cwd = world.at("repo");
    for path in ["src", "src/", "src/main.rs", "./src/../src", "../link", "../link/main.rs", "../link/../src"] {
        assert_eq!(canonical(Path::new(path), &cwd).unwrap(), expected, "{path}");
    }
    assert_eq!(canonical(&world.at("link"), Path::new("/nowhere")).unwrap(), expected);
}

#[test]
fn what_is_no_path_to_anything_says_so() {
    let world = World::new();
    world.file("file", "");
    symlink(world.at("loop"), world.at("loop")).unwrap();
    let not_text = world.at("").join(std::ffi::OsStr::from_bytes(b"caf\xe9"));
    fs::create_dir(&not_text).unwrap();
    let long = "x".repeat(5000);
    let cases: [(&Path, ErrorCode); 8] = [
        (Path::new("missing"), ErrorCode::PathNotFound),
        (Path::new("file/below"), ErrorCode::PathNotFound),
        (Path::new("loop"), ErrorCode::PathNotFound),
        (Path::new(""), ErrorCode::InvalidPath),
        (Path::new("a\0b"), ErrorCode::InvalidPath),
        (Path::new(&long), ErrorCode::InvalidPath),
        (Path::new(&long[..300]), ErrorCode::InvalidPath),
        (&not_text, ErrorCode::InvalidPath),
    ];
    for (path, code) in cases {
        assert_eq!(canonical(path, &world.root).unwrap_err().code, code, "{path:?}");
    }
}

#[test]
fn anywhere_in_a_repository_the_room_is_at_its_top() {
    let world = World::new();
    world.repository("repo");
    world.file("repo/packages/foo/package.json", "{}");
    world.dir("repo/packages/foo/src");
    assert_eq!(
        world.located("repo/packages/foo/src"),
        "repo | repo/packages/foo/src repo/packages/foo repo/packages repo"
    );
    assert_eq!(world.located("repo"), "repo | repo");
    assert_eq!(world.located("repo/.git/refs"), "repo | repo/.git/refs repo/.git repo");
}

#[test]
fn without_a_repository_the_nearest_marker_counts_and_without_one_the_path() {
    let world = World::new();
    world.file("work/AGENTS.md", "");
    world.file("work/tool/Cargo.toml", "");
    world.dir("work/tool/src");
    world.dir("work/notes/today");
    world.dir("plain/deep");
    assert_eq!(world.located("work/tool/src"), "work/tool | work/tool/src work/tool work");
    assert_eq!(world.located("work/notes/today"), "work | work/notes/today work/notes work");
    assert_eq!(world.located("plain/deep"), "plain/deep | plain/deep");
    assert_eq!(checkout_root(&world.at("plain/deep")), None);
}

#[test]
fn what_marks_the_home_directory_marks_nothing_below_it() {
    let world = World::new();
    world.file("home/CLAUDE.md", "");
    world.repository("home");
    world.dir("home/notes/deep");
    world.repository("home/code/repo");
    assert_eq!(world.located("home"), "home | home");
    assert_eq!(world.located("home/notes/deep"), "home/notes/deep | home/notes/deep");
    assert_eq!(world.located("home/code/repo"), "home/code/repo | home/code/repo");
    world.git("home", &["worktree", "add", "--quiet", "tree"]);
    assert_eq!(world.located("home/tree"), "home/tree | home/tree");
}

#[test]
fn a_home_behind_a_symlink_is_still_the_home() {
    let world = World::new();
    world.file("home/CLAUDE.md", "");
    world.dir("home/notes");
    symlink(world.at("home"), world.at("alias")).unwrap();
    let location = resolve(&world.at("alias/notes"), Path::new("/"), Some(&world.at("alias"))).unwrap();
    assert_eq!(location.ancestors, [world.at("home/notes").to_str().unwrap()]);
}

#[test]
fn the_root_of_the_filesystem_is_only_itself() {
    let location = resolve(Path::new("/"), Path::new("/"), None).unwrap();
    assert_eq!((location.preferred_root.as_str(), location.ancestors), ("/", vec!["/".to_owned()]));
}

#[test]
fn an_ancestor_room_wins_across_a_nested_repository_and_a_submodule() {
    let world = World::new();
    world.repository("outer");
    world.repository("outer/vendor/inner");
    world.dir("outer/vendor/inner/src");
    assert_eq!(
        world.located("outer/vendor/inner/src"),
        "outer/vendor/inner | outer/vendor/inner/src outer/vendor/inner outer/vendor outer"
    );
    world.repository("library");
    world.git("outer", &["submodule", "--quiet", "add", world.at("library").to_str().unwrap(), "sub"]);
    assert_eq!(world.located("outer/sub"), "outer/sub | outer/sub outer");
}

#[test]
fn linked_worktrees_share_the_room_of_the_main_one() {
    let world = World::new();
    world.repository("repo");
    world.dir("repo/src");
    world.git("repo", &["worktree", "add", "--quiet", "../tree"]);
    world.dir("tree/src");
    assert_eq!(world.located("tree/src"), "repo | tree/src tree repo/src repo");
    assert_eq!(world.locate("tree").preferred_root, world.locate("repo/src").preferred_root);
    assert_eq!(checkout_root(&world.at("tree/src")), Some(world.at("tree").as_path()), "changes are its own");
    // Inside the main one, where many tools put them.
    world.git("repo", &["worktree", "add", "--quiet", ".trees/one"]);
    assert_eq!(world.located("repo/.trees/one"), "repo | repo/.trees/one repo repo/.trees");
    // Newer versions of git can write relative paths.
    world.git("repo", &["worktree", "add", "--quiet", "../other"]);
    fs::write(world.at("other/.git"), "gitdir: ../repo/.git/worktrees/other\n").unwrap();
    assert_eq!(world.located("other"), "repo | other repo");
}

#[test]
fn worktrees_count_what_encloses_the_main_one_too() {
    let world = World::new();
    world.file("work/AGENTS.md", "");
    world.repository("work/repo");
    world.file("trees/CLAUDE.md", "");
    world.git("work/repo", &["worktree", "add", "--quiet", "../../trees/one"]);
    assert_eq!(world.located("trees/one"), "work/repo | trees/one work/repo work trees");
}

#[test]
fn worktrees_of_a_bare_repository_share_a_room() {
    let world = World::new();
    world.repository("seed");
    world.git("", &["clone", "--quiet", "--bare", "seed", "bare.git"]);
    world.git("bare.git", &["worktree", "add", "--quiet", "../one"]);
    world.git("bare.git", &["worktree", "add", "--quiet", "../two"]);
    assert_eq!(world.located("one"), "bare.git | one bare.git");
    assert_eq!(world.located("two"), "bare.git | two bare.git");
    assert_eq!(world.located("bare.git/refs"), "bare.git | bare.git/refs bare.git");
    // The layout in which a folder hides its bare repository and holds the worktrees.
    world.git("", &["clone", "--quiet", "--bare", "seed", "project/.bare"]);
    world.file("project/.git", "gitdir: ./.bare\n");
    world.git("project", &["worktree", "add", "--quiet", "feature"]);
    assert_eq!(world.located("project/feature"), "project | project/feature project");
}

#[test]
fn a_worktree_of_a_submodule_belongs_to_the_submodule() {
    let world = World::new();
    world.repository("library");
    world.repository("outer");
    world.git("outer", &["submodule", "--quiet", "add", world.at("library").to_str().unwrap(), "sub"]);
    world.git("outer/sub", &["worktree", "add", "--quiet", "../../tree"]);
    assert_eq!(world.located("tree"), "outer/sub | tree outer/sub outer");
}

#[test]
fn a_git_entry_that_leads_nowhere_marks_a_workspace_but_no_repository() {
    let world = World::new();
    world.file("stale/.git", "gitdir: /nowhere/at/all\n");
    world.dir("stale/src");
    world.file("odd/.git", "\u{0}\u{1}");
    world.dir("empty/.git");
    assert_eq!(world.located("stale/src"), "stale | stale/src stale");
    assert_eq!(world.located("odd"), "odd | odd");
    assert_eq!(world.located("empty"), "empty | empty");
    world.repository("repo");
    world.dir("repo/half/.git");
    assert_eq!(world.located("repo/half"), "repo | repo/half repo");
}

fn drafted(world: &World, dir: &str, since: &str) -> Vec<String> {
    let since: Timestamp = serde_json::from_value(since.into()).unwrap();
    let line = |artifact: Artifact| {
        let lines = artifact.lines.map_or("-".to_owned(), |[first, last]| format!("{first}-{last}"));
        format!("{} {lines} {}", artifact.path, artifact.note.unwrap_or_default()).trim_end().to_owned()
    };
    draft_artifacts(&world.at(dir), since).unwrap().into_iter().map(line).collect()
}

fn numbered(lines: std::ops::RangeInclusive<u32>) -> String {
    lines.map(|line| format!("line {line}\n")).collect()
}

#[test]
fn what_changed_since_the_turn_began_is_drafted_with_its_lines() {
    let world = World::new();
    world.repository("repo");
    for name in ["far.txt", "near.txt", "gone.txt", "same.txt", "sub dir/blank.txt"] {
        world.file(&format!("repo/{name}"), &numbered(1..=100));
    }
    world.file("repo/.gitignore", "ignored\n");
    world.git("repo", &["add", "."]);
    world.git_at("repo", &["commit", "--quiet", "--message=before"], "2026-01-02T00:00:00Z");

    // Committed during the turn …
    let changed = numbered(1..=100).replace("line 1\n", "one\n").replace("line 90\n", "ninety\nand more\n");
    world.file("repo/far.txt", &changed);
    world.file("repo/added.txt", "1\n2\n3");
    world.git("repo", &["add", "."]);
    world.git_at("repo", &["commit", "--quiet", "--message=during"], "2026-01-04T00:00:00Z");
    // … and not committed: changed, removed, staged, new, ignored, binary.
    world.file("repo/near.txt", &numbered(1..=100).replace("line 5\n", "").replace("line 12\n", "twelve\n"));
    fs::remove_file(world.at("repo/gone.txt")).unwrap();
    world.file("repo/sub dir/blank.txt", &numbered(1..=99));
    world.git("repo", &["add", "sub dir"]);
    world.file("repo/new \"é\".txt", "1\n2\n");
    world.file("repo/ignored", "x");
    fs::write(world.at("repo/binary"), [0, 1, 2]).unwrap();

    assert_eq!(
        drafted(&world, "repo", "2026-01-03T00:00:00Z"),
        [
            "added.txt 1-3 new file",
            "far.txt 1-1",
            "far.txt 90-91",
            "gone.txt - deleted",
            "near.txt 4-11",
            "sub dir/blank.txt 99-99",
            "binary - new file",
            "new \"é\".txt 1-2 new file",
        ]
    );
    assert_eq!(drafted(&world, "repo/sub dir", "2026-01-03T00:00:00Z"), ["blank.txt 99-99"]);
    assert_eq!(drafted(&world, "repo", "2026-01-05T00:00:00Z").len(), 5, "the commit was made before");
}

#[test]
fn a_repository_that_began_during_the_turn_is_all_new() {
    let world = World::new();
    world.git("repo", &["init", "--quiet"]);
    world.file("repo/a.txt", "1\n2\n");
    world.git("repo", &["add", "."]);
    world.file("repo/b.txt", "");
    assert_eq!(drafted(&world, "repo", "2026-01-01T00:00:00Z"), ["a.txt 1-2 new file", "b.txt - new file"]);
    world.git("repo", &["commit", "--quiet", "--message=first"]);
    assert_eq!(drafted(&world, "repo", "2025-01-01T00:00:00Z"), ["a.txt 1-2 new file", "b.txt - new file"]);
}

#[test]
fn no_more_is_drafted_than_a_handoff_takes_and_what_was_left_out_is_said() {
    let world = World::new();
    world.repository("repo");
    for index in 0..100 {
        world.file(&format!("repo/{index:03}.txt"), "x\n");
    }
    let drafted = drafted(&world, "repo", "2026-01-02T00:00:00Z");
    assert_eq!(drafted.len(), 64);
    assert_eq!(drafted.last().unwrap(), "063.txt 1-1 36 more files changed; `git status` and `git log` list them");
}

#[test]
fn a_repository_cannot_make_the_draft_run_its_programs() {
    let world = World::new();
    world.repository("repo");
    world.file("repo/a.txt", "1\n");
    world.file("repo/.gitattributes", "*.txt diff=evil\n");
    world.git("repo", &["add", "."]);
    world.git("repo", &["commit", "--quiet", "--message=second"]);
    world.file("repo/a.txt", "2\n");
    let touch = format!("touch {}", world.at("ran").display());
    for name in ["core.fsmonitor", "core.pager", "diff.external", "diff.evil.command", "diff.evil.textconv"] {
        world.git("repo", &["config", name, &touch]);
    }
    assert_eq!(drafted(&world, "repo", "2026-01-02T00:00:00Z"), ["a.txt 1-1"]);
    assert!(!world.at("ran").exists());
}

#[test]
fn where_there_is_no_repository_the_draft_says_so() {
    let world = World::new();
    let message = |dir: &Path| draft_artifacts(dir, Timestamp::from_millis(0)).unwrap_err().message;
    let plain = world.dir("plain");
    assert_eq!(message(&plain), format!("{} is not in a git repository.", plain.display()));
    world.git("bare.git", &["init", "--quiet", "--bare"]);
    let bare = world.at("bare.git");
    assert_eq!(message(&bare), format!("{} has no working tree.", bare.display()));
}
