//! A job that is sent back goes on from its own changes, in its own conversation.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use baton_testkit::{
    clients::left_out,
    model::{Step, Turn},
};
use serde_json::json;

use super::scene::{JOB, Program, Scene};
use crate::support::World;

#[test]
fn codex_that_is_sent_back_goes_on_from_its_changes_in_the_same_conversation() {
    let command = |line: &str| Step::call_own("exec_command", json!({ "cmd": line }));
    is_sent_back(Program::Codex, command("echo 1 MB > limit.txt"), command("cat limit.txt"));
}

#[test]
fn claude_that_is_sent_back_goes_on_from_its_changes_in_the_same_conversation() {
    let file = |turn: &Turn| {
        let prompt = turn.prompt();
        let line = prompt.lines().find_map(|line| line.split_once("Primary working directory: "));
        json!(format!(
            "{}/limit.txt",
            line.unwrap_or_else(|| panic!("it does not say where it works: {prompt}")).1.trim()
        ))
    };
    let write =
        Step::decide(move |turn| Step::call_own("Write", json!({"file_path": file(turn), "content": "1 MB\n"})));
    let read = Step::decide(move |turn| Step::call_own("Read", json!({"file_path": file(turn)})));
    is_sent_back(Program::Claude, write, read);
}

fn is_sent_back(program: Program, write: Step, read: Step) {
    if left_out() {
        return;
    }
    let world = World::new();
    world.write("cache.txt", "unbounded\n");
    let scene = Scene::in_world(program, world.with_repository());
    scene.delegate(&["--isolation", "worktree"]);
    let card = json!({"op": "card.create", "args": {"kind": "evidence", "title": "It is bounded", "text": "See."}});
    let done =
        |summary: &str| Step::answer(json!({"status": "DONE", "summary": summary, "refs": ["CARD-1"], "events": []}));
    let script = scene.script(vec![write, Step::call("tasks", card), done("Bounded."), read, done("In bytes.")]);
    let told = scene.run_once().finishes();
    assert_eq!((&scene.job()["status"], &scene.job()["summary"]), (&json!("DONE"), &json!("Bounded.")), "{told}");

    scene.manager(&["job", "send-back", JOB, "Say the limit in bytes."]);
    let told = scene.run_once().finishes();
    script.finished();
    let (before, again, last) = (script.reached(0), script.reached(3), script.reached(4));
    assert_eq!(again.session, before.session, "{told}");
    let prompt = again.prompt();
    for part in ["Say the limit in bytes.", "This job ended before: Bounded.", "are in this worktree again"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(last.result_text(3).contains("1 MB"), "{}", last.result_text(3));
    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("DONE"), &json!("In bytes.")));
    assert_eq!(scene.events("error").len(), 0);
    let used: Vec<_> = scene.turns().iter().map(|turn| turn["usage"]["input_tokens"].as_u64().unwrap()).collect();
    assert_eq!(job["meta"]["usage"]["input_tokens"], json!(used.iter().sum::<u64>()), "{used:?}");
    assert!(used[1] < 3 * used[0], "a turn is not counted again in the next one: {used:?}");
}
