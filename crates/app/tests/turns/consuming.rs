//! What a turn takes, in which order, and what its end makes of it.

use baton_app::{
    boundary::Boundary,
    table::{self, Call},
};
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

use crate::scene::{Runner, begins, delegated, ends, is_sound, messages, name, own_agent, said, states, tells};

#[test]
fn a_turn_consumes_what_waits_in_order_and_its_good_end_accepts_it() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let to = name(&bo);
        for word in ["one", "two", "three"] {
            tells(&ana, &to, word);
        }
        let turn = begins(&bo);
        assert_eq!(
            (said(&turn).as_str(), &turn["number"], &turn["has_more"]),
            ("one two three", &json!(1), &json!(false))
        );
        assert_eq!(turn["items"][0]["from_name"], name(&ana));
        assert_eq!(turn["items"][0]["payload"]["body"], "one");
        assert_eq!(states(&bo), ["s:seen"; 3]);
        tells(&ana, &to, "four");
        let ended = ends(&bo, &turn, "completed");
        assert_eq!((&ended["outcome"], ended.get("returned")), (&json!("completed"), None));
        assert_eq!(states(&bo), ["s:accepted", "s:accepted", "s:accepted", "s:delivered"]);
        let next = begins(&bo);
        assert_eq!((said(&next).as_str(), &next["number"]), ("four", &json!(2)));
        is_sound(&test);
    });
}

#[test]
fn what_a_failed_turn_had_is_back_in_order_and_once() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let to = name(&bo);
        tells(&ana, &to, "one");
        tells(&ana, &to, "two");
        let first = begins(&bo);
        tells(&ana, &to, "three");
        let failed = ends(&bo, &first, "failed");
        assert_eq!((&failed["returned"], &failed["why"]), (&json!(true), &json!("it rains")));
        assert_eq!(states(&bo)[..2], ["s:delivered", "s:delivered"], "listing them told of them again");
        let again = begins(&bo);
        assert_eq!(said(&again), "one two three");
        ends(&bo, &again, "completed");
        assert_eq!(said(&begins(&bo)), "");
        is_sound(&test);
    });
}

#[test]
fn what_is_read_during_a_turn_belongs_to_it() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let turn = begins(&bo);
        assert_eq!(said(&turn), "");
        tells(&ana, &name(&bo), "one");
        let message = bo.does("inbox.list", json!({}))["items"][0]["message"].clone();
        bo.does("inbox.read", json!({ "message": message }));
        ends(&bo, &turn, "failed");
        let again = begins(&bo);
        assert_eq!(said(&again), "one", "it was read in a turn that failed");
        ends(&bo, &again, "completed");
        tells(&ana, &name(&bo), "two");
        let message = bo.does("inbox.list", json!({}))["items"][0]["message"].clone();
        bo.does("inbox.read", json!({ "message": message }));
        assert_eq!(said(&begins(&bo)), "", "what was read outside of turns is read");
        is_sound(&test);
    });
}

#[test]
fn what_a_jobs_own_agent_reads_belongs_to_its_turn_and_it_may_begin_one_itself() {
    on_every_backend(|test| {
        let (ana, room) = delegated(&test);
        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        let agent = own_agent(&test, &room, &runner);
        let turn = runner.begins();
        let refused = test.call(&agent, "context.turn.begin", json!({ "room_id": room })).unwrap_err();
        assert_eq!(refused.details["turn"], "TURN-1");
        ana.does("inbox.send", json!({ "to": "job-001", "category": "INFO", "subject": "s", "body": "one" }));
        let listed = test.call(&agent, "inbox.list", json!({ "room_id": room })).unwrap();
        let message = &listed["items"][0]["message"];
        test.call(&agent, "inbox.read", json!({ "room_id": room, "message": message })).unwrap();
        runner.ends(&turn, "failed");
        let again = test.call(&agent, "context.turn.begin", json!({ "room_id": room })).unwrap();
        assert_eq!(said(&again), "one");
        assert_eq!((&again["agent_id"], &again["number"]), (&json!(agent.actor().agent_id), &json!(2)));
        is_sound(&test);
    });
}

#[test]
fn an_interrupted_turn_keeps_what_its_conversation_knows() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        tells(&ana, &name(&bo), "one");
        let ends = |turn: &Value, how: Value| {
            let mut input = json!({ "turn": turn["turn"], "outcome": "interrupted" });
            input.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
            bo.does("context.turn.end", input)["returned"] == true
        };
        assert!(ends(&begins(&bo), json!({})));
        assert!(ends(&begins(&bo), json!({ "session": "s-1" })));
        let turn = begins(&bo);
        assert_eq!(said(&turn), "one");
        assert!(!ends(&turn, json!({ "session": "s-1", "resumable": true })));
        assert_eq!(said(&begins(&bo)), "");
        is_sound(&test);
    });
}

#[test]
fn a_person_who_interrupts_is_heard_first_and_again_if_the_turn_fails() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let eve = test.person("human:eve:1");
        eve.join();
        tells(&ana, &name(&bo), "one");
        eve.does("inbox.tell", json!({ "to": name(&bo), "text": "queued" }));
        eve.does("inbox.tell", json!({ "to": name(&bo), "text": "stop", "mode": "interrupt" }));
        tells(&ana, &name(&bo), "two");
        eve.does("inbox.tell", json!({ "to": name(&bo), "text": "really", "mode": "interrupt" }));
        let turn = begins(&bo);
        assert_eq!(said(&turn), "stop really one queued two");
        let first = &turn["items"][0];
        assert_eq!((&first["interrupts"], &first["category"]), (&json!(true), &json!("USER")));
        assert_eq!((&first["from"], &first["from_name"]), (&json!("human:eve:1"), &json!(name(&eve))));
        ends(&bo, &turn, "failed");
        let again = begins(&bo);
        assert_eq!(said(&again), "stop really one queued two");
        let opened = ana.does("open", json!({ "id": "TURN-1" }));
        assert_eq!(opened["consumed"], json!(messages(&turn)), "what went back is still on record");
        assert_eq!(opened["inputs"].as_array().unwrap().len(), 5);
        is_sound(&test);
    });
}

/// The text that a call's caller is interrupted with at its boundary, for a call that names its room or none.
fn told_at_the_boundary(test: &TestApp, agent: &Agent<'_>, command: &str, input: Value) -> Vec<String> {
    let boundary = Boundary::default();
    let caller = agent.caller().clone().interruptible(&boundary);
    let Value::Object(input) = input else { panic!("an input is an object") };
    Call::of(table::find(command).unwrap(), input).run(test.app(), &caller).unwrap();
    let Some(take) = boundary.call() else { return Vec::new() };
    let taken = take.run(test.app(), agent.caller()).unwrap();
    Boundary::answered(taken).into_iter().map(|interrupt| interrupt.text).collect()
}

#[test]
fn an_interrupt_that_a_call_brings_back_is_told_with_its_answer() {
    on_every_backend(|test| {
        let [bo, cy] = test.joined(["bo", "cy"]);
        let eve = test.person("human:eve:1");
        eve.join();
        let room = json!({ "room_id": bo.room() });
        let note = json!({ "room_id": bo.room(), "text": "hm" });
        assert_eq!(told_at_the_boundary(&test, &bo, "room.note", note.clone()), [""; 0]);
        eve.does("inbox.tell", json!({ "to": name(&bo), "text": "stop", "mode": "interrupt" }));
        let turn = begins(&bo);
        assert_eq!(told_at_the_boundary(&test, &bo, "room.note", note.clone()), [""; 0], "the turn has it");
        let end = json!({ "room_id": bo.room(), "turn": turn["turn"], "outcome": "failed", "why": "it rains" });
        assert_eq!(told_at_the_boundary(&test, &bo, "context.turn.end", end), ["stop"]);
        assert_eq!(told_at_the_boundary(&test, &bo, "room.note", note), [""; 0], "once");
        // What waits for somebody else is no word to the one who calls.
        eve.does("inbox.tell", json!({ "to": name(&bo), "text": "really", "mode": "interrupt" }));
        assert_eq!(told_at_the_boundary(&test, &cy, "room.state", room.clone()), [""; 0]);
        assert_eq!(told_at_the_boundary(&test, &bo, "room.state", room), ["really"]);
        is_sound(&test);
    });
}

#[test]
fn an_envelope_is_consumed_whole_also_by_a_job_that_nobody_had_claimed() {
    on_every_backend(|test| {
        let (ana, room) = delegated(&test);
        let structured = json!({ "gutter": "left" });
        ana.does("envelope.send", json!({ "to": "JOB-001", "message": "Mind it.", "structured": structured }));
        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        let turn = runner.begins();
        let item = &turn["items"][0];
        assert_eq!([&item["category"], &item["text"]], ["HANDOFF", "Mind it."]);
        assert_eq!(item["envelope"]["payload"]["structured"], structured);
        assert_eq!(item["ref"], format!("payload://{}", item["envelope"]["id"].as_str().unwrap()));
        runner.ends(&turn, "failed");
        let again = runner.begins();
        assert_eq!(again["items"], turn["items"]);
        runner.ends(&again, "completed");
        assert_eq!(said(&runner.begins()), "");
        is_sound(&test);
    });
}

#[test]
fn an_action_of_an_interrupted_turn_is_completed_by_the_turn_that_goes_on() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let action = json!({ "type": "message", "kind": "user", "text": "Well?", "dst": "bo", "action_id": "a",
            "action_index": 0 });
        ana.does("bus.submit", json!({ "group_id": "g", "actions": [action] }));
        let status = || ana.does("bus.await", json!({ "group_id": "g" }))["actions"][0]["status"].clone();
        let turn = begins(&bo);
        let going_on = json!({ "turn": turn["turn"], "outcome": "interrupted", "session": "s", "resumable": true });
        bo.does("context.turn.end", going_on);
        assert_eq!(status(), Value::Null);
        let next = begins(&bo);
        assert_eq!(said(&next), "");
        ends(&bo, &next, "completed");
        assert_eq!(status(), "completed");
        is_sound(&test);
    });
}

#[test]
fn of_the_bus_a_turn_takes_what_is_named_and_what_went_well_is_not_taken_again() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let action = |name: &str, index: u32| json!({ "type": "message", "kind": "user", "text": name, "dst": "bo", "action_id": name, "action_index": index });
        let asked = json!({ "group_id": "g", "actions": [action("one", 0), action("two", 1)] });
        ana.does("bus.submit", asked);
        tells(&ana, &name(&bo), "note");
        let taken = bo.does("bus.take", json!({}));
        let places: Vec<&Value> = taken["deliveries"].as_array().unwrap().iter().map(|one| &one["seq"]).collect();
        let naming = |message: &Value| json!({ "messages": [message] });
        bo.does("bus.result", json!({ "action_id": "two", "status": "accepted" }));
        let turn = bo.does("context.turn.begin", naming(places[1]));
        assert_eq!(said(&turn), "note two", "it is at it, and said so");
        ends(&bo, &turn, "failed");
        let turn = bo.does("context.turn.begin", naming(places[1]));
        assert_eq!(said(&turn), "note two");
        ends(&bo, &turn, "completed");
        let turn = bo.does("context.turn.begin", naming(places[1]));
        assert_eq!(said(&turn), "");
        ends(&bo, &turn, "completed");
        assert_eq!(said(&bo.does("context.turn.begin", naming(places[0]))), "one");
        is_sound(&test);
    });
}

#[test]
fn of_begins_at_once_one_gets_everything_and_each_item_is_consumed_once() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let to = name(&bo);
        let others: Vec<TestApp> = (0..4).map(|_| test.beside()).collect();
        let mut consumed = Vec::new();
        for round in 0..5 {
            tells(&ana, &to, &format!("m{round}"));
            let answers: Vec<_> = std::thread::scope(|scope| {
                let begin = |other| {
                    let bo = bo.through(other);
                    scope.spawn(move || bo.call("context.turn.begin", json!({})))
                };
                let threads: Vec<_> = others.iter().map(begin).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            let begun: Vec<&Value> = answers.iter().filter_map(|answer| answer.as_ref().ok()).collect();
            assert_eq!(begun.len(), 1, "{answers:?}");
            for failure in answers.iter().filter_map(|answer| answer.as_ref().err()) {
                assert_eq!(failure.details["turn"], begun[0]["turn"]);
            }
            consumed.push(said(begun[0]));
            ends(&bo, begun[0], "completed");
        }
        assert_eq!(consumed, ["m0", "m1", "m2", "m3", "m4"]);
        is_sound(&test);
    });
}

#[test]
fn two_agents_of_one_message_each_consume_their_own_item() {
    on_every_backend(|test| {
        let [ana, bo, cy] = test.joined(["ana", "bo", "cy"]);
        tells(&ana, "broadcast", "all");
        let (one, other) = (begins(&bo), begins(&cy));
        assert_eq!((said(&one), said(&other)), ("all".to_owned(), "all".to_owned()));
        ends(&bo, &one, "failed");
        ends(&cy, &other, "completed");
        assert_eq!((said(&begins(&bo)), said(&begins(&cy))), ("all".to_owned(), String::new()));
        is_sound(&test);
    });
}

#[test]
fn what_does_not_fit_waits_for_the_next_turn() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let to = name(&bo);
        let long = "x".repeat(4_000);
        for number in 0..5 {
            tells(&ana, &to, &format!("{long} m{number}"));
        }
        let mut told = Vec::new();
        loop {
            let turn = begins(&bo);
            told.push(said(&turn));
            ends(&bo, &turn, "completed");
            if turn["has_more"] == false {
                break;
            }
        }
        assert_eq!(told, ["m0", "m1", "m2", "m3", "m4"], "each is in it twice, in words and in parts");
        for number in 0..205 {
            tells(&ana, &to, &format!("n{number}"));
        }
        let turn = bo.does("context.turn.begin", json!({ "max_bytes": 1_000_000 }));
        assert_eq!((messages(&turn).len(), &turn["has_more"]), (200, &json!(true)));
        ends(&bo, &turn, "completed");
        assert_eq!(said(&begins(&bo)), "n200 n201 n202 n203 n204");
        assert_eq!(bo.refused("context.turn.begin", json!({ "max_bytes": 1 }))["field"], "max_bytes");
        is_sound(&test);
    });
}

#[test]
fn only_whoever_runs_a_turn_may_speak_of_it_and_only_while_it_is_open() {
    on_every_backend(|test| {
        let (ana, room) = delegated(&test);
        let bo = test.agent("bo");
        bo.join();
        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        let (of_job, of_bo) = (runner.begins(), begins(&bo));
        let used = |turn: &Value| json!({ "turn": turn["turn"], "uses": [{ "name": "Read", "state": "started" }] });
        assert_eq!(ana.refused("context.turn.tools", used(&of_bo))["error"], "PRECONDITION_FAILED");
        assert_eq!(ana.refused("context.turn.tools", used(&of_job))["field"], "claim_revision");
        let stolen = runner.showing(used(&of_job));
        assert_eq!(ana.refused("context.turn.tools", stolen.clone())["error"], "CONFLICT", "it is not ana's claim");
        let mut posing = stolen.clone();
        posing["runner_id"] = "runner:one".into();
        assert_eq!(ana.refused("context.turn.tools", posing)["error"], "PRECONDITION_FAILED");
        assert_eq!(runner.agent.does("context.turn.tools", stolen)["tools"], 1);
        let many: Vec<Value> = (0..101).map(|_| json!({ "name": "Read", "state": "started" })).collect();
        assert_eq!(bo.refused("context.turn.tools", json!({ "turn": of_bo["turn"], "uses": many }))["field"], "uses");
        let lost = json!({ "turn": of_bo["turn"], "outcome": "lost" });
        assert_eq!(bo.refused("context.turn.end", lost)["field"], "outcome");
        ends(&bo, &of_bo, "completed");
        let refused = bo.refused("context.turn.tools", used(&of_bo));
        assert_eq!([&refused["error"], &refused["outcome"]], ["PRECONDITION_FAILED", "completed"]);
        let nowhere = json!({ "turn": "TURN-9", "outcome": "completed" });
        assert_eq!(bo.refused("context.turn.end", nowhere)["error"], "UNKNOWN_ID");
        is_sound(&test);
    });
}

#[test]
fn a_good_end_completes_the_actions_that_a_turn_took_and_leaves_control_alone() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        let action = |name: &str, index: u32| json!({ "type": "message", "kind": "user", "text": name, "dst": "bo", "action_id": name, "action_index": index });
        let control =
            json!({ "type": "control", "command": "compact", "dst": "bo", "action_id": "halt", "action_index": 3 });
        let asked = json!([action("one", 0), action("two", 1), action("three", 2), control]);
        ana.does("bus.submit", json!({ "group_id": "g", "actions": asked }));
        let results = || {
            let found = ana.does("bus.await", json!({ "group_id": "g" }));
            let status = |action: &Value| action["status"].as_str().unwrap_or("-").to_owned();
            found["actions"].as_array().unwrap().iter().map(status).collect::<Vec<_>>().join(" ")
        };
        let turn = begins(&bo);
        assert_eq!(said(&turn), "one two three");
        assert_eq!(turn["items"][0]["delivery"]["action_id"], "one");
        ends(&bo, &turn, "failed");
        assert_eq!(results(), "- - - -");
        let turn = begins(&bo);
        bo.does("bus.result", json!({ "action_id": "two", "status": "rejected" }));
        bo.does("bus.result", json!({ "action_id": "three", "status": "blocked" }));
        ends(&bo, &turn, "completed");
        assert_eq!(results(), "completed rejected blocked -", "what it said itself stands");
        is_sound(&test);
    });
}
