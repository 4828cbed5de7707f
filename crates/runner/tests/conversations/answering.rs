//! A job that answers what it is asked.

use std::fs;

use serde_json::json;

use crate::stage::{JOB, Stage, control, message};

/// Answers with the last line of what it was asked; some words have it do something else.
const ECHO: &str = r#"case "$last" in
stay*) echo $$ > "$here/started"; exec sleep 1000 ;;
fail*) echo 'no ladder' >&2; exit 3 ;;
*) echo "heard: $last" ;;
esac"#;

#[test]
fn messages_are_answered_one_at_a_time_with_what_was_said_before() {
    let stage = Stage::new(ECHO);
    stage.job("conversation");
    let _runner = stage.run("one");
    assert!(stage.agents().contains(&"job-001".to_owned()));
    stage.ask("g", &[("a", message("Is it wet?")), ("b", message("And cold?"))]);
    assert_eq!(stage.ended("g"), ["a completed", "b completed"]);
    assert_eq!(stage.answers("ana", 2), ["a: heard: Is it wet?", "b: heard: And cold?"]);
    assert_eq!(stage.results("a"), ["accepted", "completed"]);
    assert_eq!(stage.results("b"), ["queued", "accepted", "completed"]);
    let (first, second) = (stage.prompt(1), stage.prompt(2));
    for part in ["You are job-001", "Mend the roof", "It rains in.", "## Message from", "Is it wet?"] {
        assert!(first.contains(part), "{part:?} is missing:\n{first}");
    }
    assert!(!first.contains("What was said so far"), "{first}");
    assert!(second.contains("to you: Is it wet?\nYou: heard: Is it wet?"), "{second}");
    assert_eq!(stage.shown()["status"], "RUNNING");
}

#[test]
fn a_message_that_is_no_action_is_answered_with_a_message() {
    let stage = Stage::new(ECHO);
    stage.job("conversation");
    let _runner = stage.run("one");
    stage.call("ana", "bus.send", json!({ "dst": "job-001", "text": "Anybody there?" }));
    assert_eq!(stage.answers("ana", 1), ["nothing: heard: Anybody there?"]);
}

#[test]
fn an_interrupt_ends_the_program_and_the_job_goes_on() {
    let stage = Stage::new(ECHO);
    stage.job("conversation");
    let _runner = stage.run("one");
    let started = stage.pipe("started");
    stage.ask("i", &[("none", control("interrupt"))]);
    assert_eq!(stage.ended("i"), ["none rejected no task was running"]);
    stage.ask("g", &[("a", message("stay")), ("b", message("go on"))]);
    let pid: u32 = fs::read_to_string(started).unwrap().trim().parse().unwrap();
    assert!(fs::metadata(format!("/proc/{pid}")).is_ok());
    stage.ask("j", &[("stop", control("interrupt"))]);
    assert_eq!(stage.ended("j"), ["stop completed"]);
    assert!(fs::metadata(format!("/proc/{pid}")).is_err(), "it has ended, and was collected");
    assert_eq!(stage.ended("g"), ["a error interrupted", "b completed"]);
    assert_eq!(stage.answers("ana", 1), ["b: heard: go on"]);
    assert!(stage.prompt(2).contains("You were interrupted."), "{}", stage.prompt(2));
}

#[test]
fn a_new_context_knows_nothing_of_the_one_before() {
    let stage = Stage::new(ECHO);
    stage.job("conversation");
    let _runner = stage.run("one");
    stage.ask("g", &[("a", message("the secret")), ("n", control("new")), ("b", message("what was it?"))]);
    assert_eq!(stage.ended("g"), ["a completed", "n completed", "b completed"]);
    assert!(!stage.prompt(2).contains("the secret"), "{}", stage.prompt(2));
    let actions = stage.call("ana", "bus.actions", json!({ "group_id": "g" }));
    let context = actions["actions"][1]["data"]["new_context_id"].as_str().unwrap().to_owned();
    assert!(context.starts_with("ctx_") && context.ends_with("_new"), "{actions}");
    // Whoever asked leads the new one as well.
    let more = json!({ "type": "message", "kind": "user", "text": "and now?", "dst": "job-001", "action_id": "c", "action_index": 0 });
    let context = json!({ "context_id": context });
    stage.call("ana", "bus.submit", json!({ "group_id": "h", "actions": [more], "context": context }));
    assert_eq!(stage.ended("h"), ["c completed"]);
    assert!(stage.prompt(3).contains("what was it?") && !stage.prompt(3).contains("the secret"), "{}", stage.prompt(3));
}

#[test]
fn what_was_said_is_compacted_to_notes_and_a_review_is_a_turn() {
    let stage = Stage::new(
        r#"if grep -q 'asks you to compact' "$here/prompt-$n"; then echo 'the gist of it'; exit; fi
if grep -q 'asks you to review' "$here/prompt-$n"; then echo 'looks dry'; exit; fi
echo "heard: $last""#,
    );
    stage.job("conversation");
    let _runner = stage.run("one");
    stage.ask("c", &[("early", control("compact"))]);
    assert_eq!(stage.ended("c"), ["early completed"]);
    let review = json!({ "type": "control", "command": "review", "args": "Look at the tiles." });
    stage
        .ask("g", &[("a", message("a long story")), ("c", control("compact")), ("r", review), ("b", message("go on"))]);
    assert_eq!(stage.ended("g"), ["a completed", "c completed", "r completed", "b completed"]);
    assert_eq!(stage.results("c"), ["blocked", "accepted", "completed"]);
    assert_eq!(stage.answers("ana", 3), ["a: heard: a long story", "r: looks dry", "b: heard: go on"]);
    let (review, after) = (stage.prompt(3), stage.prompt(4));
    assert!(review.contains("Your notes of what was said before: the gist of it"), "{review}");
    assert!(review.contains("Look at the tiles.") && !review.contains("a long story"), "{review}");
    assert!(after.contains("asked you for a review\nYou: looks dry"), "{after}");
}

#[test]
fn what_came_to_nothing_is_an_error_with_why_and_three_of_them_fail_the_job() {
    let stage = Stage::new(ECHO);
    stage.job("conversation");
    let _runner = stage.run("one");
    stage.ask("g", &[("a", message("fail")), ("b", message("fine")), ("c", message("fail"))]);
    let why = "error the command exited with 3: no ladder";
    assert_eq!(stage.ended("g"), [format!("a {why}"), "b completed".to_owned(), format!("c {why}")]);
    stage.ask("h", &[("d", message("fail")), ("e", message("fail")), ("f", message("never"))]);
    let lost = "f error its target's job has ended".to_owned();
    assert_eq!(stage.ended("h"), [format!("d {why}"), format!("e {why}"), lost]);
    let (status, summary) = stage.end();
    assert_eq!((status.as_str(), summary.contains("3 turns in a row")), ("FAILED", true), "{summary}");
    assert!(!stage.agents().contains(&"job-001".to_owned()), "{JOB} is over");
}
