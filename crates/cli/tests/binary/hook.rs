//! `baton hook`: the contract that every program relies on, whoever calls it and whatever it is given.

use std::{path::Path, process::Command};

use serde_json::{Value, json};

use crate::support::{Ran, World};

const HARNESSES: [&str; 4] = ["claude-code", "codex", "gemini", "opencode"];

/// An edit of `a.txt` in the workspace, as each program tells it.
fn edit(world: &World, harness: &str) -> Value {
    let file = world.workspace().join("a.txt");
    let (event, tool, input) = match harness {
        "claude-code" => ("PreToolUse", "Write", json!({"file_path": file, "content": "x"})),
        "codex" => ("PreToolUse", "apply_patch", json!({"command": "*** Begin Patch\n*** Add File: a.txt\n+x\n"})),
        "gemini" => ("BeforeTool", "write_file", json!({"file_path": file, "content": "x"})),
        _ => ("PreToolUse", "write", json!({"filePath": file, "content": "x"})),
    };
    json!({
        "hook_event_name": event, "session_id": "5e55-10a1", "cwd": world.workspace(), "tool_name": tool,
        "tool_input": input, "tool_use_id": "call-1",
    })
}

/// The answer of a hook that must exit with 0.
fn answer(command: Command, input: &str) -> String {
    let ran = Ran::with_input(command, input);
    assert_eq!(ran.status, 0, "{ran:?}");
    ran.stdout
}

fn asked(world: &World, words: &[&str], input: &Value) -> String {
    answer(world.baton(words), &input.to_string())
}

#[test]
fn whatever_it_is_given_it_exits_with_0_and_stops_nothing() {
    let world = World::new();
    world.join_as("ana");
    for harness in HARNESSES {
        for input in ["", "no JSON", "[]", "{}", r#"{"hook_event_name": 7, "tool_input": []}"#, "\u{0}\u{fffd}"] {
            assert_eq!(answer(world.baton(&["hook", harness]), input), "", "{harness}: {input:?}");
        }
        let unknown = json!({"hook_event_name": "NoSuchEvent", "session_id": "s", "cwd": world.workspace()});
        assert_eq!(asked(&world, &["hook", harness], &unknown), "");
    }
    // A newer or older hook than the program knows.
    for words in [
        &["hook", "no-such-harness"][..],
        &["hook", "gemini", "--no-such-flag"],
        &["hook"],
        &["hook", "gemini", "--json"],
    ] {
        assert_eq!(answer(world.baton(words), "{}"), "", "{words:?}");
    }
}

#[test]
fn without_a_store_and_outside_of_a_room_it_says_nothing_and_writes_nothing() {
    let world = World::new();
    for harness in HARNESSES {
        assert_eq!(asked(&world, &["hook", harness], &edit(&world, harness)), "");
    }
    assert!(!world.data().join("rooms.sqlite").exists(), "a hook makes no store");
}

#[test]
fn an_edit_without_the_stick_is_refused_in_each_programs_own_words() {
    let world = World::new();
    world.join_as("ana");
    world.run_as("ana", &["wait"]);
    for harness in HARNESSES {
        let said: Value = serde_json::from_str(&asked(&world, &["hook", harness], &edit(&world, harness))).unwrap();
        let reason = match harness {
            "claude-code" | "codex" => {
                let output = &said["hookSpecificOutput"];
                assert_eq!(output["permissionDecision"], "deny", "{said}");
                output["permissionDecisionReason"].as_str()
            }
            _ => {
                assert_eq!(said["decision"], "deny", "{said}");
                said["reason"].as_str()
            }
        };
        let reason = reason.unwrap();
        assert!(reason.contains("holds the stick until") && reason.contains("Next: call wait_for_turn"), "{reason}");
        assert!(!reason.ends_with('.'), "Codex adds one: {reason}");
    }
}

#[test]
fn half_a_character_in_its_content_does_not_let_an_edit_pass() {
    let world = World::new();
    world.join_as("ana");
    world.run_as("ana", &["wait"]);
    let input = edit(&world, "claude-code").to_string().replace("\"x\"", r#""half \ud83d""#);
    let said = answer(world.baton(&["hook", "claude-code"]), &input);
    assert!(said.contains("holds the stick until"), "{said}");
}

#[test]
fn a_command_counts_in_the_directory_that_it_names() {
    let world = World::new();
    world.join_as("ana");
    world.run_as("ana", &["wait"]);
    let elsewhere = world.make_workspace("elsewhere");
    for (harness, event, tool, field) in
        [("gemini", "BeforeTool", "run_shell_command", "dir_path"), ("opencode", "PreToolUse", "bash", "workdir")]
    {
        let call = |cwd: &Path, directory: &Path| {
            let mut input = json!({"command": "rm a.txt"});
            input[field] = json!(directory);
            let call = json!({
                "hook_event_name": event, "session_id": "5e55", "cwd": cwd, "tool_name": tool, "tool_input": input,
            });
            asked(&world, &["hook", harness], &call)
        };
        assert!(call(&elsewhere, &world.workspace()).contains("holds the stick"), "{harness}");
        assert_eq!(call(&world.workspace(), &elsewhere), "", "{harness}");
    }
}

#[test]
fn strictly_a_store_that_cannot_be_opened_stops_edits_and_nothing_else() {
    let world = World::new();
    world.join_as("ana");
    for file in World::files(&world.data()) {
        if file.0.to_string_lossy().contains("rooms.sqlite") {
            std::fs::write(file.0, "no database").unwrap();
        }
    }
    let refusal = asked(&world, &["hook", "claude-code", "--strict"], &edit(&world, "claude-code"));
    assert!(refusal.contains("\"deny\""), "{refusal}");
    assert_eq!(asked(&world, &["hook", "claude-code"], &edit(&world, "claude-code")), "");
    let unreadable = r#"{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"n":1e999}}"#;
    let refusal = answer(world.baton(&["hook", "claude-code", "--strict"]), unreadable);
    assert!(refusal.contains("\"deny\""), "{refusal}");
    let start = json!({"hook_event_name": "SessionStart", "session_id": "s", "cwd": world.workspace()});
    assert_eq!(asked(&world, &["hook", "claude-code", "--strict"], &start), "");
}

#[test]
fn a_session_that_is_woken_by_a_wait_of_its_own_is_asked_to_start_one() {
    let world = World::new();
    world.join_as("ana");
    let prompt =
        json!({"hook_event_name": "BeforeAgent", "session_id": "s", "cwd": world.workspace(), "prompt": "Go."});
    let told = |words: &[&str]| asked(&world, words, &prompt);
    let said = told(&["hook", "gemini", "--steer"]);
    assert!(said.contains("you are") && said.contains("again whenever it has ended: baton wait --park"), "{said}");
    assert_eq!(told(&["hook", "gemini", "--steer"]), "", "nothing is new");
}
