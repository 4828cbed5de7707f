use super::{super::read_shell, ShellEffect, read, unknown};

#[test]
fn verbs_that_read_are_free() {
    read(&[
        "git status",
        "git log --oneline -5",
        "git diff",
        "git diff --stat HEAD~1",
        "git show HEAD:a",
        "git -C a status",
        "git --no-pager log",
        "git branch",
        "git branch -a",
        "git branch --show-current",
        "git branch --list 'x*'",
        "git branch --contains abc",
        "git tag",
        "git tag -l 'v*'",
        "git stash list",
        "git stash show -p",
        "git worktree list",
        "git remote -v",
        "git config --get user.name",
        "git config -l",
        "git rev-parse HEAD",
        "git ls-files",
        "git blame a",
        "git grep -n x",
        "git reflog",
        "git submodule status",
        "git bisect log",
        "git apply --check p",
        "git add -n .",
        "git clean -nd",
        "git cat-file -p HEAD",
        "git symbolic-ref HEAD",
        "git --version",
        "git notes show",
        "git sparse-checkout list",
    ]);
}

#[test]
fn verbs_that_move_the_tree_write() {
    for command in [
        "git checkout main",
        "git switch x",
        "git checkout -b x main",
        "git restore a",
        "git reset --hard",
        "git stash",
        "git stash pop",
        "git stash -u",
        "git rebase main",
        "git merge x",
        "git pull",
        "git cherry-pick x",
        "git revert x",
        "git clean -fd",
        "git am p",
        "git apply p",
        "git rm a",
        "git mv a b",
        "git worktree add ../x",
        "git submodule update --init",
        "git sparse-checkout set a",
        "git bisect start",
        "git read-tree x",
        "git stash $x",
        "git clean -f -e -n",
        "git apply --check --apply p",
        "sudo git reset",
        "/usr/bin/git reset",
        "git status && git pull",
    ] {
        let reading = read_shell(command);
        assert!(reading.moves_tree && reading.writes.is_empty(), "{command}: {reading:?}");
        assert_eq!((reading.effect, reading.trees), (ShellEffect::Writes, vec![".".to_owned()]), "{command}");
    }
}

#[test]
fn verbs_that_move_only_the_index_or_the_branch_are_told_apart() {
    for command in [
        "git add .",
        "git commit -m x",
        "git --no-pager commit -m 'a > b'",
        "git commit -m \"$(cat <<'E'\nline > one\nE\n)\"",
        "git update-index --refresh",
        "git checkout -b x",
        "git switch -c x",
        "git status && git add a",
    ] {
        let reading = read_shell(command);
        assert!(reading.moves_tree && reading.writes.is_empty() && reading.trees.is_empty(), "{command}: {reading:?}");
        assert_eq!((reading.effect, reading.indexes), (ShellEffect::Writes, vec![".".to_owned()]), "{command}");
    }
    read(&["git commit --dry-run", "git checkout --help"]);
}

#[test]
fn the_directory_of_a_tree_that_is_moved_is_known() {
    let trees = |command: &str| read_shell(command).trees;
    assert_eq!(trees("git -C /tmp/x pull"), ["/tmp/x"]);
    assert_eq!(trees("cd a && git -C b pull && git reset"), ["a/b", "a"]);
    assert_eq!(trees("git -C $D pull; git pull"), ["."]);
    assert!(read_shell("git -C $D pull; git pull").is_partial);
    assert_eq!(read_shell("cd a && git -C b add . && git commit").indexes, ["a/b", "a"]);
    let moved = read_shell("git --git-dir=x --work-tree=y checkout z");
    assert!(moved.moves_tree && moved.is_partial);
    let moved = read_shell("cd a; git commit");
    assert!(moved.moves_tree && moved.is_partial);
}

#[test]
fn other_verbs_and_options_that_run_or_write_are_unknown() {
    unknown(&[
        "git fetch",
        "git push",
        "git clone x",
        "git gc",
        "git frobnicate",
        "git $x",
        "git branch x",
        "git branch -D x",
        "git branch -m a b",
        "git tag v1",
        "git tag -d v1",
        "git stash drop",
        "git remote add a b",
        "git config a.b c",
        "git config --unset a.b",
        "git worktree prune",
        "git reflog expire",
        "git -c core.pager=x status",
        "git --exec-path=. status",
        "git -p log",
        "git diff --output=f",
        "git diff --outp f",
        "git diff --ext-diff",
        "git log --textconv",
        "git grep -O x",
        "git grep --open-files-in-pager=x y",
        "git grep --op x",
        "git show $x",
        "git diff *",
        "git submodule foreach 'rm x'",
        "git submodule \"upd$x\"",
        "git notes --ref x add",
        "git symbolic-ref HEAD refs/x",
        "git difftool",
        "git ls-remote ext::x",
        "git archive -o f HEAD",
        "git format-patch -1",
        "GIT_PAGER=x git log",
        "GIT_DIR=x git status",
        "git bisect visualize",
        "git branch --edit-description",
        "git reflog \"ex$x\"",
    ]);
}
