//! A person interrupts the real programs at work: they are stopped at once, and hear the person first.

use std::time::Duration;

use baton_testkit::{
    clients::left_out,
    model::{Gate, Step},
};
use serde_json::json;

use super::{
    processes::{all_end_within, processes_in},
    scene::{JOB, Program, Scene},
};

#[test]
fn a_running_child_is_stopped_within_a_second_and_hears_the_message_first() {
    if left_out() {
        return;
    }
    for program in [Program::Codex, Program::Claude] {
        // On a machine that is busy with other things it may take longer, but not each time.
        assert!(
            (0..3).any(|_| is_interrupted_in_time(program)),
            "{program:?} went on for more than a second, three times"
        );
    }
}

/// Plays the story, and tells whether all that ran had ended within a second.
fn is_interrupted_in_time(program: Program) -> bool {
    let scene = Scene::new(program);
    scene.delegate(&[]);
    let gate = Gate::closed();
    let half = json!({"op": "report", "args": {"kind": "checkpoint", "message": "half of it"}});
    let script = scene.script(vec![
        Step::call("jobs", half),
        Step::hold(&gate),
        Step::answer(json!({"status": "FAILED", "summary": "It is something else.", "refs": [], "events": []})),
    ]);
    let runner = scene.run_once();
    let before = script.reached(1);
    let mut running = processes_in(&scene.world.root());
    running.retain(|found| found.pid != runner.pid());
    assert!(running.len() >= 3, "a minder, a program and its Baton");

    let agent = scene.data(&["job", "open", JOB])["agent"]["connection"].clone();
    assert_eq!((&agent["state"], &agent["turn"]), (&json!("connected"), &json!("TURN-1")), "{agent:#}");
    assert_eq!(agent["provider"], program.executor(), "{agent:#}");
    scene.world.data_at_terminal(&["tell", JOB, "--interrupt", "Stop.\nIt is not the cache."]);
    let in_time = all_end_within(&running, Duration::from_secs(1));
    gate.open();
    runner.finishes();
    script.finished();

    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("FAILED"), &json!("It is something else.")));
    assert_eq!(scene.events("error").len(), 0, "to be interrupted is no failure");
    let after = script.reached(2);
    assert_eq!(after.session, before.session, "it went on with its own conversation");
    let sent = scene.sent(2);
    assert!(sent.starts_with("## A person interrupted you\nA person interrupted you and says ("), "{sent}");
    assert!(sent.contains("> Stop.\n> It is not the cache.") && after.prompt().contains(sent.trim()), "{sent}");
    let turns = scene.turns();
    let told: Vec<_> = turns.iter().map(|turn| (&turn["outcome"], &turn["mode"], &turn["returned"])).collect();
    let (interrupted, completed, nothing) = (json!("interrupted"), json!("completed"), json!(null));
    let expected = [(&interrupted, &json!("full"), &nothing), (&completed, &json!("delta"), &nothing)];
    assert_eq!(told, expected, "{turns:#?}");
    assert_eq!(turns[0]["session"], turns[1]["session"]);
    scene.world.assert_sound();
    in_time
}
