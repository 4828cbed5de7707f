//! A job that is canceled while its program works.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use baton_testkit::{
    clients::left_out,
    model::{Gate, Step},
};

use super::{
    processes::{all_end, processes_in},
    scene::{JOB, Program, Scene},
};

#[test]
fn a_job_that_is_canceled_stops_codex_and_nothing_more_is_written() {
    is_canceled(Program::Codex);
}

#[test]
fn a_job_that_is_canceled_stops_claude_and_nothing_more_is_written() {
    is_canceled(Program::Claude);
}

fn is_canceled(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    scene.delegate(&[]);
    let never = Gate::closed();
    let script = scene.script(vec![Step::hold(&never), Step::say("never heard")]);
    let runner = scene.run("runner:one", &[]);
    script.reached(0);
    let mut running = processes_in(&scene.world.root());
    running.retain(|found| found.pid != runner.pid());
    assert!(running.len() >= 3, "a minder, a program and its Baton");

    scene.manager(&["job", "cancel", JOB, "--reason", "not needed"]);
    let (thread, log) = (scene.thread(), scene.world.log(&scene.room));
    assert_eq!(thread.last().unwrap()["kind"], "canceled");
    all_end(&running);
    runner.end();
    let told = runner.finishes();
    assert!(told.contains(&format!("{JOB} is not ours any more")), "{told}");
    assert_eq!(scene.thread(), thread);
    let after = scene.world.log(&scene.room);
    let later: Vec<_> = after[log.len()..].iter().map(|event| event["event_type"].as_str().unwrap()).collect();
    assert_eq!((&after[..log.len()], &later[..]), (&log[..], &["runner.retire"][..]));
    let names: Vec<_> = scene.artifacts().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["prompt.blocks.json", "prompt.full.txt"]);
    assert_eq!(scene.job()["status"], "CANCELED");
}
