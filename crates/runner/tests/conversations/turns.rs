//! Turns of ordinary jobs: what their agents are told, and what is on record of it.

use std::{fs, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, pidfd_open},
};
use serde_json::{Value, json};

use crate::stage::{JOB, Stage, message};

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

/// Says that it is there, and goes on whatever it is asked, the first time.
const DEAF: &str = r#"case $n in
1) trap '' TERM INT; echo $$ > "$here/started"; while :; do sleep 1000 & wait $! || :; done ;;
*) echo '{"status":"FAILED","summary":"No ladder."}' ;;
esac"#;

/// Whether a process ends in time.
fn ends_within(pid: &str, limit: Duration) -> bool {
    let Some(pid) = Pid::from_raw(pid.trim().parse().unwrap()) else { panic!("{pid} is no process") };
    // One that is gone already has ended in time.
    let Ok(handle) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
    let limit = Timespec { tv_sec: limit.as_secs().cast_signed(), tv_nsec: limit.subsec_nanos().into() };
    poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&limit)).unwrap() == 1
}

/// Plays a job that is interrupted while its program is deaf to signals. Tells whether that had ended within a second, and
/// how it went on.
fn interrupted() -> (bool, Stage) {
    let stage = Stage::new(DEAF);
    let started = stage.pipe("started");
    stage.job("task");
    let runner = stage.start("one");
    let pid = fs::read_to_string(started).unwrap();
    stage.call("ana", "inbox.tell", json!({ "to": JOB, "text": "Use the ladder of Bo." }));
    let stop = json!({ "to": JOB, "text": "Stop.\nIt is not the roof.", "mode": "interrupt" });
    stage.call("ana", "inbox.tell", stop);
    let in_time = ends_within(&pid, Duration::from_secs(1));
    assert_eq!(stage.end(), ("FAILED".to_owned(), "No ladder.".to_owned()));
    runner.leave();
    (in_time, stage)
}

#[test]
fn a_running_child_is_stopped_within_a_second_and_hears_the_message_first() {
    // On a machine that is busy with other things it may take longer, but not each time.
    let tries: Vec<(bool, Stage)> = (0..3)
        .scan(false, |is_done, _| {
            let played = (!*is_done).then(interrupted)?;
            *is_done = played.0;
            Some(played)
        })
        .collect();
    assert!(tries.iter().any(|(in_time, _)| *in_time), "it went on for more than a second, three times");
    for (_, stage) in &tries {
        let told = stage.prompt(2);
        let (rules, rest) = told.split_once("\n\n## ").unwrap();
        assert!(rules.starts_with("You work on one delegated job."), "{rules}");
        assert!(
            rest.starts_with("A person interrupted you\n") && rest.contains("> Stop.\n> It is not the roof."),
            "{rest}"
        );
        assert!(rest.contains("> Use the ladder of Bo.") && rest.contains("Your last turn was interrupted."), "{rest}");
        let turns = turns(stage);
        let outcomes: Vec<_> = turns.iter().map(|turn| (&turn["outcome"], &turn["returned"])).collect();
        // Its program keeps no conversation, so what it was told is told again; this time there was nothing.
        assert_eq!(
            outcomes,
            [(&json!("interrupted"), &json!(true)), (&json!("completed"), &Value::Null)],
            "{turns:#?}"
        );
        let errors = stage.call("ana", "jobs.open", json!({ "job": JOB }));
        let errors = errors["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "error").count();
        assert_eq!(errors, 0, "to be interrupted is no failure");
    }
}

#[test]
fn what_is_sent_to_an_agent_of_the_bus_otherwise_is_a_turn_of_its_own() {
    let stage = Stage::new(r#"echo "heard: $last""#);
    stage.job("conversation");
    let runner = stage.run("one");
    stage.call("ana", "envelope.send", json!({ "to": JOB, "message": "The walls stand.", "id": "walls-1" }));
    runner.says("turn 1 answered");
    let told = stage.prompt(1);
    assert!(told.contains("## Inbox\n") && told.contains("envelope: walls-1\n> The walls stand."), "{told}");
    stage.ask("g", &[("a", message("And the roof?"))]);
    assert_eq!(stage.ended("g"), ["a completed"]);
    assert!(!stage.prompt(2).contains("envelope: walls-1"), "{}", stage.prompt(2));
    let turns = turns(&stage);
    assert_eq!(turns.iter().map(|turn| &turn["outcome"]).collect::<Vec<_>>(), ["completed", "completed"]);
    let second = stage.look("open", json!({ "id": "TURN-2", "workspace": stage.room }));
    assert_eq!(second["consumed"].as_array().map(Vec::len), Some(1), "what it was asked is on record: {second:#}");
}

#[test]
fn a_person_interrupts_a_conversation_and_is_heard_before_what_waits() {
    let stage = Stage::new(
        r#"case "$last" in
stay) trap '' TERM INT; echo $$ > "$here/started"; while :; do sleep 1000 & wait $! || :; done ;;
*) echo "heard: $last" ;;
esac"#,
    );
    let started = stage.pipe("started");
    stage.job("conversation");
    let runner = stage.run("one");
    stage.ask("g", &[("a", message("stay")), ("b", message("And then?"))]);
    fs::read_to_string(started).unwrap();
    stage.call("ana", "inbox.tell", json!({ "to": JOB, "text": "No, go.", "mode": "interrupt" }));
    assert_eq!(stage.ended("g"), ["a error interrupted", "b completed"]);
    let told = stage.prompt(2);
    let person = told.find("A person interrupted you and says").unwrap();
    assert!(person < told.find("## Message from").unwrap() && told.contains("> No, go."), "{told}");
    runner.leave();
}
