//! Turns: what an agent consumes, what becomes of it, and that nothing is lost or consumed twice.

use baton_app::{Caller, doctor, identity::Assignment};
use baton_core::{ids::RoomId, process::SessionKind, room::Actor};
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

/// The messages of an answer that has items.
fn messages(answer: &Value) -> Vec<u64> {
    answer["items"].as_array().unwrap().iter().map(|item| item["message"].as_u64().unwrap()).collect()
}

/// What they say, in a word each: the last of their text.
fn said(answer: &Value) -> String {
    let word = |item: &Value| item["text"].as_str().unwrap().split_whitespace().last().unwrap().to_owned();
    answer["items"].as_array().unwrap().iter().map(word).collect::<Vec<_>>().join(" ")
}

fn tells(from: &Agent<'_>, to: &str, word: &str) {
    from.does("inbox.send", json!({ "to": to, "category": "INFO", "subject": "s", "body": word }));
}

fn begins(agent: &Agent<'_>) -> Value {
    agent.does("context.turn.begin", json!({}))
}

fn ends(agent: &Agent<'_>, turn: &Value, outcome: &str) -> Value {
    agent.does("context.turn.end", json!({ "turn": turn["turn"], "outcome": outcome, "why": "it rains" }))
}

/// Every item of the agent, as `message:state`.
fn states(agent: &Agent<'_>) -> Vec<String> {
    let listed = agent.does("inbox.list", json!({ "state": "all" }));
    let state = |item: &Value| format!("{}:{}", item["subject"].as_str().unwrap(), item["state"].as_str().unwrap());
    listed["items"].as_array().unwrap().iter().map(state).collect()
}

/// The name that an agent goes by.
fn name(agent: &Agent<'_>) -> String {
    agent.entry()["display_name"].as_str().unwrap().to_owned()
}

fn is_sound(test: &TestApp) {
    let report = doctor::examine(test.app()).unwrap();
    assert!(report.is_clean(), "{:?}", report.checks);
}

/// A room with `ana`, and the job that she delegates.
fn delegated(test: &TestApp) -> (Agent<'_>, RoomId) {
    let ana = test.agent("ana");
    ana.join();
    ana.does("jobs.create", json!({ "title": "Mend it", "prompt": "It rains in." }));
    let room = ana.room();
    (ana, room)
}

/// A runner and its claim.
struct Runner<'a> {
    agent: Agent<'a>,
    revision: Value,
}

impl<'a> Runner<'a> {
    fn claims(test: &'a TestApp, room: &RoomId, name: &str, how: Value) -> Self {
        let agent = test.agent(name);
        agent.enter(room);
        let mut input = json!({ "job": "JOB-001" });
        input.as_object_mut().unwrap().extend(how.as_object().unwrap().clone());
        let revision = agent.does("jobs.claim", input)["job"]["revision"].clone();
        Self { agent, revision }
    }

    fn showing(&self, mut input: Value) -> Value {
        input["claim_revision"] = self.revision.clone();
        input
    }

    fn begins(&self) -> Value {
        self.agent.does("context.turn.begin", self.showing(json!({ "job": "JOB-001" })))
    }

    fn ends(&self, turn: &Value, outcome: &str) -> Value {
        let input = json!({ "turn": turn["turn"], "outcome": outcome });
        self.agent.does("context.turn.end", self.showing(input))
    }
}

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
fn a_jobs_turn_that_lost_its_claim_is_ended_and_its_items_are_in_the_next() {
    on_every_backend(|test| {
        let (ana, room) = delegated(&test);
        let one = Runner::claims(&test, &room, "runner:one", json!({}));
        ana.does("jobs.message", json!({ "job": "JOB-001", "message": "Mind the gutter." }));
        let first = one.begins();
        assert_eq!(said(&first), "gutter.");
        assert_eq!((&first["items"][0]["category"], &first["items"][0]["from"]), (&json!("MANAGER"), &json!("ana")));
        let two = Runner::claims(&test, &room, "runner:two", json!({ "force": true }));
        let opened = ana.does("context.turn.list", json!({ "job": "JOB-001" }));
        let ended = &opened["turns"][0];
        assert_eq!((&ended["outcome"], &ended["returned"]), (&json!("lost"), &json!(true)));
        assert_eq!(ended["why"], "runner:two took JOB-001 over");
        for command in ["context.turn.prompt", "context.turn.tools", "context.turn.end"] {
            let mut input = one.showing(json!({ "turn": "TURN-1" }));
            match command {
                "context.turn.prompt" => input["mode"] = "full".into(),
                "context.turn.tools" => input["uses"] = json!([{ "name": "Read", "state": "done" }]),
                _ => input["outcome"] = "completed".into(),
            }
            if command == "context.turn.prompt" {
                (input["tokens"], input["sent_tokens"]) = (1.into(), 1.into());
            }
            assert_eq!(one.agent.refused(command, input)["error"], "CONFLICT", "{command}");
        }
        let second = two.begins();
        assert_eq!(messages(&second), messages(&first));
        assert_eq!((&second["turn"], &second["number"]), (&json!("TURN-2"), &json!(2)));
        two.ends(&second, "completed");
        is_sound(&test);
    });
}

#[test]
fn requeueing_canceling_giving_back_and_ending_a_job_end_its_turn() {
    on_every_backend(|test| {
        let (ana, room) = delegated(&test);
        ana.does("jobs.message", json!({ "job": "JOB-001", "message": "Mind the gutter." }));
        let turns = || ana.does("context.turn.list", json!({ "agent": "JOB-001" }))["turns"].clone();
        let last = || (turns()[0]["outcome"].clone(), turns()[0]["returned"].as_bool().unwrap_or_default());
        let job = json!({ "job": "JOB-001", "reason": "Later." });

        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        assert_eq!(said(&runner.begins()), "gutter.");
        ana.does("jobs.requeue", job.clone());
        assert_eq!(last(), (json!("lost"), true));

        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        assert_eq!(said(&runner.begins()), "gutter.");
        let giving = baton_app::commands::jobs::GivingBack {
            room_id: room.clone(),
            job: "JOB-001".parse().unwrap(),
            runner_id: "runner:one".parse().unwrap(),
            claim_revision: serde_json::from_value(runner.revision.clone()).unwrap(),
            reason: "Bye.".to_owned(),
        };
        test.app().give_back(runner.agent.caller(), &giving).unwrap();
        assert_eq!(last(), (json!("lost"), true));

        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        assert_eq!(said(&runner.begins()), "gutter.");
        ana.does("jobs.cancel", job.clone());
        assert_eq!(last(), (json!("lost"), true));
        ana.does("jobs.requeue", job);

        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        assert_eq!(said(&runner.begins()), "gutter.");
        let failed = json!({ "job": "JOB-001", "status": "FAILED", "summary": "No ladder." });
        runner.agent.does("jobs.complete", runner.showing(failed));
        assert_eq!(last(), (json!("failed"), true));
        assert_eq!(turns()[0]["why"], "JOB-001 failed: No ladder.");
        ana.does("jobs.requeue", json!({ "job": "JOB-001", "reason": "There is one." }));

        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        assert_eq!(said(&runner.begins()), "gutter.");
        let done = json!({ "job": "JOB-001", "status": "DONE", "summary": "It is dry." });
        runner.agent.does("jobs.complete", runner.showing(done));
        assert_eq!(last(), (json!("completed"), false));
        assert_eq!(turns().as_array().unwrap().len(), 5);
        is_sound(&test);
    });
}

#[test]
fn a_turn_goes_on_under_a_claim_that_ran_out_until_somebody_takes_over() {
    on_every_backend(|test| {
        let (ana, room) = delegated(&test);
        ana.does("jobs.message", json!({ "job": "JOB-001", "message": "Mind the gutter." }));
        let one = Runner::claims(&test, &room, "runner:one", json!({}));
        let turn = one.begins();
        test.later_minutes(10);
        let refused = one.agent.refused("context.turn.begin", one.showing(json!({ "job": "JOB-001" })));
        assert_eq!((&refused["error"], &refused["turn"]), (&json!("PRECONDITION_FAILED"), &turn["turn"]));
        let two = Runner::claims(&test, &room, "runner:two", json!({ "allow_stale": true }));
        assert_eq!(messages(&two.begins()), messages(&turn));
        is_sound(&test);
    });
}

#[test]
fn a_members_turn_is_lost_with_its_process_and_only_then() {
    on_every_backend(|test| {
        let ana = test.agent("ana");
        ana.join();
        let bo = test.living_agent("bo");
        bo.join();
        tells(&ana, &name(&bo), "one");
        tells(&ana, &name(&bo), "two");
        let turn = begins(&bo);
        test.later_minutes(500);
        test.app().sweep_gone(&ana.room()).unwrap();
        let list = || ana.does("context.turn.list", json!({ "agent": "bo" }))["turns"].clone();
        assert_eq!(list()[0].get("outcome"), None, "silence proves nothing");
        bo.dies();
        test.app().sweep_gone(&ana.room()).unwrap();
        assert_eq!((&list()[0]["outcome"], &list()[0]["why"]), (&json!("lost"), &json!("its process is gone")));
        let back = test.living_agent("bo");
        back.enter(&ana.room());
        let again = begins(&back);
        assert_eq!((messages(&again), &again["number"]), (messages(&turn), &json!(2)));
        // Killed again, and nobody sweeps: who comes back finds it all the same.
        back.dies();
        let third = test.living_agent("bo");
        third.enter(&ana.room());
        assert_eq!(messages(&begins(&third)), messages(&turn));
        assert_eq!((&list()[1]["outcome"], &list()[0]["number"]), (&json!("lost"), &json!(3)));
        is_sound(&test);
    });
}

#[test]
fn a_takeover_from_who_is_gone_ends_its_turn() {
    on_every_backend(|test| {
        let bo = test.living_agent("bo");
        bo.join();
        let ana = test.agent("ana");
        ana.join();
        bo.claim();
        tells(&ana, &name(&bo), "one");
        begins(&bo);
        bo.dies();
        ana.take();
        let turns = ana.does("context.turn.list", json!({}));
        assert_eq!(turns["turns"][0]["outcome"], "lost");
        is_sound(&test);
    });
}

#[test]
fn what_an_adopted_identitys_turn_had_goes_on_with_it() {
    on_every_backend(|test| {
        let bo = test.living_agent("bo");
        bo.join();
        let ana = test.person("human:ana:1");
        ana.join();
        let called = name(&bo);
        tells(&ana, &called, "one");
        tells(&ana, &called, "two");
        let turn = begins(&bo);
        bo.does("tasks.create", json!({ "title": "Mend it" }));
        bo.does("tasks.start", json!({ "task": "TASK-001" }));
        bo.dies();
        let cy = test.living_agent("cy");
        cy.join();
        cy.does("agent.adopt", json!({ "agent": called }));
        let again = begins(&cy);
        assert_eq!(messages(&again), messages(&turn));
        assert_eq!(again["turn"], "TURN-2");
        is_sound(&test);
    });
}

#[test]
fn who_leaves_leaves_no_turn_open_and_neither_does_a_room_that_is_closed() {
    on_every_backend(|test| {
        let [ana, bo] = test.joined(["ana", "bo"]);
        begins(&bo);
        begins(&ana);
        bo.does("room.leave", json!({}));
        let open = || {
            let listed = ana.does("context.turn.list", json!({}));
            let open = listed["turns"].as_array().unwrap().iter().filter(|turn| turn.get("outcome").is_none());
            open.map(|turn| turn["agent_id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(open(), ["ana"]);
        ana.does("room.close", json!({ "expected_turn_id": 0 }));
        assert!(open().is_empty());
        assert_eq!(ana.refused("context.turn.begin", json!({}))["error"], "room_closed");
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

/// A job's own agent that is in the room.
fn own_agent(test: &TestApp, room: &RoomId, runner: &Runner<'_>) -> Caller {
    let revision = runner.revision.as_u64().unwrap();
    let assignment: Assignment = format!("{room}/JOB-001/{revision}/{}", runner.agent.id()).parse().unwrap();
    let agent_id = assignment.agent_id();
    let actor = Actor { agent_id, process: None, session_kind: SessionKind::McpHarness, overridden: false };
    let caller = Caller::new(actor, test.workspace().at("")).assigned(Some(assignment));
    test.call(&caller, "bus.add", json!({ "room_id": room, "name": "job-001" })).unwrap();
    caller
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

#[test]
fn an_envelope_is_consumed_whole_also_by_a_job_that_nobody_had_claimed() {
    on_every_backend(|test| {
        let (ana, room) = delegated(&test);
        let structured = json!({ "gutter": "left" });
        ana.does("envelope.send", json!({ "to": "JOB-001", "message": "Mind it.", "structured": structured }));
        let runner = Runner::claims(&test, &room, "runner:one", json!({}));
        let turn = runner.begins();
        let item = &turn["items"][0];
        assert_eq!((&item["category"], &item["text"]), (&json!("HANDOFF"), &json!("Mind it.")));
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
        assert_eq!((&refused["error"], &refused["outcome"]), (&json!("PRECONDITION_FAILED"), &json!("completed")));
        let nowhere = json!({ "turn": "TURN-9", "outcome": "completed" });
        assert_eq!(bo.refused("context.turn.end", nowhere)["error"], "UNKNOWN_ID");
        is_sound(&test);
    });
}
