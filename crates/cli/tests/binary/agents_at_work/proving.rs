//! Done means shown: what nothing shows comes back, into the same conversation.

use baton_testkit::{
    clients::left_out,
    model::{Gate, Step},
};
use serde_json::json;

use super::scene::{JOB, Program, Scene};

#[test]
fn codex_is_sent_back_for_proof_and_goes_on_where_it_was() {
    is_sent_back_for_proof(Program::Codex);
}

#[test]
fn claude_is_sent_back_for_proof_and_goes_on_where_it_was() {
    is_sent_back_for_proof(Program::Claude);
}

fn is_sent_back_for_proof(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    scene.delegate(&[]);
    let gate = Gate::closed();
    let script = scene.script(vec![
        Step::answer(json!({"status": "DONE", "summary": "Trust me.", "refs": [], "events": []})),
        Step::hold(&gate),
        Step::call(
            "tasks",
            json!({"op": "card.create", "args": {"kind": "test", "title": "It holds", "text": "See."}}),
        ),
        Step::decide(|turn| {
            let card = turn.result(2)["data"]["card"].clone();
            Step::answer(json!({"status": "DONE", "summary": "Now shown.", "refs": [card, "CMD: make"], "events": []}))
        }),
    ]);
    let runner = scene.run_once();

    let again = script.reached(1);
    let line = scene.radar_line();
    assert!(line.contains(&format!(" ! {JOB} (RUNNING) ")), "{line}");
    let gates = scene.events("proof_gate");
    assert_eq!(gates.len(), 1, "{gates:#?}");
    assert_eq!(gates[0]["message"], "DONE was said, and nothing shows it");
    gate.open();
    runner.finishes();
    script.finished();

    assert_eq!(again.session, script.reached(0).session);
    let delta = scene.sent(2);
    assert!(again.prompt().contains(delta.trim()), "{delta}");
    assert!(delta.starts_with(&format!("Go on with {JOB}")) && delta.contains("You said DONE: Trust me."), "{delta}");
    assert!(delta.contains("nothing shows it") && !delta.contains("Find out why"), "{delta}");
    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("DONE"), &json!("Now shown.")));
    assert_eq!((&job["meta"]["slices"], &job["meta"]["session"]), (&json!(2), &json!(again.session)));
    assert_eq!(job["refs"], json!(["CARD-1", "CMD: make"]));
    assert_eq!(scene.events("completed").len(), 1);
    let turns = scene.turns();
    let used: Vec<_> = turns.iter().map(|turn| turn["usage"]["input_tokens"].as_u64().unwrap()).collect();
    assert!(used[1] < 3 * used[0], "a turn is not counted again in the next one: {used:?}");
    assert_eq!(job["meta"]["usage"]["input_tokens"], json!(used.iter().sum::<u64>()), "{job}");
}

#[test]
fn codex_that_ends_with_no_answer_is_asked_again_in_the_same_conversation() {
    if left_out() {
        return;
    }
    let scene = Scene::new(Program::Codex);
    scene.delegate(&[]);
    let script = scene.script(vec![
        Step::say("All done, as far as I can see."),
        Step::answer(json!({"status": "FAILED", "summary": "It cannot be done.", "refs": [], "events": []})),
    ]);
    scene.run_once().finishes();
    script.finished();

    assert_eq!(script.reached(1).session, script.reached(0).session);
    let delta = scene.sent(2);
    assert!(delta.contains("The last slice failed: the answer is not the JSON object that was asked for"), "{delta}");
    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("FAILED"), &json!("It cannot be done.")));
    let errors = scene.events("error");
    assert!(errors[0]["message"].as_str().unwrap().ends_with("All done, as far as I can see."), "{errors:#?}");
}
