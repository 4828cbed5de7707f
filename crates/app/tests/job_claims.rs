//! The claim token: who may write about a job, and until when.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use baton_app::{commands::jobs::GivingBack, doctor};
use baton_core::{lease::Fence, limits, time::Ttl};
use baton_testkit::{Agent, TestApp, job_agent, on_every_backend};
use serde_json::{Value, json};

/// A job, claimed by `runner` for a minute.
fn claimed(agent: &Agent<'_>, runner: &str) -> Value {
    agent.does("jobs.create", json!({"title": "x", "prompt": "x"}));
    agent.does("jobs.claim", json!({"job": "JOB-001", "runner_id": runner, "lease_ttl_ms": 60_000}))
}

fn report(runner: &str, revision: u64, kind: &str) -> Value {
    json!({"job": "JOB-001", "runner_id": runner, "claim_revision": revision, "kind": kind, "message": "m"})
}

fn clean(app: &TestApp) {
    assert!(doctor::examine(app.app()).unwrap().is_clean());
}

#[test]
fn a_claim_in_force_is_refused_to_others_with_who_has_it_until_when() {
    on_every_backend(|app| {
        let [one, other] = app.joined(["one", "other"]);
        claimed(&one, "r1");
        let refused = other.refused("jobs.claim", json!({"job": "JOB-001", "runner_id": "r2", "allow_stale": true}));
        assert_eq!(
            (&refused["error"], &refused["runner_id"], &refused["revision"]),
            (&json!("CONFLICT"), &json!("r1"), &json!(1))
        );
        assert!(refused["claim_expires_at"].is_string(), "{refused}");
    });
}

#[test]
fn an_expired_claim_is_reclaimed_only_by_who_allows_it_and_the_event_says_why() {
    on_every_backend(|app| {
        let [one, other] = app.joined(["one", "other"]);
        claimed(&one, "r1");
        app.later(Ttl::from_millis(59_999));
        assert_eq!(other.does("jobs.claim", json!({"runner_id": "r2", "allow_stale": true}))["claimed"], false);
        app.later(Ttl::from_millis(1));
        assert_eq!(other.refused("jobs.claim", json!({"job": "JOB-001", "runner_id": "r2"}))["error"], "CONFLICT");
        assert_eq!(other.does("jobs.claim", json!({"runner_id": "r2"}))["claimed"], false);
        let again = other.does("jobs.claim", json!({"runner_id": "r2", "allow_stale": true}));
        assert_eq!((&again["job"]["revision"], &again["job"]["runner_id"]), (&json!(2), &json!("r2")));
        let opened = other.does("jobs.open", json!({"job": "JOB-001"}));
        assert_eq!(opened["events"][0]["kind"], "reclaimed");
        assert_eq!(opened["events"][0]["meta"], json!({"previous_runner_id": "r1", "reason": "ttl_expired"}));
        clean(&app);
    });
}

#[test]
fn an_expired_claim_is_still_its_runners_until_somebody_took_it() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        claimed(&one, "r1");
        app.later_minutes(10);
        let reported = one.does("jobs.report", report("r1", 1, "progress"));
        assert_eq!(reported["stale"], false);
        assert_eq!(reported["claim_expires_at_ms"], app.now().as_millis() + 180_000);
    });
}

#[test]
fn no_write_of_a_zombie_is_accepted() {
    on_every_backend(|app| {
        let [one, other] = app.joined(["one", "other"]);
        claimed(&one, "r1");
        app.later_minutes(10);
        other.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "r2", "allow_stale": true}));
        let before = app.everything();
        for kind in ["progress", "checkpoint", "question", "proof_gate", "error", "heartbeat"] {
            let refused = one.refused("jobs.report", report("r1", 1, kind));
            assert_eq!(
                (&refused["error"], &refused["runner_id"], &refused["revision"]),
                (&json!("CONFLICT"), &json!("r2"), &json!(2)),
                "{kind}"
            );
        }
        let complete = |runner: &str, revision: u64| json!({"job": "JOB-001", "runner_id": runner, "claim_revision": revision, "status": "DONE", "summary": "s"});
        for (runner, revision) in [("r1", 1), ("r2", 1), ("r1", 2), ("r2", 3)] {
            assert_eq!(one.refused("jobs.complete", complete(runner, revision))["error"], "CONFLICT");
        }
        // The right words in the wrong mouth.
        let refused = one.refused("jobs.complete", complete("r2", 2));
        assert_eq!([&refused["error"], &refused["claimant"]], ["PRECONDITION_FAILED", "other"]);
        assert_eq!(app.everything(), before, "nothing of it left a trace");
        assert_eq!(other.does("jobs.complete", complete("r2", 2))["status"], "DONE");
        clean(&app);
    });
}

#[test]
fn a_claim_in_force_can_be_taken_by_hand_and_the_event_says_so() {
    on_every_backend(|app| {
        let [one, other] = app.joined(["one", "other"]);
        claimed(&one, "r1");
        let force = json!({"job": "JOB-001", "runner_id": "r2", "force": true});
        other.does("jobs.claim", force.clone());
        let reason = |agent: &Agent<'_>| {
            agent.does("jobs.open", json!({"job": "JOB-001", "limit": 1}))["events"][0]["meta"]["reason"].clone()
        };
        assert_eq!(reason(&one), "manual");
        // What a runner says about itself contradicts the claim: then taking the job resolves a conflict.
        one.does("jobs.runner.heartbeat", json!({"runner_id": "r1", "status": "live", "active_job_id": "JOB-001"}));
        one.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "r1", "force": true}));
        assert_eq!(reason(&one), "conflict_resolved");
        clean(&app);
    });
}

#[test]
fn leases_are_brought_within_one_second_and_five_minutes() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        one.does("jobs.create", json!({"title": "x", "prompt": "x"}));
        for (asked, given) in [(Some(1), 1_000), (Some(10_000_000), 300_000), (None, 180_000)] {
            let claimed = one.does("jobs.claim", json!({"job": "JOB-001", "lease_ttl_ms": asked, "force": true}));
            assert_eq!(claimed["job"]["claim_expires_at_ms"], app.now().as_millis() + given);
        }
        for (asked, given) in [(Some(1), 1_000), (Some(10_000_000), 300_000), (None, 20_000)] {
            let beat = json!({"runner_id": "r1", "status": "idle", "lease_ttl_ms": asked});
            let there = one.does("jobs.runner.heartbeat", beat);
            assert_eq!(there["lease_expires_at_ms"], app.now().as_millis() + given);
        }
    });
}

#[test]
fn a_heartbeat_renews_the_claim_and_is_no_row_of_the_log() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        claimed(&one, "r1");
        let events = app.log(&one.room()).len();
        app.later_minutes(1);
        let mut beat = report("r1", 1, "heartbeat");
        beat["lease_ttl_ms"] = json!(90_000);
        let renewed = one.does("jobs.report", beat);
        assert_eq!(renewed["claim_expires_at_ms"], app.now().as_millis() + 90_000);
        assert_eq!(renewed.get("ref"), None);
        assert_eq!(app.log(&one.room()).len(), events);
        clean(&app);
    });
}

#[test]
fn a_jobs_own_agent_reports_without_saying_which_and_cannot_end_or_answer_it() {
    on_every_backend(|app| {
        let [runner] = app.joined(["r1"]);
        let own = job_agent(runner.caller(), &claimed(&runner, "r1"));
        let room = runner.room();
        let call = |command: &str, mut input: Value| {
            input["room_id"] = json!(room);
            app.call(&own, command, input)
        };
        let until = runner.does("jobs.open", json!({"job": "JOB-001"}))["job"]["claim_expires_at_ms"].clone();
        app.later(Ttl::from_secs(1));
        let asked = call("jobs.report", json!({"kind": "question", "message": "Which way?"})).unwrap();
        assert_eq!(asked["claim_expires_at_ms"], until, "the claim is its runner's to keep");
        assert_eq!((&asked["job"], &asked["needs_manager"]), (&json!("JOB-001"), &json!(true)));
        let events = runner.does("jobs.tail", json!({"job": "JOB-001"}))["events"].clone();
        assert_eq!(events.as_array().unwrap().last().unwrap()["by"], json!(own.actor().agent_id));
        for (command, input) in [
            ("jobs.complete", json!({"status": "DONE", "summary": "I say so."})),
            ("jobs.message", json!({"job": "JOB-001", "message": "left"})),
            ("jobs.radar", json!({"reply_job": "JOB-001", "reply_message": "left"})),
            ("jobs.cancel", json!({"job": "JOB-001", "reason": "tired"})),
            ("jobs.requeue", json!({"job": "JOB-001", "reason": "tired"})),
        ] {
            let refused = call(command, input).unwrap_err();
            assert_eq!(refused.code.as_str(), "PRECONDITION_FAILED", "{command}: {refused}");
        }
        for job in ["JOB-001", "JOB-002"] {
            let refused = call("jobs.claim", json!({"job": job, "force": true})).unwrap_err();
            assert_eq!(refused.code.as_str(), "FORBIDDEN", "the rights of another job are not its own: {refused}");
        }
        // Its word is good for as long as the claim is.
        app.later_minutes(10);
        runner.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "r2", "allow_stale": true}));
        let refused = call("jobs.report", json!({"kind": "progress", "message": "still here"})).unwrap_err();
        assert_eq!(refused.code.as_str(), "CONFLICT");
    });
}

#[test]
fn a_job_that_takes_its_runners_with_it_fails_in_the_end() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        one.does("jobs.create", json!({"title": "poison", "prompt": "x"}));
        one.does("jobs.create", json!({"title": "good", "prompt": "x", "priority": "low"}));
        let claim = || one.does("jobs.claim", json!({"runner_id": "r1", "allow_stale": true}));
        for revision in 1..=9 {
            assert_eq!(claim()["job"]["revision"], revision);
            app.later_minutes(10);
        }
        assert_eq!(claim()["job"]["job"], "JOB-002", "the next claim ends it and goes on with the next");
        let poison = one.does("jobs.open", json!({"job": "JOB-001"}));
        assert_eq!(poison["job"]["status"], "FAILED");
        assert!(poison["job"]["summary"].as_str().unwrap().contains("9 times in a row"), "{poison}");
        clean(&app);
    });
}

#[test]
fn jobs_that_nobody_here_can_do_do_not_hide_those_that_somebody_can() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        for _ in 0..120 {
            let deep = json!({"title": "x", "prompt": "x", "executor": "codex", "executor_profile": "audit", "priority": "high"});
            one.does("jobs.create", deep);
        }
        for _ in 0..60 {
            let claude = json!({"title": "x", "prompt": "x", "policy": {"forbid": ["codex"]}});
            one.does("jobs.create", claude);
        }
        one.does("jobs.create", json!({"title": "mine", "prompt": "x", "executor": "codex", "priority": "low"}));
        let capabilities = json!({"executors": [{"executor": "codex", "profiles": ["fast"]}]});
        one.does("jobs.runner.heartbeat", json!({"runner_id": "r1", "status": "idle", "capabilities": capabilities}));
        let claimed = one.does("jobs.claim", json!({"runner_id": "r1"}));
        assert_eq!(claimed["job"]["title"], "mine");
        let refused = one.refused("jobs.claim", json!({"job": "JOB-001", "runner_id": "r1"}));
        assert_eq!(refused["error"], "PRECONDITION_FAILED");
        assert!(refused["message"].as_str().unwrap().contains("codex with profile audit"), "{refused}");
    });
}

#[test]
fn two_runners_that_claim_at_once_never_get_the_same_job() {
    on_every_backend(|app| {
        let [one, other] = app.joined(["one", "other"]);
        for _ in 0..40 {
            one.does("jobs.create", json!({"title": "x", "prompt": "x"}));
        }
        let elsewhere = app.beside();
        let other = other.through(&elsewhere);
        let claim_all = |agent: &Agent<'_>| -> Vec<String> {
            let next = || agent.does("jobs.claim", json!({}))["job"]["job"].as_str().map(str::to_owned);
            std::iter::from_fn(next).collect()
        };
        let mut all = std::thread::scope(|scope| {
            let theirs = scope.spawn(|| claim_all(&other));
            [claim_all(&one), theirs.join().unwrap()].concat()
        });
        all.sort();
        assert_eq!(all, (1..=40).map(|number| format!("JOB-{number:03}")).collect::<Vec<_>>());
        clean(&app);
    });
}

#[test]
fn a_job_whose_prompt_would_not_arrive_whole_is_not_claimed() {
    on_every_backend(|app| {
        let [one] = app.joined(["one"]);
        one.does("jobs.create", json!({"title": "x", "prompt": "ä".repeat(50_000)}));
        let refused = one.refused("jobs.claim", json!({"max_chars": 49_999}));
        assert_eq!((&refused["error"], &refused["chars"]), (&json!("BUDGET_EXCEEDED"), &json!(50_000)));
        assert_eq!(one.does("jobs.open", json!({"job": "JOB-001"}))["job"]["status"], "QUEUED");
        let claimed = one.does("jobs.claim", json!({"max_chars": 50_000}));
        assert_eq!(claimed["prompt"].as_str().unwrap().chars().count(), 50_000);
    });
}

#[test]
fn the_time_of_a_job_counts_over_all_claims_and_runners_until_a_manager_has_it_done_again() {
    on_every_backend(|app| {
        let [one, other] = app.joined(["one", "other"]);
        let room = claimed(&one, "r1")["room_id"].as_str().unwrap().parse().unwrap();
        let worked = || app.app().worked_before(&room, "JOB-001".parse().unwrap()).unwrap();
        assert_eq!(worked(), Ttl::from_millis(0));
        app.later(Ttl::from_minutes(60));
        let again = other.does("jobs.claim", json!({"runner_id": "r2", "allow_stale": true}));
        assert_eq!(worked(), Ttl::from_minutes(60), "another runner goes on where the first one was lost");
        let giving = GivingBack {
            room_id: again["room_id"].as_str().unwrap().parse().unwrap(),
            job: "JOB-001".parse().unwrap(),
            runner_id: "r2".parse().unwrap(),
            claim_revision: Fence(2),
            reason: "r2 ends".to_owned(),
        };
        app.app().give_back(other.caller(), &giving).unwrap();
        app.later(Ttl::from_minutes(60));
        one.does("jobs.claim", json!({"runner_id": "r1"}));
        assert_eq!(worked(), Ttl::from_minutes(120), "so does one after a runner that gave it back");
        one.does("jobs.requeue", json!({"job": "JOB-001", "reason": "try again"}));
        app.later(Ttl::from_minutes(60));
        one.does("jobs.claim", json!({"runner_id": "r1"}));
        app.later(Ttl::from_minutes(1));
        assert_eq!(worked(), Ttl::from_minutes(1));
        clean(&app);
    });
}

#[test]
fn a_job_whose_claimants_process_is_gone_is_reclaimed_at_once_with_the_proof() {
    on_every_backend(|app| {
        let [one, other] = app.joined_living(["one", "other"]);
        one.does("jobs.runner.heartbeat", json!({"runner_id": "r1", "status": "live", "active_job_id": "JOB-001"}));
        claimed(&one, "r1");
        let stale = json!({"runner_id": "r2", "allow_stale": true});
        assert_eq!(other.does("jobs.claim", stale.clone())["claimed"], false, "its process lives");
        one.dies();
        let radar = other.does("jobs.radar", json!({}));
        assert_eq!((&radar["runners"]["live"], &radar["runners"]["offline"]), (&json!(0), &json!(1)), "{radar}");
        assert_eq!((&radar["jobs"][0]["marker"], &radar["jobs"][0]["stale"]), (&json!("~"), &json!(true)), "{radar}");
        let again = other.does("jobs.claim", stale);
        assert_eq!((&again["job"]["revision"], &again["job"]["runner_id"]), (&json!(2), &json!("r2")));
        // The minder of its program ends it at once, and has this long for it.
        assert_eq!(again["start_after_ms"], limits::PROGRAM_GRACE.as_millis());
        let opened = other.does("jobs.open", json!({"job": "JOB-001"}));
        let meta = json!({"previous_runner_id": "r1", "reason": "runner_gone", "proof": "exited"});
        assert_eq!(opened["events"][0]["meta"], meta);
        clean(&app);
    });
}

#[test]
fn a_chosen_job_of_a_process_that_is_gone_is_claimed_at_once_too() {
    on_every_backend(|app| {
        let [one, other] = app.joined_living(["one", "other"]);
        claimed(&one, "r1");
        one.dies();
        let chosen = |stale: bool| json!({"job": "JOB-001", "runner_id": "r2", "allow_stale": stale});
        assert_eq!(other.refused("jobs.claim", chosen(false))["error"], "CONFLICT");
        assert_eq!(other.does("jobs.claim", chosen(true))["claimed"], true);
    });
}

#[test]
fn a_claim_from_a_machine_that_cannot_be_seen_lasts_until_its_end() {
    on_every_backend(|app| {
        let [other] = app.joined(["other"]);
        let far = app.agent_elsewhere("far", "host_far");
        far.enter(&other.room());
        claimed(&far, "r1");
        let stale = json!({"runner_id": "r2", "allow_stale": true});
        app.later(Ttl::from_millis(59_999));
        assert_eq!(other.does("jobs.claim", stale.clone())["claimed"], false);
        app.later(Ttl::from_millis(1));
        let again = other.does("jobs.claim", stale);
        assert_eq!((&again["claimed"], &again["start_after_ms"]), (&json!(true), &json!(5_000)));
        let opened = other.does("jobs.open", json!({"job": "JOB-001"}));
        assert_eq!(opened["events"][0]["meta"], json!({"previous_runner_id": "r1", "reason": "ttl_expired"}));
        clean(&app);
    });
}

#[test]
fn jobs_that_wait_without_a_runner_are_told_to_whoever_starts_one() {
    on_every_backend(|app| {
        let [manager, worker] = app.joined_living(["manager", "worker"]);
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        app.app().when_queued(Box::new(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        }));
        let seen = |what: &str| {
            manager.does("jobs.radar", json!({}));
            assert!(asked.swap(0, Ordering::Relaxed) > 0, "{what}");
        };
        let unseen = |what: &str| {
            manager.does("jobs.radar", json!({}));
            assert_eq!(asked.swap(0, Ordering::Relaxed), 0, "{what}");
        };
        unseen("there are no jobs");
        manager.does("jobs.create", json!({"title": "x", "prompt": "x"}));
        seen("it waits, and was created before");
        worker.does("jobs.runner.heartbeat", json!({"runner_id": "r1", "status": "idle"}));
        unseen("a runner is there");
        worker.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "r1"}));
        worker.dies();
        seen("its runner is gone");
        manager.does("jobs.cancel", json!({"job": "JOB-001", "reason": "Enough"}));
        unseen("nothing waits");
    });
}
