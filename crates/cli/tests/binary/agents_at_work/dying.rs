//! kill -9 of a runner while its program works: nothing of it is left, and somebody else ends the job.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use std::fs;

use baton_testkit::{
    clients::left_out,
    model::{Gate, Step},
};
use serde_json::{Value, json};

use super::{
    processes::{Found, all_end, processes_in},
    scene::{JOB, Program, Scene},
};
use crate::support::Ran;

#[test]
fn a_runner_that_is_killed_takes_codex_with_it_and_another_ends_the_job() {
    is_killed_and_another_ends_the_job(Program::Codex);
}

#[test]
fn a_runner_that_is_killed_takes_claude_with_it_and_another_ends_the_job() {
    is_killed_and_another_ends_the_job(Program::Claude);
}

fn is_killed_and_another_ends_the_job(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    scene.delegate(&[]);
    let (never, gate) = (Gate::closed(), Gate::closed());
    let half = json!({"op": "report", "args": {"kind": "checkpoint", "message": "half of it"}});
    let first = scene.script(vec![Step::call("jobs", half), Step::hold(&never), Step::say("never heard")]);
    let card = json!({"op": "card.create", "args": {"kind": "evidence", "title": "All of it", "text": "See."}});
    let second = scene.script(vec![
        Step::hold(&gate),
        Step::call("tasks", card),
        Step::answer(json!({"status": "DONE", "summary": "All of it.", "refs": ["CARD-1"], "events": []})),
    ]);

    let runner = scene.run("runner:one", &["--claim-ttl", "2"]);
    first.reached(1);
    let running = processes_in(&scene.world.root());
    let assignment = assert_is_equipped(&scene, &running);
    runner.kill();
    all_end(&running);
    let left: Vec<_> = processes_in(&scene.world.root()).into_iter().map(|found| found.command).collect();
    assert_eq!(left, [""; 0]);

    let other = scene.run("runner:two", &[]);
    let prompt = second.reached(0).prompt();
    assert!(prompt.contains("half of it") && prompt.contains("Find out why the cache grows."), "{prompt}");
    assert_is_heard_no_more(&scene, &assignment);
    gate.open();
    scene.job_ends();
    other.end();
    other.finishes();

    let job = scene.job();
    assert_eq!((&job["status"], &job["revision"]), (&json!("DONE"), &json!(2)));
    let reclaimed = scene.events("reclaimed");
    assert_eq!(reclaimed.len(), 1);
    assert_eq!(reclaimed[0]["meta"]["previous_runner_id"], "runner:one", "{reclaimed:#?}");
    assert_eq!(reclaimed[0]["meta"]["reason"], "runner_gone", "{reclaimed:#?}");
    let by: Vec<Value> = scene.events("completed").iter().map(|event| event["by"].clone()).collect();
    assert_eq!(by, ["runner:two"]);
    let scratch: Vec<_> = fs::read_dir(scene.world.data().join("slices")).unwrap().collect();
    assert!(scratch.is_empty(), "{scratch:?}");
    scene.world.assert_sound();
}

/// Runner, minder, program and its Baton run, and the last knows the store and whose agent it is. Gives the latter.
fn assert_is_equipped(scene: &Scene, running: &[Found]) -> String {
    let shown: Vec<_> = running.iter().map(|found| &found.command).collect();
    let name = match scene.program {
        Program::Codex => "codex",
        Program::Claude => "claude",
    };
    let is = |words: &'static [&str]| {
        running.iter().filter(move |found| words.iter().all(|word| found.command.contains(word)))
    };
    assert_eq!(is(&["run", "--runner-id"]).count(), 1, "{shown:#?}");
    assert_eq!(is(&["minder watch"]).count(), 1, "{shown:#?}");
    assert!(
        running.iter().any(|found| found.command.contains(name) && !found.command.contains("minder")),
        "{shown:#?}"
    );
    let servers: Vec<_> = is(&["mcp --no-runner-autostart"]).collect();
    let [server] = servers[..] else { panic!("{shown:#?}") };
    assert_eq!(server.variable("BATON_STORE"), scene.world.data().to_str());
    let assignment = server.variable("BATON_JOB").unwrap_or_default().to_owned();
    assert!(assignment.starts_with(&format!("{}/{JOB}/1/runner:one/cap_", scene.room)), "its Baton knows its job");
    let checkpoint = scene.events("checkpoint");
    assert_eq!(checkpoint[0]["by"], json!(scene.agent_id()));
    assignment
}

/// Whoever still works under the first claim cannot say anything any more.
fn assert_is_heard_no_more(scene: &Scene, assignment: &str) {
    let before = scene.thread();
    for arguments in [
        &["job", "report", "a ghost's word", "--kind", "checkpoint", "--json"][..],
        &["job", "complete", "a ghost's end", "--failed", "--json"],
    ] {
        let mut command = scene.world.baton(arguments);
        command.env("BATON_JOB", assignment);
        let ran = Ran::of(command);
        assert_eq!((ran.status, ran.code().as_str()), (3, "CONFLICT"), "{ran:?}");
    }
    assert_eq!(scene.thread(), before);
}
