//! A model that fails: for good, and for a while.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use std::collections::BTreeSet;

use baton_testkit::{
    clients::left_out,
    model::{Gate, Step},
};
use serde_json::json;

use super::scene::{Program, Scene};

#[test]
fn a_job_fails_when_codex_gives_up_three_times() {
    fails_when_the_program_gives_up(Program::Codex);
}

#[test]
fn a_job_fails_when_claude_gives_up_three_times() {
    fails_when_the_program_gives_up(Program::Claude);
}

fn fails_when_the_program_gives_up(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    scene.delegate(&[]);
    let script = scene.always(vec![Step::fail(400)]);
    scene.run_once().finishes();

    // Each began a conversation of its own; how often it asks in one is the program's affair.
    let sessions: BTreeSet<_> = script.turns().into_iter().map(|turn| turn.session).collect();
    assert_eq!(sessions.len(), 3, "{sessions:?}");
    let job = scene.job();
    assert_eq!(job["status"], "FAILED");
    let summary = job["summary"].as_str().unwrap();
    assert!(summary.starts_with("Failed 3 times in a row. ") && summary.contains("the script says to fail"), "{job}");
    let errors = scene.events("error");
    assert_eq!(errors.len(), 2);
    assert!(errors[0]["message"].as_str().unwrap().contains("the script says to fail"), "{errors:#?}");
    assert_eq!(scene.events("failed").len(), 1);
}

#[test]
fn it_is_seen_that_codex_tries_again() {
    is_seen_to_try_again(Program::Codex, 6);
}

#[test]
fn it_is_seen_that_claude_tries_again() {
    is_seen_to_try_again(Program::Claude, 1);
}

fn is_seen_to_try_again(program: Program, times: usize) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    scene.delegate(&[]);
    let gate = Gate::closed();
    let script = scene.script(vec![
        Step::fail_times(500, times),
        Step::hold(&gate),
        Step::answer(json!({"status": "FAILED", "summary": "It cannot be done.", "refs": [], "events": []})),
    ]);
    let runner = scene.run_once();
    script.reached(1);
    let tried = scene.events("progress");
    assert!(
        tried[0]["message"].as_str().unwrap().starts_with("the model does not answer, trying again: "),
        "{tried:#?}"
    );
    gate.open();
    runner.finishes();
    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("FAILED"), &json!("It cannot be done.")));
}
