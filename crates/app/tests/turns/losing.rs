//! Turns whose runner, process or agent is gone: what they had waits again.

use baton_testkit::on_every_backend;
use serde_json::json;

use crate::scene::{Runner, begins, delegated, is_sound, messages, name, said, tells};

#[test]
fn a_jobs_turn_that_lost_its_claim_is_ended_and_its_items_are_in_the_next() {
    on_every_backend(|test| {
        let (ana, room) = delegated(&test);
        let one = Runner::claims(&test, &room, "runner:one", json!({}));
        ana.does("jobs.message", json!({ "job": "JOB-001", "message": "Mind the gutter." }));
        let first = one.begins();
        assert_eq!(said(&first), "gutter.");
        assert_eq!([&first["items"][0]["category"], &first["items"][0]["from"]], ["MANAGER", "ana"]);
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
