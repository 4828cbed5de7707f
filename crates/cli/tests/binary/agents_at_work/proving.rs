//! Done means shown: what nothing shows comes back, into the same conversation.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use baton_testkit::{
    clients::left_out,
    model::{Gate, Step},
};
use serde_json::{Value, json};

use super::scene::{JOB, Program, Scene};
use crate::support::World;

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
            Step::answer(json!({"status": "DONE", "summary": "Now shown.", "refs": [card], "events": []}))
        }),
    ]);
    let runner = scene.run_once();

    let again = script.reached(1);
    let line = scene.radar_line();
    assert!(line.contains(&format!(" ! {JOB} (RUNNING) ")), "{line}");
    let gates = scene.events("proof_gate");
    assert_eq!(gates.len(), 1, "{gates:#?}");
    assert_eq!(gates[0]["message"], "Reported DONE without proof; no reference was given.");
    gate.open();
    runner.finishes();
    script.finished();

    assert_eq!(again.session, script.reached(0).session);
    let delta = scene.sent(2);
    assert!(again.prompt().contains(delta.trim()), "{delta}");
    assert!(delta.starts_with(&format!("Go on with {JOB}")) && delta.contains("You said DONE: Trust me."), "{delta}");
    assert!(delta.contains("Reported DONE without proof") && !delta.contains("Find out why"), "{delta}");
    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("DONE"), &json!("Now shown.")));
    assert_eq!((&job["meta"]["slices"], &job["meta"]["session"]), (&json!(2), &json!(again.session)));
    assert_eq!(job["refs"], json!(["CARD-1"]));
    assert_eq!(scene.events("completed").len(), 1);
    let turns = scene.turns();
    let used: Vec<_> =
        turns.iter().map(|turn| turn["usage"]["input_tokens"].as_u64().expect("every turn has its usage")).collect();
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

/// An answer that says DONE.
fn done(refs: Value) -> Step {
    Step::answer(json!({"status": "DONE", "summary": "It is bounded.", "refs": refs, "events": []}))
}

/// The program's own way to run a command.
fn shell(program: Program, command: &str) -> Step {
    match program {
        Program::Codex => Step::call_own("exec_command", json!({ "cmd": command })),
        Program::Claude => Step::call_own("Bash", json!({"command": command, "description": "Runs it"})),
    }
}

/// A scene in which the program may run commands, and what it is told in its first turn.
fn with_shell(program: Program) -> Scene {
    let world = World::new();
    world.configure("[executors.claude_code]\nallow_bash = true\n");
    Scene::in_world(program, world)
}

fn messages(scene: &Scene) -> Vec<String> {
    scene.events("proof_gate").iter().map(|gate| gate["message"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn codex_that_follows_its_skill_pack_to_the_letter_is_done_at_the_first_try() {
    follows_its_pack(Program::Codex);
}

#[test]
fn claude_that_follows_its_skill_pack_to_the_letter_is_done_at_the_first_try() {
    follows_its_pack(Program::Claude);
}

fn follows_its_pack(program: Program) {
    if left_out() {
        return;
    }
    for profile in ["daily", "strict"] {
        let scene = with_shell(program);
        scene.delegate(&["--skill", profile]);
        let script = scene.script(vec![
            shell(program, "echo bounded > cache.txt && grep -c bounded cache.txt"),
            Step::decide(|turn| {
                // The call as the pack has it.
                let pack = turn.prompt();
                let call = pack.split("`tasks {op:\"artifact.keep\"").nth(1).expect("the pack says how to keep a file");
                assert!(call.contains("answers its ref: artifact://report/1"), "{call}");
                let args = json!({"kind": "report", "name": "findings.md", "text": "It is bounded."});
                Step::call("tasks", json!({"op": "artifact.keep", "args": args}))
            }),
            Step::decide(|turn| {
                let kept = turn.result(1)["data"]["ref"].clone();
                assert!(kept.as_str().is_some_and(|kept| kept.starts_with("artifact://report/")), "{kept}");
                done(json!([kept, "CMD: grep -c bounded cache.txt"]))
            }),
        ]);
        let told = scene.run_once().finishes();
        script.finished();

        let job = scene.job();
        assert_eq!((&job["status"], &job["meta"]["slices"]), (&json!("DONE"), &json!(1)), "{told}");
        assert_eq!(messages(&scene), [""; 0]);
        let standings: Vec<&Value> =
            job["proof"].as_array().unwrap().iter().map(|proven| &proven["standing"]).collect();
        assert_eq!(standings, ["made", "seen"], "{profile}: {job}");
    }
}

#[test]
fn codex_is_not_believed_its_own_task_older_cards_queued_jobs_and_commands_that_did_not_run() {
    is_not_believed(Program::Codex);
}

#[test]
fn claude_is_not_believed_its_own_task_older_cards_queued_jobs_and_commands_that_did_not_run() {
    is_not_believed(Program::Claude);
}

fn is_not_believed(program: Program) {
    if left_out() {
        return;
    }
    let scene = with_shell(program);
    scene.manager(&["task", "create", "Tame the cache"]);
    scene.manager(&["card", "create", "An old one", "--text", "It grew."]);
    scene.delegate(&["--task", "1"]);
    scene.manager(&["job", "create", "Another", "--prompt", "Do it.", "--executor", "command"]);
    let card = json!({"kind": "test", "title": "It holds", "text": "See."});
    let script = scene.script(vec![
        done(json!(["TASK-001", "CARD-1", "JOB-002", "artifact://log/1"])),
        Step::call("tasks", json!({"op": "card.create", "args": card})),
        done(json!(["CARD-2", "CMD: cargo test"])),
        shell(program, "cd . && echo tested"),
        done(json!(["CARD-2", "CMD: echo tested", "CMD: cargo test"])),
    ]);
    let told = scene.run_once().finishes();
    script.finished();

    let gates = messages(&scene);
    assert_eq!(gates.len(), 2, "{told}");
    assert!(gates[0].starts_with("Reported DONE without proof: TASK-001 is this job's own task; "), "{gates:?}");
    for why in ["CARD-1 is older than the work on this job", "JOB-002 is QUEUED", "artifact://log/1 "] {
        assert!(gates[0].contains(why), "{why}: {gates:?}");
    }
    assert_eq!(gates[1], "Reported DONE without proof: no such command was run in this job: cargo test.");
    let job = scene.job();
    let proof = json!([{"ref": "CARD-2", "standing": "made"}, {"ref": "CMD: echo tested", "standing": "seen"},
        {"ref": "CMD: cargo test", "standing": "claimed"}]);
    assert_eq!((&job["status"], &job["proof"]), (&json!("DONE"), &proof), "{told}");
    let report = scene.ask("tasks", json!({"op": "macro.merge_report", "args": {"jobs": [JOB]}}));
    let text = report["text"].as_str().unwrap();
    assert!(
        text.contains(&format!("- {JOB}: CMD: echo tested (seen)\n- {JOB}: CMD: cargo test (claimed)\n")),
        "{text}"
    );
}

#[test]
fn codex_cannot_name_a_command_that_failed_as_its_receipt() {
    cannot_name_a_failure(Program::Codex);
}

#[test]
fn claude_cannot_name_a_command_that_failed_as_its_receipt() {
    cannot_name_a_failure(Program::Claude);
}

fn cannot_name_a_failure(program: Program) {
    if left_out() {
        return;
    }
    let scene = with_shell(program);
    scene.delegate(&[]);
    let card = json!({"kind": "test", "title": "It holds", "text": "See."});
    let script = scene.script(vec![
        Step::call("tasks", json!({"op": "card.create", "args": card})),
        shell(program, "grep bounded cache.txt"),
        done(json!(["CARD-1", "CMD: grep bounded cache.txt"])),
        shell(program, "echo bounded > cache.txt"),
        shell(program, "grep bounded cache.txt"),
        done(json!(["CARD-1", "CMD: grep bounded cache.txt"])),
    ]);
    scene.run_once().finishes();
    script.finished();

    let why = "Reported DONE without proof: this command failed in this job: grep bounded cache.txt.";
    assert_eq!(messages(&scene), [why]);
    assert_eq!(scene.job()["proof"][1]["standing"], "seen", "the last time it went well");
}

#[test]
fn claude_without_a_shell_is_told_so_and_needs_no_command_for_its_proof() {
    if left_out() {
        return;
    }
    let scene = Scene::new(Program::Claude);
    scene.delegate(&[]);
    let card = json!({"kind": "test", "title": "It holds", "text": "See."});
    let script = scene.script(vec![
        Step::call("tasks", json!({"op": "card.create", "args": card})),
        done(json!(["CARD-1", "CMD: make"])),
        done(json!(["CARD-1"])),
    ]);
    scene.run_once().finishes();
    script.finished();

    let first = scene.sent(1);
    let told = "You have no shell and cannot run commands, so give no `CMD:` receipt";
    assert_eq!(first.matches(told).count(), 2, "in the rules and in the skill pack: {first}");
    assert!(!first.contains("it is looked up among the commands you ran"), "{first}");
    let again = scene.sent(2);
    let why = "Reported DONE without proof: no such command was run in this job: make.";
    assert!(again.contains(why) && again.contains("You have no shell: give no `CMD:` receipt."), "{again}");
    assert_eq!(scene.job()["proof"], json!([{"ref": "CARD-1", "standing": "made"}]));
}
