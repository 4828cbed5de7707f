//! A repository that names programs wherever git takes one.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use baton_testkit::{git_for_tests, script};
use tempfile::TempDir;

use super::*;

struct Hostile {
    directory: TempDir,
}

impl Hostile {
    /// A repository with a file for each kind of driver, and all that executes configured.
    fn new() -> Self {
        let hostile = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(hostile.at("repo")).unwrap();
        hostile.git(&["init", "--quiet", "--initial-branch=main"]);
        for name in ["a.clean", "a.process", "a.diff", "a.merge", "a.odd", "a.elsewhere"] {
            hostile.write(name, "1\n");
        }
        let attributes = "*.clean filter=evil\n*.process filter=served\n*.diff diff=evil\n*.merge merge=evil\n\
                          *.odd filter=a.b=c\n*.elsewhere filter=elsewhere\n";
        hostile.write(".gitattributes", attributes);
        hostile.git(&["add", "."]);
        hostile.git(&["commit", "--quiet", "--message=first"]);
        hostile.arm();
        hostile
    }

    fn arm(&self) {
        script(&self.at("evil"), &format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat\n", self.at("ran").display()));
        for hook in ["post-checkout", "post-index-change", "reference-transaction", "pre-commit"] {
            fs::copy(self.at("evil"), self.at("repo/.git/hooks").join(hook)).unwrap();
        }
        let evil = self.at("evil").display().to_string();
        for name in [
            "core.fsmonitor",
            "core.pager",
            "core.editor",
            "core.sshCommand",
            "diff.external",
            "diff.evil.textconv",
            "diff.evil.command",
            "filter.evil.clean",
            "filter.evil.smudge",
            "filter.served.process",
            "filter.a.b=c.clean",
            "filter.a.b=c.smudge",
            "merge.evil.driver",
            "hook.evil.command",
        ] {
            self.git(&["config", name, &evil]);
        }
        for name in ["filter.evil.required", "filter.served.required", "filter.elsewhere.required"] {
            self.git(&["config", name, "true"]);
        }
        self.git(&["config", "hook.evil.event", "post-checkout"]);
        // Only git in a worktree reads this one.
        let included = format!("[filter \"elsewhere\"]\n\tclean = '{evil}'\n\tsmudge = '{evil}'\n");
        fs::write(self.at("included"), included).unwrap();
        self.git(&["config", "includeIf.gitdir:**/worktrees/**.path", self.at("included").to_str().unwrap()]);
    }

    fn at(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.at("repo").join(name), text).unwrap();
    }

    /// As a person types it: with everything that it executes.
    fn git(&self, words: &[&str]) {
        let mut command = git_for_tests();
        command.arg("-C").arg(self.at("repo"));
        command.args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]).args(words).output().unwrap();
    }

    fn was_executed(&self) -> Option<String> {
        fs::read_to_string(self.at("ran")).ok()
    }
}

fn printed(root: &Path, words: &[&str]) -> String {
    let (subcommand, more) = words.split_first().unwrap();
    let output = command(root, subcommand, Hooks::Off).unwrap().args(more).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn nothing_that_a_repository_names_is_executed() {
    let hostile = Hostile::new();
    let (repo, tree) = (hostile.at("repo"), hostile.at("tree"));
    for name in ["a.clean", "a.process", "a.diff", "a.merge", "a.odd", "a.elsewhere"] {
        // As long as before: git has to look into it.
        hostile.write(name, "2\n");
    }
    let changed = " M a.clean\n M a.diff\n M a.elsewhere\n M a.merge\n M a.odd\n M a.process\n";
    assert_eq!(printed(&repo, &["status", "--porcelain"]), changed);
    assert_eq!(printed(&repo, &["ls-files", "--modified"]).lines().count(), 6);
    let diff = printed(&repo, &["diff", "--no-ext-diff", "--no-textconv"]);
    assert_eq!(diff.matches("\n+2\n").count(), 6, "{diff}");
    printed(&repo, &["worktree", "add", "--quiet", "--detach", "--no-checkout", tree.to_str().unwrap()]);
    printed(&tree, &["reset", "--quiet", "--hard"]);
    for name in ["a.clean", "a.process", "a.odd", "a.elsewhere"] {
        assert_eq!(fs::read_to_string(tree.join(name)).unwrap(), "1\n", "{name}");
    }
    // A merge whose driver is not run is a conflict, and not one side without a word.
    fs::write(tree.join("a.merge"), "3\n").unwrap();
    printed(&tree, &["add", "a.merge"]);
    let patch = hostile.at("patch");
    fs::write(&patch, &diff).unwrap();
    printed(&tree, &["apply", "--3way", "--include=a.merge", patch.to_str().unwrap()]);
    assert_eq!(printed(&tree, &["ls-files", "--unmerged"]).lines().count(), 3);
    assert_eq!(hostile.was_executed(), None);

    // It would have been. `--renormalize` filters each file, whatever the index knows of its times.
    // A filter that must not fail and does would end git at its file.
    let lenient = ["-c", "filter.served.required=false", "-c", "filter.elsewhere.required=false"];
    hostile.git(&[&lenient[..], &["add", "--renormalize", "."]].concat());
    let executed = hostile.was_executed().unwrap();
    assert!(executed.lines().count() > 2, "{executed}");
}

#[test]
fn an_agent_programs_own_git_executes_what_the_user_configured_and_nothing_of_the_repository() {
    let hostile = Hostile::new();
    fs::write(
        hostile.at("users"),
        format!("[filter \"mine\"]\n\tclean = echo mine >> '{}'; cat\n", hostile.at("mine").display()),
    )
    .unwrap();
    hostile.write("a.mine", "1\n");
    hostile.write(".git/info/attributes", "*.mine filter=mine\n");
    for name in ["a.clean", "a.process", "a.odd"] {
        hostile.write(name, "2\n");
    }
    let variables = settings_for_agents(&hostile.at("repo")).unwrap();
    assert_eq!(variables[0].0, "GIT_CONFIG_COUNT");
    let keys: Vec<&OsString> =
        variables.iter().filter(|(name, _)| name.to_string_lossy().contains("KEY")).map(|(_, key)| key).collect();
    assert!(keys.contains(&&"filter.a.b=c.clean".into()) && keys.contains(&&"core.fsmonitor".into()), "{keys:?}");
    let run = |words: &[&str]| {
        let mut git = git_for_tests();
        git.arg("-C").arg(hostile.at("repo")).args(["-c", "core.hooksPath=/dev/null"]).args(words);
        let output = git.envs(variables.clone()).env("GIT_CONFIG_GLOBAL", hostile.at("users")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(run(&["status", "--porcelain"]).contains(" M a.clean\n M a.odd\n M a.process\n"));
    run(&["add", "a.mine"]);
    assert_eq!(hostile.was_executed(), None);
    assert!(hostile.at("mine").exists(), "the user's own filter did not run");
}

#[test]
fn where_there_is_no_repository_agents_get_the_fixed_settings_only() {
    let directory = tempfile::tempdir().unwrap();
    let variables = settings_for_agents(directory.path()).unwrap();
    let expected = [
        ("GIT_CONFIG_COUNT", "2"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", "false"),
        ("GIT_CONFIG_KEY_1", "diff.ignoreSubmodules"),
        ("GIT_CONFIG_VALUE_1", "dirty"),
        ("GIT_NO_LAZY_FETCH", "1"),
    ];
    assert_eq!(variables, expected.map(|(name, value)| (name.into(), value.into())));
}

/// The rule of the module, which nothing but a look at the sources can hold.
#[test]
fn nothing_else_in_the_project_starts_git() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let (mut found, mut seen, mut to_see) = (Vec::new(), 0, vec![crates.to_owned()]);
    while let Some(directory) = to_see.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let is_for_tests = ["tests", "tests.rs", "testkit", "bench", "target"].contains(&name);
            if is_for_tests {
                continue;
            }
            if path.is_dir() {
                to_see.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                seen += 1;
                let text = fs::read_to_string(&path).unwrap();
                if text.contains("new(\"git\")") || text.contains("find_on_path(\"git\"") {
                    found.push(path.strip_prefix(crates).unwrap().to_owned());
                }
            }
        }
    }
    assert!(seen > 100, "{seen}");
    assert_eq!(found, [Path::new("app/src/git/command.rs")]);
}
