//! `baton demo`, which is a test in itself: it exits with an error when the story does not go as told.

use serde_json::Value;

use crate::support::World;

#[test]
fn the_demo_tells_the_examples_and_ends_well() {
    let world = World::new();
    let demo = world.run(&["demo"]);
    assert_eq!((demo.status, demo.stderr.as_str()), (0, ""), "{}", demo.stdout);
    let headings: Vec<_> = demo.stdout.lines().filter_map(|line| line.strip_prefix("== ")).collect();
    insta::assert_snapshot!(headings.join("\n"), @r"
    Three agents meet in one workspace
    Round robin: each hands over to the next, with what they need to know
    Explicit skip: codex wants gemini's opinion, and not claude's turn
    Paths of one's own: codex reserves the parser, gemini wants a file in it
    Missed recipient: claude does not come, and codex may not just grab the stick back
    Crashed owner: claude holds the stick and dies
    Unfinished work: a new session goes on as the one that died
    Delegation: codex hands a job to a runner, is asked, answers, and gets proof
    More than the stick: an envelope that wants an answer, and a context pack for whoever is next
    The bus: ana submits ordered work to two connected agents, and waits for their results
    Concurrent claim: two processes go for a free stick at the same moment
    Oversight: what the agents leave to a person is on one page
    The log, as any member can read it
    ");
    for word in [
        "RESERVATION_CONFLICT",
        "takeover_available, owner_gone",
        "prior_owner",
        "stale_lease",
        "turn_mismatch",
        "SIGKILL",
        "? JOB-001 (RUNNING) Put retries into the plan",
        "JOB-001 is DONE, with proof: CARD-1, CMD: grep retries plan.md",
        "gemini answers: \"Only with Retry-After.\" Nothing is owed any more.",
        "gemini finds contextpack://pack/",
        "A person interrupts gemini, which hears it with its next call: \"Leave 404 alone.\"",
        "g1.0  /new     for reader  completed  begins ctx-fresh",
        "g1.2  message  for tester  completed  nothing to complain about",
        "reader is connected",
        "reader is disconnected: ",
        "tester is disconnected: ",
        "ana asks tester (g1.2): Run the tests.",
        "question  JOB-002  Choose a budget for retries",
        "approval  APPROVAL-1  A reviewer for the retry logic",
        "baton approval approve APPROVAL-1",
    ] {
        assert!(demo.stdout.contains(word), "{word} is missing:\n{}", demo.stdout);
    }
    assert!(!world.data().exists(), "the demo touches nothing of yours");
}

#[test]
fn the_demo_as_json_is_one_object_with_the_events() {
    let world = World::new();
    let demo = world.run(&["demo", "--json"]);
    assert_eq!((demo.status, demo.stderr.as_str()), (0, ""));
    assert_eq!(demo.stdout.lines().count(), 1);
    let answer = demo.json();
    assert_eq!((&answer["ok"], &answer["command"]), (&Value::Bool(true), &Value::from("demo")));
    let events = answer["data"].as_array().unwrap();
    let count = |kind: &str| events.iter().filter(|event| event["event_type"] == kind).count();
    assert_eq!(["pass", "takeover", "leave", "INCURSION", "BLOCKED", "RESUME"].map(count), [4, 2, 2, 2, 2, 1]);
    assert_eq!(["envelope.send", "brief.set", "tell"].map(count), [2, 1, 1]);
    let turns = events.iter().filter(|event| event["event_type"] == "claim" || event["event_type"] == "takeover");
    assert!(turns.enumerate().all(|(place, event)| event["turn_id"] == place + 1));
}
