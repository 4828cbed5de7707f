//! A runner that is stopped past its claim while its program works: the program ends, and only then the next one starts.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use std::{fs, path::PathBuf, time::Duration};

use baton_testkit::{
    clients::left_out,
    model::{Gate, Step},
};
use rustix::process::{Signal, kill_process};
use serde_json::json;

use super::{
    processes::{all_end_within, processes_in},
    scene::{JOB, Program, Scene},
};

#[test]
fn a_runner_that_is_stopped_past_its_claim_does_not_keep_codex_writing_beside_the_next_one() {
    is_stopped_and_another_ends_the_job(Program::Codex);
}

#[test]
fn a_runner_that_is_stopped_past_its_claim_does_not_keep_claude_working_beside_the_next_one() {
    is_stopped_and_another_ends_the_job(Program::Claude);
}

fn is_stopped_and_another_ends_the_job(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    scene.delegate(&[]);
    let (never, gate) = (Gate::closed(), Gate::closed());
    // Only Codex has a shell unless its user gives it one; what it starts writes on while the model is silent.
    let writes = "while :; do echo first >> writes.txt; sleep 0.02; done";
    let works = match program {
        Program::Codex => Step::call_own("exec_command", json!({"cmd": writes, "yield_time_ms": 500})),
        Program::Claude => {
            let half = json!({"op": "report", "args": {"kind": "checkpoint", "message": "half of it"}});
            Step::call("jobs", half)
        }
    };
    let first = scene.script(vec![works, Step::hold(&never), Step::say("never heard")]);
    let card = json!({"op": "card.create", "args": {"kind": "evidence", "title": "All of it", "text": "See."}});
    let second = scene.script(vec![
        Step::hold(&gate),
        Step::call("tasks", card),
        Step::answer(json!({"status": "DONE", "summary": "All of it.", "refs": ["CARD-1"], "events": []})),
    ]);

    let stopped = scene.run("runner:one", &["--claim-ttl", "3"]);
    first.reached(1);
    let mut family = processes_in(&scene.world.root());
    family.retain(|found| found.pid != stopped.pid());
    assert!(family.len() >= 3, "a minder, a program and its Baton");
    scene.world.place().stop_between_transactions(stopped.pid());

    let other = scene.run("runner:two", &[]);
    second.reached(0);
    // The second program has just asked its model for the first time.
    assert!(all_end_within(&family, Duration::ZERO), "processes of the first program run on");
    let written = written(&scene);
    assert_eq!(written.is_empty(), program == Program::Claude, "the first program wrote");
    kill_process(stopped.pid(), Signal::CONT).unwrap();
    gate.open();
    scene.job_ends();
    stopped.end();
    let told = stopped.finishes();
    assert!(told.contains(&format!("{JOB} is not ours any more")), "{told}");
    other.end();
    other.finishes();

    assert_eq!(written_after(&scene), written, "the first program wrote beside the second");
    let reclaimed = scene.events("reclaimed");
    assert_eq!((reclaimed.len(), &reclaimed[0]["meta"]["reason"]), (1, &json!("ttl_expired")), "{reclaimed:#?}");
    let by: Vec<_> = scene.events("completed").iter().map(|event| event["by"].clone()).collect();
    assert_eq!(by, ["runner:two"]);
    scene.world.assert_sound();
}

fn written(scene: &Scene) -> String {
    let file: PathBuf = scene.world.workspace().join("writes.txt");
    fs::read_to_string(file).unwrap_or_default()
}

/// The same, once everybody is gone.
fn written_after(scene: &Scene) -> String {
    assert!(processes_in(&scene.world.root()).is_empty());
    written(scene)
}
