//! Patches on real repositories.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    path::{Path, PathBuf},
    process::Command,
};

use baton_core::code::ErrorCode;
use tempfile::TempDir;

use super::{Branch, BranchDraft, Repository};
use crate::Failure;

/// A repository, and a worktree of it in which a job works.
struct Scene {
    root: TempDir,
    base: String,
}

fn git_in(directory: &Path, arguments: &[&str]) -> Vec<u8> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]).args(arguments);
    // A hook that runs these tests has variables of its own repository.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    let ran = command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    ran.stdout
}

fn line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

impl Scene {
    /// One with these files in its first commit.
    fn with(files: &[(&str, &[u8])]) -> Self {
        let root = tempfile::tempdir().unwrap();
        let scene = Self { root, base: String::new() };
        fs::create_dir(scene.top()).unwrap();
        git_in(&scene.top(), &["init", "--quiet"]);
        for (path, content) in files {
            write(&scene.top().join(path), content);
        }
        git_in(&scene.top(), &["add", "--all"]);
        git_in(&scene.top(), &["commit", "--quiet", "--allow-empty", "--message=first"]);
        let base = line(&git_in(&scene.top(), &["rev-parse", "HEAD"]));
        git_in(&scene.top(), &["worktree", "add", "--quiet", "--detach", scene.tree().to_str().unwrap()]);
        Self { base, ..scene }
    }

    fn top(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("repo")
    }

    fn tree(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap().join("tree")
    }

    /// What was changed in the worktree, as the runner keeps it.
    fn patch(&self) -> Vec<u8> {
        git_in(&self.tree(), &["add", "--all"]);
        let words = ["diff", "--cached", "--no-renames", "--binary", "--full-index", "--no-color", &self.base];
        git_in(&self.tree(), &[&["-c", "core.quotePath=false"], &words[..]].concat())
    }

    fn repository(&self) -> Repository {
        Repository::open(&self.top(), &self.root.path().join("scratch")).unwrap()
    }

    /// Applies the worktree's patch, and tells how many files that changed.
    fn apply(&self) -> Result<usize, Failure> {
        let repository = self.repository();
        let placed = repository.plan(&self.base, &self.patch())?.place()?.keep();
        Ok(placed.files)
    }

    fn refused(&self) -> (String, String) {
        let before = everything(&self.top());
        let failure = self.apply().unwrap_err();
        assert_eq!(everything(&self.top()), before, "nothing is half-done");
        assert_eq!(failure.code, ErrorCode::PatchConflict, "{failure:?}");
        (failure.message.clone(), failure.details.get("files").map(ToString::to_string).unwrap_or_default())
    }

    fn commit(&self) {
        git_in(&self.top(), &["add", "--all"]);
        git_in(&self.top(), &["commit", "--quiet", "--message=more"]);
    }
}

fn write(path: &Path, content: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// All files below a directory: how they are, and what is in them. What git keeps for itself is left out, but not the index.
fn everything(directory: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![directory.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            let about = entry.symlink_metadata().unwrap();
            if about.is_dir() && entry.file_name() != Some(OsStr::new(".git")) {
                left.push(entry.clone());
            }
            let content = match () {
                () if about.is_symlink() => fs::read_link(&entry).unwrap().into_os_string().into_encoded_bytes(),
                () if about.is_dir() => Vec::new(),
                () => fs::read(&entry).unwrap(),
            };
            found.push((entry, about.permissions().mode(), content));
        }
    }
    let index = directory.join(".git/index");
    found.push((index.clone(), 0, fs::read(index).unwrap()));
    found.sort();
    found
}

/// The files of the workspace and of the worktree are the same, but for `.git`.
fn assert_same(scene: &Scene) {
    let below = |top: PathBuf| {
        let all = everything_but_git(&top);
        all.into_iter()
            .map(|(path, mode, content)| (path.strip_prefix(&top).unwrap().to_owned(), mode, content))
            .collect::<Vec<_>>()
    };
    assert_eq!(below(scene.top()), below(scene.tree()));
}

fn everything_but_git(top: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![top.to_owned()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()) {
            let about = entry.symlink_metadata().unwrap();
            match () {
                () if entry.file_name() == Some(OsStr::new(".git")) => {}
                () if about.is_dir() => left.push(entry),
                () if about.is_symlink() => {
                    found.push((entry.clone(), 0, fs::read_link(entry).unwrap().into_os_string().into_encoded_bytes()));
                }
                () => found.push((entry.clone(), about.permissions().mode(), fs::read(entry).unwrap())),
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_sort_of_change_arrives_to_the_byte_and_the_index_stays() {
    let scene = Scene::with(&[
        ("kept", b"a\nb\n"),
        ("renamed", b"a name\n"),
        ("deep/down/gone", b"x\n"),
        ("script", b"#!/bin/sh\n"),
        ("crlf", b"a\r\nb\r\n"),
        ("unended", b"a"),
        ("pixel", b"\x00\x01\x02"),
        ("latin", b"caf\xe9\n"),
        ("link-to-be", b"x\n"),
        ("emptied", b"x\n"),
        ("becomes-directory", b"x\n"),
        ("becomes-file/x", b"x\n"),
    ]);
    let tree = scene.tree();
    fs::write(tree.join("kept"), "a\nB\n").unwrap();
    fs::rename(tree.join("renamed"), tree.join("with a new name")).unwrap();
    fs::remove_dir_all(tree.join("deep")).unwrap();
    fs::set_permissions(tree.join("script"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(tree.join("crlf"), "a\r\nB\r\n").unwrap();
    fs::write(tree.join("unended"), "b").unwrap();
    fs::write(tree.join("pixel"), b"\x00\xff\xfe").unwrap();
    fs::write(tree.join("latin"), b"th\xe9\n").unwrap();
    fs::remove_file(tree.join("link-to-be")).unwrap();
    symlink("kept", tree.join("link-to-be")).unwrap();
    fs::write(tree.join("emptied"), "").unwrap();
    fs::remove_file(tree.join("becomes-directory")).unwrap();
    write(&tree.join("becomes-directory/x"), b"y\n");
    fs::remove_dir_all(tree.join("becomes-file")).unwrap();
    write(&tree.join("becomes-file"), b"y\n");
    write(&tree.join("new/deep/er"), b"n\n");
    write(&tree.join("new/\"quoted\"\t\u{e9}\n"), b"n");
    write(&tree.join(OsStr::from_bytes(b"not-utf8-\xff")), b"\xff\n");
    symlink("/nowhere", tree.join("dangling")).unwrap();
    let index = fs::read(scene.top().join(".git/index")).unwrap();
    assert_eq!(scene.apply().unwrap(), 19);
    assert_same(&scene);
    assert_eq!(fs::read(scene.top().join(".git/index")).unwrap(), index);
    let left: Vec<_> =
        fs::read_dir(scene.top().join(".git")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("patch-")), "{left:?}");
    // Once more, there is nothing left to do.
    assert_eq!(scene.apply().unwrap(), 0);
}

#[test]
fn a_workspace_that_moved_on_gets_the_patch_in_both_sides_lines() {
    let scene = Scene::with(&[("lines", TEN.as_bytes()), ("other", b"x\n"), ("mode", TEN.as_bytes())]);
    fs::write(scene.tree().join("lines"), TEN.replace("2\n", "two\n")).unwrap();
    fs::write(scene.tree().join("mode"), TEN.replace("2\n", "two\n")).unwrap();
    fs::write(scene.top().join("lines"), TEN.replace("9\n", "nine\n")).unwrap();
    fs::write(scene.top().join("other"), "y\n").unwrap();
    fs::set_permissions(scene.top().join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
    scene.commit();
    fs::write(scene.top().join("other"), "not committed\n").unwrap();
    assert_eq!(scene.apply().unwrap(), 2);
    let read = |file: &str| fs::read_to_string(scene.top().join(file)).unwrap();
    assert_eq!(read("lines"), TEN.replace("2\n", "two\n").replace("9\n", "nine\n"));
    assert_eq!((read("mode"), read("other").as_str()), (TEN.replace("2\n", "two\n"), "not committed\n"));
    assert_eq!(fs::metadata(scene.top().join("mode")).unwrap().permissions().mode() & 0o111, 0o111);
}

#[test]
fn a_conflict_in_one_file_refuses_the_patch_as_a_whole() {
    let scene = Scene::with(&[("lines", TEN.as_bytes()), ("fine", b"x\n")]);
    fs::write(scene.tree().join("lines"), TEN.replace("2\n", "two\n")).unwrap();
    fs::write(scene.tree().join("fine"), "y\n").unwrap();
    fs::write(scene.top().join("lines"), TEN.replace("2\n", "deux\n")).unwrap();
    scene.commit();
    let (message, files) = scene.refused();
    assert_eq!((message.contains("changed the same lines"), files.as_str()), (true, r#"["lines"]"#));

    // Gone on one side and different on the other, binary on both, and two kinds of thing.
    let scene = Scene::with(&[("gone", b"x\n"), ("pixel", b"\0a"), ("link", b"x\n"), ("both", b"x\n")]);
    fs::remove_file(scene.tree().join("gone")).unwrap();
    fs::write(scene.tree().join("pixel"), b"\0b").unwrap();
    fs::remove_file(scene.tree().join("link")).unwrap();
    symlink("x", scene.tree().join("link")).unwrap();
    fs::write(scene.tree().join("both"), "same\n").unwrap();
    write(&scene.tree().join("added"), b"theirs\n");
    fs::write(scene.top().join("gone"), "y\n").unwrap();
    fs::write(scene.top().join("pixel"), b"\0c").unwrap();
    fs::write(scene.top().join("link"), "y\n").unwrap();
    fs::write(scene.top().join("both"), "same\n").unwrap();
    write(&scene.top().join("added"), b"ours\n");
    scene.commit();
    assert_eq!(scene.refused().1, r#"["added","gone","link","pixel"]"#);
}

#[test]
fn changes_that_are_not_committed_are_never_written_over() {
    let scene = Scene::with(&[("mine", b"x\n"), ("staged", b"x\n"), ("removed", b"x\n"), ("clean", b"x\n")]);
    for file in ["mine", "staged", "removed", "clean", "untracked"] {
        fs::write(scene.tree().join(file), "theirs\n").unwrap();
    }
    fs::write(scene.top().join("mine"), "mine\n").unwrap();
    fs::write(scene.top().join("staged"), "mine\n").unwrap();
    git_in(&scene.top(), &["add", "staged"]);
    fs::remove_file(scene.top().join("removed")).unwrap();
    fs::write(scene.top().join("untracked"), "mine\n").unwrap();
    let (message, files) = scene.refused();
    assert!(message.contains("not committed"), "{message}");
    assert_eq!(files, r#"["mine","removed","staged","untracked"]"#);
}

#[test]
fn no_symbolic_link_is_followed_out_of_the_workspace() {
    let scene = Scene::with(&[("dir/file", b"x\n")]);
    let outside = scene.root.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("file"), "x\n").unwrap();
    fs::write(scene.tree().join("dir/file"), "theirs\n").unwrap();
    write(&scene.tree().join("dir/new"), b"theirs\n");
    fs::remove_dir_all(scene.top().join("dir")).unwrap();
    symlink(&outside, scene.top().join("dir")).unwrap();
    let (_, files) = scene.refused();
    assert_eq!(files, r#"["dir/file","dir/new"]"#);
    assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "x\n");
    // A directory in the place of a file stops it, too, and whatever was done before is undone.
    let scene = Scene::with(&[("a", b"x\n")]);
    fs::write(scene.tree().join("a"), "theirs\n").unwrap();
    write(&scene.tree().join("z"), b"theirs\n");
    write(&scene.top().join("z/inside"), b"mine\n");
    assert_eq!(scene.refused().1, r#"["z"]"#);
}

#[test]
fn a_file_that_is_written_between_the_plan_and_the_placing_refuses_it() {
    let scene = Scene::with(&[("one", b"x\n"), ("two", b"x\n")]);
    for file in ["one", "two", "new"] {
        fs::write(scene.tree().join(file), "theirs\n").unwrap();
    }
    let repository = scene.repository();
    let plan = repository.plan(&scene.base, &scene.patch()).unwrap();
    for (file, was) in [("two", "x\n"), ("new", "")] {
        fs::write(scene.top().join(file), "mine\n").unwrap();
        let before = everything(&scene.top());
        let failure = plan.place().unwrap_err();
        assert!(failure.message.contains("while the patch was being applied"), "{failure:?}");
        assert_eq!(everything(&scene.top()), before);
        if was.is_empty() {
            fs::remove_file(scene.top().join(file)).unwrap();
        }
        let replanned = repository.plan(&scene.base, &scene.patch());
        assert_eq!(replanned.is_err(), !was.is_empty(), "a new plan sees it");
        git_in(&scene.top(), &["checkout", "--quiet", "--", "two"]);
    }
    // What is placed and not kept goes back.
    let plan = repository.plan(&scene.base, &scene.patch()).unwrap();
    let before: Vec<_> = everything_but_git(&scene.top());
    drop(plan.place().unwrap());
    assert_eq!(everything_but_git(&scene.top()), before);
}

#[test]
fn a_patch_that_is_damaged_or_against_something_else_is_refused() {
    let scene = Scene::with(&[("file", b"x\n")]);
    fs::write(scene.tree().join("file"), "theirs\n").unwrap();
    let patch = scene.patch();
    let repository = scene.repository();
    let cut = &patch[..patch.len() - 4];
    for (base, patch) in [(scene.base.as_str(), cut), (&"0".repeat(40), &patch[..]), ("--help", &patch[..])] {
        let failure = repository.plan(base, patch).unwrap_err();
        assert_eq!(failure.code, ErrorCode::PatchUnusable, "{failure:?}");
    }
    let evil = b"diff --git a/.git/config b/.git/config\nnew file mode 100644\n--- /dev/null\n+++ b/.git/config\n@@ -0,0 +1 @@\n+x\n";
    assert!(repository.plan(&scene.base, evil).is_err());
    let evil = b"diff --git a/../x b/../x\nnew file mode 100644\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1 @@\n+x\n";
    assert!(repository.plan(&scene.base, evil).is_err());
    assert!(!scene.root.path().join("x").exists());
}

#[test]
fn no_program_that_the_repository_names_runs() {
    let scene = Scene::with(&[
        ("file", TEN.as_bytes()),
        (".gitattributes", b"* filter=tell merge=tell diff=tell\n*.odd filter=a=b\n"),
        ("x.odd", b"x\n"),
    ]);
    let (told, program) = (scene.root.path().join("told"), scene.root.path().join("tell"));
    fs::write(scene.tree().join("file"), TEN.replace("2\n", "two\n")).unwrap();
    fs::write(scene.tree().join("x.odd"), "y\n").unwrap();
    let patch = scene.patch();
    fs::write(scene.top().join("file"), TEN.replace("9\n", "nine\n")).unwrap();
    scene.commit();
    fs::write(&program, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", told.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    for hook in ["post-checkout", "post-index-change", "reference-transaction", "pre-commit", "post-commit"] {
        fs::copy(&program, scene.top().join(".git/hooks").join(hook)).unwrap();
    }
    let mut config = fs::read_to_string(scene.top().join(".git/config")).unwrap();
    let tell = program.display();
    for filter in ["tell", "a=b"] {
        config +=
            &format!("[filter \"{filter}\"]\nclean = {tell}\nsmudge = {tell}\nprocess = {tell}\nrequired = true\n");
    }
    config += &format!(
        "[merge \"tell\"]\ndriver = {tell} %O %A %B\n[diff]\nexternal = {tell}\n[diff \"tell\"]\ntextconv = {tell}\n"
    );
    config += &format!("[core]\nfsmonitor = {tell}\n[gpg]\nprogram = {tell}\n[commit]\ngpgsign = true\n");
    fs::write(scene.top().join(".git/config"), config).unwrap();
    let repository = scene.repository();
    let placed = repository.plan(&scene.base, &patch).unwrap().place().unwrap().keep();
    assert_eq!(placed.files, 2);
    let both = TEN.replace("2\n", "two\n").replace("9\n", "nine\n");
    assert_eq!(fs::read_to_string(scene.top().join("file")).unwrap(), both);
    branch(&repository, &scene.base, &patch, "baton/JOB-001").unwrap();
    assert!(!told.exists(), "{}", fs::read_to_string(told).unwrap());
}

#[test]
fn a_repository_whose_working_tree_is_elsewhere_is_refused() {
    let scene = Scene::with(&[("file", b"x\n")]);
    let elsewhere = scene.root.path().canonicalize().unwrap().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    git_in(&scene.top(), &["config", "core.worktree", elsewhere.to_str().unwrap()]);
    let failure = Repository::open(&scene.top(), &scene.root.path().join("scratch")).unwrap_err();
    assert_eq!(failure.code, ErrorCode::PatchUnusable, "{failure:?}");
}

#[test]
fn lines_end_in_the_workspace_as_its_attributes_say() {
    let scene = Scene::with(&[(".gitattributes", b"*.txt text eol=crlf\n"), ("a.txt", b"one\r\ntwo\r\n")]);
    fs::write(scene.tree().join("a.txt"), "one\r\nzwei\r\n").unwrap();
    write(&scene.tree().join("new.txt"), b"n\r\n");
    assert_eq!(scene.apply().unwrap(), 2);
    assert_same(&scene);
}

fn branch(repository: &Repository, base: &str, patch: &[u8], name: &str) -> Result<Branch, Failure> {
    repository.make_branch(&BranchDraft { name, base, patch, message: "Mend the roof\n\nJOB-001.\n" })
}

#[test]
fn a_branch_is_one_commit_on_the_base_and_nothing_else_is_touched() {
    let scene = Scene::with(&[("file", b"x\n")]);
    fs::write(scene.tree().join("file"), "theirs\n").unwrap();
    let patch = scene.patch();
    fs::write(scene.top().join("file"), "moved on\n").unwrap();
    scene.commit();
    fs::write(scene.top().join("file"), "not committed\n").unwrap();
    git_in(&scene.top(), &["config", "user.name", "Ben"]);
    git_in(&scene.top(), &["config", "user.email", "ben@example.org"]);
    let before = everything(&scene.top());
    let repository = scene.repository();
    let made = branch(&repository, &scene.base, &patch, "baton/JOB-001").unwrap();
    assert!(made.is_new);
    assert_eq!(everything(&scene.top()), before);
    let asked = |words: &[&str]| line(&git_in(&scene.top(), words));
    assert_eq!(asked(&["rev-parse", "baton/JOB-001^"]), scene.base);
    assert_eq!(asked(&["show", "baton/JOB-001:file"]), "theirs");
    let told = |name: &str| asked(&["log", "-1", "--format=%s|%an|%ce", name]);
    assert_eq!(told("baton/JOB-001"), "Mend the roof|Ben|ben@example.org");
    git_in(&scene.top(), &["config", "user.email", ""]);
    branch(&repository, &scene.base, &patch, "nobody").unwrap();
    assert_eq!(told("nobody"), "Mend the roof|Baton|baton@localhost");
    // The same again is the same, and another one is not written over.
    let again = branch(&repository, &scene.base, &patch, "baton/JOB-001").unwrap();
    assert_eq!(again, Branch { commit: made.commit.clone(), is_new: false });
    fs::write(scene.tree().join("file"), "something else\n").unwrap();
    let taken = branch(&repository, &scene.base, &scene.patch(), "baton/JOB-001").unwrap_err();
    assert_eq!(taken.code, ErrorCode::PatchConflict, "{taken:?}");
    assert_eq!(asked(&["rev-parse", "baton/JOB-001"]), made.commit);
    repository.unmake_branch("baton/JOB-001", &again);
    assert_eq!(asked(&["rev-parse", "baton/JOB-001"]), made.commit, "it was there before");
    repository.unmake_branch("baton/JOB-001", &made);
    assert_eq!(asked(&["branch", "--list", "baton/*"]), "");
    for name in ["-d", "a..b", "", "x/", "a b", "@{-1}"] {
        assert_eq!(
            branch(&repository, &scene.base, &patch, name).unwrap_err().code,
            ErrorCode::InvalidInput,
            "{name:?}"
        );
    }
}
