//! `baton install git-hook` at the program: which hook is meant, and with which store.

use std::fs;

use serde_json::{Value, json};

use baton_harness::install::git_hook;

use crate::support::World;

#[test]
fn the_hook_of_the_repository_runs_this_program_on_this_store() {
    let world = World::new().with_repository();
    let hook = world.workspace().join(".git/hooks/pre-commit");
    let would = world.data_of(&["install", "git-hook", "--print"]);
    assert!(would[0]["would"].as_str().unwrap().starts_with(&format!("would create {}", hook.display())), "{would}");
    assert!(!hook.exists());

    let installed = json!([{
        "changed": true, "outcome": { "hook": hook, "change": "created", "made_executable": false },
    }]);
    assert_eq!(world.data_of(&["install", "git-hook"]), installed);
    let text = fs::read_to_string(&hook).unwrap();
    assert!(text.contains(&format!("baton='{}'\n", env!("CARGO_BIN_EXE_baton"))), "{text}");
    assert!(text.contains(&format!("export BATON_DATA_DIR='{}'\n", world.data().display())), "{text}");
    assert_eq!(world.data_of(&["install", "git-hook"])[0]["changed"], json!(false));

    assert_eq!(world.data_of(&["uninstall", "git-hook"])[0]["outcome"]["change"], "removed_file");
    assert!(!hook.exists());
    assert!(!world.data().exists(), "installing opens no store");
}

#[test]
fn worktrees_and_settings_say_which_hook_is_meant() {
    let world = World::new().with_repository();
    world.git(&["worktree", "add", "--quiet", "../tree"]);
    let tree = world.root().join("tree");
    let hook = |path: &str| world.data_of(&["install", "git-hook", "--path", path])[0]["outcome"]["hook"].clone();
    assert_eq!(hook("../tree"), json!(world.workspace().join(".git/hooks/pre-commit")));
    world.git(&["config", "core.hooksPath", ".githooks"]);
    assert_eq!(hook(tree.to_str().unwrap()), json!(tree.join(".githooks/pre-commit")));
}

#[test]
fn what_makes_no_sense_is_said_and_writes_nothing() {
    let world = World::new();
    let before = World::files(&world.root());
    let refused = |arguments: &[&str], words: &str| {
        let ran = world.run(&[arguments, &["--json"]].concat());
        assert_eq!((ran.status, ran.code().as_str()), (2, "INVALID_INPUT"), "{ran:?}");
        let error = ran.json()["error"].to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(&["install", "git-hook"], "is not in a git repository");
    refused(&["uninstall", "git-hook", "--path", "../home"], "is not in a git repository");
    refused(&["install", "codex", "--path", "."], "--path is only for git-hook");
    refused(&["uninstall", "--all", "--path", "."], "--path is only for git-hook");
    assert_eq!(World::files(&world.root()), before);

    world.git(&["init", "--quiet"]);
    refused(&["install", "git-hook", "--store", "postgres://ana:hunter2@db.example/baton"], "~/.pgpass");
    assert_eq!(world.run(&["install", "--all"]).status, 0);
    assert!(!world.workspace().join(".git/hooks/pre-commit").exists(), "--all is about harnesses");
}

/// The targets of an answer, by the names they have there.
fn targets(answer: &Value) -> Vec<&str> {
    let outcomes = answer.as_array().into_iter().flatten().map(|done| &done["outcome"]);
    outcomes.map(|outcome| outcome["harness"].as_str().unwrap_or(git_hook::SLUG)).collect()
}

#[test]
fn a_project_gets_its_hook_with_its_harnesses_and_keeps_it_for_the_last() {
    let world = World::new().with_repository();
    let before = World::files(&world.workspace());
    let hook = world.workspace().join(".git/hooks/pre-commit");
    let would = world.data_of(&["install", "codex", "--project", "--print"]);
    assert!(would[1]["would"].as_str().unwrap().contains("scope check --staged"), "{would}");
    assert_eq!(World::files(&world.workspace()), before);

    let installed = world.data_of(&["install", "codex", "claude-code", "--project"]);
    assert_eq!(targets(&installed), ["codex", "claude-code", "git-hook"]);
    let text = fs::read_to_string(&hook).unwrap();
    assert!(text.contains("baton='baton'\n") && !text.contains("BATON_DATA_DIR="), "{text}");
    assert_eq!(world.data_of(&["install", "codex", "--project"])[1]["changed"], json!(false));

    let kept = world.data_of(&["uninstall", "codex", "--project"]);
    assert!(kept[1]["skipped"].as_str().unwrap().starts_with("kept for Claude Code"), "{kept}");
    assert!(hook.exists());
    assert_eq!(world.data_of(&["uninstall", "claude-code", "--project"])[1]["outcome"]["change"], "removed_file");
    assert_eq!(World::files(&world.workspace()), before);
}

#[test]
fn a_project_can_do_without_the_hook() {
    let world = World::new().with_repository();
    let installed = world.data_of(&["install", "codex", "--project", "--without", "git-hook"]);
    assert_eq!(targets(&installed), ["codex"]);
    assert!(!world.workspace().join(".git/hooks/pre-commit").exists());
    for arguments in [
        &["install", "codex", "--without", "git-hook", "--json"][..],
        &["install", "git-hook", "--project", "--without", "git-hook", "--json"],
    ] {
        let ran = world.run(arguments);
        assert_eq!((ran.status, ran.code().as_str()), (2, "INVALID_INPUT"), "{ran:?}");
    }
}
