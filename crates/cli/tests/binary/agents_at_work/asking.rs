//! From the prompt to the proof, with a question on the way.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use baton_testkit::{
    clients::left_out,
    model::{Step, Turn},
};
use serde_json::{Value, json};

use super::scene::{JOB, Program, Scene};

#[test]
fn codex_asks_its_manager_and_ends_with_proof() {
    asks_and_ends_with_proof(Program::Codex);
}

#[test]
fn claude_asks_its_manager_and_ends_with_proof() {
    asks_and_ends_with_proof(Program::Claude);
}

fn asks_and_ends_with_proof(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    let when = ["--done-when", "It stays below 1 MB", "--verify", "Run the bench"];
    scene.manager(&[&["task", "create", "Tame the cache"][..], &when].concat());
    scene.delegate(&["--task", "1", "--skill", "research"]);
    let script = scene.script(vec![
        Step::call("jobs", json!({"op": "report", "args": {"kind": "question", "message": "May I bound it?"}})),
        Step::call_with("jobs", wait_for_answer),
        Step::call_with("jobs", wait_for_answer),
        Step::call_with("tasks", |turn| {
            let text = answer_in(turn).expect("the manager answered");
            let receipt = "LINK: https://example.org/bench";
            let title = "It is never emptied";
            json!({"op": "card.create", "args": {"kind": "evidence", "title": title, "text": text, "refs": [receipt]}})
        }),
        Step::decide(|turn| {
            let card = turn.result(3)["data"]["card"].clone();
            let checkpoint = json!({"kind": "checkpoint", "message": "bounded it", "percent": 90, "refs": [card]});
            Step::answer(json!({
                "status": "DONE", "summary": "It is bounded now.", "refs": [card, "LINK: https://example.org/bench"],
                "events": [checkpoint],
            }))
        }),
    ]);
    let runner = scene.run_once();

    let first = script.reached(0);
    assert_is_briefed(&first.prompt());
    let asked = script.reached(1).result(0)["data"]["ref"].as_str().unwrap().to_owned();
    let reply = format!("reply reply_job={JOB} reply_message=\"...\"");
    let row = scene.radar_line();
    let shown = format!(
        "{asked} ? {JOB} (RUNNING) Investigate the cache | open id={asked} | {reply} | last question: May I bound it? | age "
    );
    assert!(row.starts_with(&shown), "{row}");
    scene.replies_as_advised("Yes, to 1 MB.");
    runner.finishes();
    script.finished();

    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("DONE"), &json!("It is bounded now.")));
    assert_eq!(job["refs"], json!(["CARD-1", "LINK: https://example.org/bench"]));
    assert_eq!(job["meta"]["session"], json!(first.session));
    assert!(job["meta"]["usage"]["input_tokens"].as_u64().unwrap() > 0, "{job}");
    assert_tells_who_did_what(&scene, &asked);
    assert_left_its_papers(&scene, &first);
    scene.world.assert_sound();
}

/// All that it must know is in what it is told.
fn assert_is_briefed(prompt: &str) {
    for part in [
        "You work on one delegated job.",
        "# Finding something out with Baton",
        "JOB-001: Investigate the cache",
        "Find out why the cache grows.",
        "done when: It stays below 1 MB",
        "verify: Run the bench",
        "created (test:ana): Investigate the cache",
    ] {
        assert!(prompt.contains(part), "{part} is not in {prompt}");
    }
}

/// What the program did itself is the job's own agent's doing, what the runner did is the runner's; and the use of Baton is
/// no news of its own.
fn assert_tells_who_did_what(scene: &Scene, asked: &str) {
    let thread = scene.thread();
    let told: Vec<_> =
        thread.iter().filter(|event| event["kind"] != "progress").map(|event| (&event["kind"], &event["by"])).collect();
    let (agent, ana, runner) = (json!(scene.agent_id()), json!("test:ana"), json!("runner:one"));
    let kinds = ["created", "claimed", "question", "manager", "checkpoint", "completed"].map(|kind| json!(kind));
    let by = [&ana, &runner, &agent, &ana, &runner, &runner];
    assert_eq!(told, kinds.iter().zip(by).collect::<Vec<_>>());
    let question = thread.iter().find(|event| event["kind"] == "question").unwrap();
    assert_eq!((&question["ref"], &question["message"]), (&json!(asked), &json!("May I bound it?")));
    assert!(!thread.iter().any(|event| event["message"].as_str().unwrap().contains("used baton")), "{thread:#?}");
    let card = scene.opened("CARD-1");
    assert_eq!((&card["card"]["created_by"], &card["card"]["job"]), (&agent, &json!(JOB)), "{card}");
    assert_eq!(card["text"], "Yes, to 1 MB.");
}

/// Prompt, log, transcript and answer were kept, and can be read.
fn assert_left_its_papers(scene: &Scene, first: &Turn) {
    let artifacts = scene.artifacts();
    let names: Vec<_> = artifacts.iter().map(|(name, _)| name.as_str()).collect();
    let kept = ["answer.json", "log.txt", "prompt.blocks.json", "prompt.full.txt", "transcript.jsonl"];
    assert_eq!(names, kept);
    let [answer, log, blocks, prompt, transcript] = [0, 1, 2, 3, 4].map(|at| &artifacts[at].1);
    assert!(blocks.contains("\"mode\": \"full\""), "{blocks}");
    assert!(answer.contains("It is bounded now."), "{answer}");
    let last = match scene.program {
        Program::Codex => "turn.completed",
        Program::Claude => "structured_output",
    };
    assert!(log.contains(last), "{log}");
    assert!(first.prompt().contains(prompt.trim()), "{prompt}");
    assert!(transcript.contains("baton.tasks"), "{transcript}");
}

/// Waits for the manager's answer. Once that is there, it only looks again: whatever else is told may come in between.
fn wait_for_answer(turn: &Turn) -> Value {
    let last: Value = serde_json::from_str(&turn.last_result().text).unwrap();
    let asked = || last["data"]["ref"].as_str()?.split_once('@')?.1.parse().ok();
    let after: Option<u64> = last["data"]["cursor"].as_u64().or_else(asked);
    let wait = if answer_in(turn).is_some() { 0 } else { 50_000 };
    json!({"op": "tail", "args": {"after": after, "max_wait_ms": wait}})
}

/// What the manager answered, as far as the agent has seen.
fn answer_in(turn: &Turn) -> Option<String> {
    let results = turn.results.iter().filter_map(|result| serde_json::from_str::<Value>(&result.text).ok());
    let events = results.flat_map(|result| result["data"]["events"].as_array().cloned().unwrap_or_default());
    let answers = events.filter(|event| event["kind"] == "manager");
    answers.filter_map(|event| Some(event["message"].as_str()?.to_owned())).next()
}
