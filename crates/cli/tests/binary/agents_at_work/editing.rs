//! A program that changes files in a worktree of its own, and the diff that comes back.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use std::fs;

use baton_testkit::{
    clients::left_out,
    model::{Step, Turn},
};
use serde_json::{Value, json};

use super::scene::{JOB, Program, Scene};
use crate::support::World;

#[test]
fn what_codex_changes_in_its_worktree_comes_back_as_a_diff() {
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: cache.txt\n@@\n-unbounded\n+bounded\n*** End Patch\nEOF";
    changes_files(
        Program::Codex,
        ["edit", "shell"],
        vec![
            Step::call_own("exec_command", json!({"cmd": patch})),
            Step::call_own("exec_command", json!({"cmd": "echo 1 MB > limit.txt"})),
        ],
    );
}

#[test]
fn what_claude_changes_in_its_worktree_comes_back_as_a_diff() {
    let file = |turn: &Turn, name: &str| json!(format!("{}/{name}", directory_of(turn)));
    changes_files(
        Program::Claude,
        ["Edit", "Write"],
        vec![
            Step::decide(move |turn| Step::call_own("Read", json!({"file_path": file(turn, "cache.txt")}))),
            Step::decide(move |turn| {
                let path = file(turn, "cache.txt");
                Step::call_own("Edit", json!({"file_path": path, "old_string": "unbounded", "new_string": "bounded"}))
            }),
            Step::decide(move |turn| {
                Step::call_own("Write", json!({"file_path": file(turn, "limit.txt"), "content": "1 MB\n"}))
            }),
        ],
    );
}

fn changes_files(program: Program, tools: [&str; 2], mut steps: Vec<Step>) {
    if left_out() {
        return;
    }
    let world = World::new();
    world.write("cache.txt", "unbounded\n");
    let scene = Scene::in_world(program, world.with_repository());
    scene.delegate(&["--isolation", "worktree", "--expect", "diff"]);
    let card = json!({"op": "card.create", "args": {"kind": "evidence", "title": "It is bounded", "text": "See."}});
    steps.extend([
        Step::call("tasks", card),
        Step::answer(json!({"status": "DONE", "summary": "Bounded.", "refs": ["CARD-1"], "events": []})),
    ]);
    let script = scene.script(steps);
    let told = scene.run_once().finishes();
    script.finished();
    assert_eq!(scene.job()["status"], "DONE", "{told}");
    for tool in tools {
        assert!(told.contains(&format!("{JOB} used {tool} ")), "{tool}: {told}");
    }
    let diff = scene.artifact(1, "diff.patch");
    for line in ["-unbounded", "+bounded", "+1 MB", "+++ b/cache.txt", "+++ b/limit.txt"] {
        assert!(diff.lines().any(|known| known == line), "{line} is not in {diff}");
    }
    assert_eq!(fs::read_to_string(scene.world.workspace().join("cache.txt")).unwrap(), "unbounded\n");
    assert!(!scene.world.workspace().join("limit.txt").exists());
    let trees: Vec<Value> = fs::read_dir(scene.world.data().join("worktrees"))
        .unwrap()
        .map(|entry| json!(entry.unwrap().file_name().to_str()))
        .collect();
    assert_eq!(trees, [json!(null); 0]);
}

/// Where `claude` says that it works.
pub(super) fn directory_of(turn: &Turn) -> String {
    let prompt = turn.prompt();
    let line = prompt.lines().find_map(|line| line.split_once("Primary working directory: "));
    line.unwrap_or_else(|| panic!("it does not say where it works: {prompt}")).1.trim().to_owned()
}
