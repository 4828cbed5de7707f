//! Turns of ordinary jobs: what their agents are told, and what is on record of it.

use std::fs;

use serde_json::{Value, json};

use crate::stage::{JOB, Stage};

/// Fails, in good form: that needs no proof.
const GIVES_UP: &str = r#"echo '{"status":"FAILED","summary":"No ladder."}'"#;

/// The turns of a stage's room, oldest first.
fn turns(stage: &Stage) -> Vec<Value> {
    let found = stage.call("ana", "context.turn.list", json!({}));
    found["turns"].as_array().unwrap().iter().rev().cloned().collect()
}

/// What a reference leads to, look by look.
fn text_of(stage: &Stage, reference: &str) -> String {
    let (mut text, mut offset) = (String::new(), Some(0));
    while let Some(from) = offset {
        let opened = stage.look("open", json!({ "id": reference, "offset": from, "workspace": stage.room }));
        text += opened["content"]["text"].as_str().unwrap();
        offset = opened["content"]["next_offset"].as_u64();
    }
    text
}

#[test]
fn what_is_told_in_a_turn_is_on_record_as_it_was_sent() {
    let stage = Stage::new(
        r#"case $n in 1) echo no answer at all ;; *) echo '{"status":"FAILED","summary":"No ladder."}' ;; esac"#,
    );
    stage.job("task");
    let runner = stage.start("one");
    assert_eq!(stage.end(), ("FAILED".to_owned(), "No ladder.".to_owned()));
    runner.leave();
    let turns = turns(&stage);
    let told: Vec<_> =
        turns.iter().map(|turn| (&turn["turn"], &turn["outcome"], &turn["mode"], &turn["role"])).collect();
    let role = json!("implementer");
    assert_eq!(
        told,
        [
            (&json!("TURN-1"), &json!("failed"), &json!("full"), &role),
            (&json!("TURN-2"), &json!("completed"), &json!("full"), &role),
        ]
    );
    assert!(turns[0]["why"].as_str().unwrap().ends_with("no answer at all"), "{:#}", turns[0]);
    assert_eq!((&turns[0]["job"], &turns[0]["executor"]), (&json!(JOB), &json!("command")));
    let artifacts = stage.call("ana", "tasks.artifact.list", json!({ "job": JOB }));
    let of = |name: &str| -> Vec<String> {
        let found = artifacts["artifacts"].as_array().unwrap().iter().filter(|artifact| artifact["name"] == name);
        let mut refs: Vec<_> = found.map(|artifact| artifact["ref"].as_str().unwrap().to_owned()).collect();
        refs.sort();
        refs
    };
    let (full, blocks) = (of("prompt.full.txt"), of("prompt.blocks.json"));
    assert_eq!((full.len(), blocks.len()), (2, 2), "{artifacts:#}");
    assert_eq!(text_of(&stage, &full[0]), stage.prompt(1));
    let blocks: Value = serde_json::from_str(&text_of(&stage, &blocks[0])).unwrap();
    assert_eq!(blocks["tokens"]["full"], json!(stage.prompt(1).len().div_ceil(4)));
    assert_eq!(turns[0]["tokens"], blocks["tokens"]["full"]);
    let names: Vec<_> =
        blocks["blocks"].as_array().unwrap().iter().map(|block| block["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["system", "role", "mode", "pack", "job", "thread", "closing"]);
}

#[test]
fn a_role_that_is_not_there_fails_its_job_and_says_which_are() {
    let stage = Stage::new(GIVES_UP);
    stage.job_with(json!({ "kind": "review", "meta": { "role": "wizard" } }));
    let runner = stage.start("one");
    let (status, why) = stage.end();
    assert_eq!(status, "FAILED");
    assert!(why.contains("there is no role wizard; there are implementer, orchestrator, planner"), "{why}");
    runner.leave();
    assert_eq!(turns(&stage), [json!(null); 0], "nothing was run with another one");
}

#[test]
fn a_workspace_has_roles_of_its_own_and_one_that_is_wrong_is_named() {
    let stage = Stage::new(GIVES_UP);
    let roles = stage.here().join("work/.baton/roles");
    fs::create_dir_all(&roles).unwrap();
    fs::write(roles.join("reviewer.md"), "{{agent}} looks at roofs for {{job}}.").unwrap();
    stage.job_with(json!({ "kind": "review" }));
    let runner = stage.start("one");
    stage.end();
    let told = stage.prompt(1);
    assert!(told.contains("## Role\njob:JOB-001@") && told.contains("looks at roofs for JOB-001."), "{told}");
    fs::write(roles.join("reviewer.md"), "Hello {{user}}.").unwrap();
    stage.call(
        "ana",
        "jobs.create",
        json!({ "title": "Look", "prompt": "Look.", "kind": "review", "executor": "command" }),
    );
    runner.says("JOB-002 cannot go on");
    runner.leave();
    let job = stage.call("ana", "jobs.open", json!({ "job": "JOB-002" }))["job"].clone();
    let why = job["summary"].as_str().unwrap();
    assert!(job["status"] == "FAILED" && why.contains("reviewer.md cannot be used: it has {{user}}"), "{job:#}");
}

#[test]
fn a_room_that_plans_and_what_it_is_for_are_told() {
    let stage = Stage::new(GIVES_UP);
    let brief = json!({ "goal": "A dry house", "global_mode": "PLANNING", "constraints": { "noNewTiles": true } });
    stage.call("ana", "context.brief.edit", brief);
    stage.job("plan");
    let runner = stage.start("one");
    stage.end();
    runner.leave();
    let told = stage.prompt(1);
    for part in ["PLANNING: change no files", "You are a planner.", "\"goal\":\"A dry house\"", "noNewTiles"] {
        assert!(told.contains(part), "{part} is not in {told}");
    }
}

#[test]
fn a_manager_is_heard_once() {
    let stage = Stage::new(
        r#"case $n in 1) echo > "$here/asked"; cat "$here/go" > /dev/null; echo '{"status":"CONTINUE","summary":"Looked."}' ;;
*) echo '{"status":"FAILED","summary":"No ladder."}' ;; esac"#,
    );
    let (asked, go) = (stage.pipe("asked"), stage.pipe("go"));
    stage.job("task");
    let runner = stage.start("one");
    fs::read(asked).unwrap();
    stage.call("ana", "jobs.message", json!({ "job": JOB, "message": "Take the long one." }));
    fs::write(go, "go").unwrap();
    stage.end();
    runner.leave();
    let told = stage.prompt(2);
    assert!(told.contains("manager (test:ana): Take the long one.") && !told.contains("## Inbox"), "{told}");
}
