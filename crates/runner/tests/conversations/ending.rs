//! How a job that lives on the bus ends, and how it goes on with another runner.

use std::fs;

use serde_json::json;

use crate::stage::{JOB, Stage, control, message};

const STAYS: &str = r#"case "$last" in
stay*) if [ ! -e "$here/again" ]; then echo $$ > "$here/started"; exec sleep 1000; fi; echo 'stayed' ;;
*) echo "heard: $last" ;;
esac"#;

#[test]
fn a_task_that_is_done_ends_its_job_and_what_still_runs() {
    let stage = Stage::new(STAYS);
    stage.job("conversation");
    let _runner = stage.run("one");
    let started = stage.pipe("started");
    stage.ask("g", &[("a", message("stay")), ("b", message("later"))]);
    fs::read_to_string(started).unwrap();
    stage.call("ana", "bus.task_done", json!({ "task_id": JOB, "summary": "It is dry." }));
    assert_eq!(stage.end(), ("DONE".to_owned(), "It is dry.".to_owned()));
    let why = "error its target's job has ended";
    assert_eq!(stage.ended("g"), [format!("a {why}"), format!("b {why}")]);
    assert!(!stage.agents().contains(&"job-001".to_owned()));
}

#[test]
fn a_job_that_is_canceled_answers_nothing_more_also_when_nobody_works_on_it() {
    let stage = Stage::new(STAYS);
    stage.job("conversation");
    let runner = stage.run("one");
    let started = stage.pipe("started");
    stage.ask("g", &[("a", message("stay")), ("b", message("later"))]);
    fs::read_to_string(started).unwrap();
    // What is asked now, nobody is told of before the job ends.
    runner.leave();
    stage.ask("h", &[("c", message("anybody?"))]);
    assert_eq!(stage.shown()["status"], "QUEUED");
    stage.call("ana", "jobs.cancel", json!({ "job": JOB, "reason": "It stopped raining." }));
    let why = "error its target's job has ended";
    assert_eq!(stage.ended("g"), [format!("a {why}"), format!("b {why}")]);
    assert_eq!(stage.ended("h"), [format!("c {why}")]);
    assert!(!stage.agents().contains(&"job-001".to_owned()));
}

#[test]
fn another_runner_goes_on_with_what_was_not_ended() {
    let stage = Stage::new(STAYS);
    stage.job("conversation");
    let runner = stage.run("one");
    let started = stage.pipe("started");
    stage.ask("f", &[("z", message("first"))]);
    assert_eq!(stage.ended("f"), ["z completed"]);
    stage.ask("g", &[("a", message("stay")), ("n", control("new")), ("b", message("later"))]);
    fs::read_to_string(&started).unwrap();
    runner.leave();
    let agents = stage.call("ana", "bus.history", json!({ "types": ["agent.updated"], "limit": 200 }));
    assert_eq!(agents["events"].as_array().unwrap().last().unwrap()["payload"]["status"], "disconnected");
    fs::write(stage.here().join("again"), "").unwrap();
    let _other = stage.run("two");
    assert_eq!(stage.ended("g"), ["a completed", "n completed", "b completed"]);
    assert_eq!(stage.answers("ana", 3), ["z: heard: first", "a: stayed", "b: heard: later"]);
    let (third, fourth) = (stage.prompt(3), stage.prompt(4));
    assert!(third.contains("to you: first\nYou to test:ana: heard: first"), "{third}");
    assert!(!fourth.contains("What was said so far"), "{fourth}");
}

#[test]
fn a_session_that_is_closed_ends_the_work_on_its_jobs() {
    let stage = Stage::new(STAYS);
    stage.job("conversation");
    let _runner = stage.run("one");
    let started = stage.pipe("started");
    stage.ask("g", &[("a", message("stay"))]);
    fs::read_to_string(started).unwrap();
    stage.call("ana", "bus.close", json!({}));
    assert_eq!(stage.end(), ("DONE".to_owned(), "The session was closed.".to_owned()));
    assert_eq!(stage.ended("g"), ["a error the session was closed"]);
}

#[test]
fn a_job_of_another_kind_is_not_on_the_bus() {
    let stage = Stage::new(r#"echo '{"status":"FAILED","summary":"as always"}'"#);
    stage.job("task");
    let _runner = stage.start("one");
    assert_eq!(stage.end(), ("FAILED".to_owned(), "as always".to_owned()));
    assert_eq!(stage.agents().len(), 1);
}
