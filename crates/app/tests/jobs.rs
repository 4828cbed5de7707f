//! Jobs from delegation to their end, as callers see them.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use baton_app::doctor;
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

fn job(agent: &Agent<'_>, title: &str) -> String {
    let created = agent.does("jobs.create", json!({"title": title, "prompt": "Do it."}));
    created["job"].as_str().expect("an id").to_owned()
}

/// Claims the next job for `runner`, and tells which and under which revision.
fn next(agent: &Agent<'_>, runner: &str) -> Option<(String, u64)> {
    let answer = agent.does("jobs.claim", json!({"runner_id": runner, "allow_stale": true}));
    let job = answer.get("job").filter(|_| answer["claimed"] == true)?;
    Some((job["job"].as_str()?.to_owned(), job["revision"].as_u64()?))
}

fn complete(agent: &Agent<'_>, job: &str, runner: &str, revision: u64) -> Value {
    let input =
        json!({"job": job, "runner_id": runner, "claim_revision": revision, "status": "DONE", "summary": "Done."});
    agent.does("jobs.complete", input)
}

fn clean(app: &TestApp) {
    let examined = doctor::examine(app.app()).unwrap();
    assert!(examined.is_clean(), "{examined:?}");
}

#[test]
fn copy_paste_create_a_claude_code_job() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        for number in 1..=123 {
            manager.does("tasks.create", json!({"title": format!("task {number}")}));
        }
        manager.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        let created = manager.does(
            "jobs.create",
            json!({
                "title": "Investigate <topic>",
                "prompt": "<what to do>",
                "kind": "research",
                "priority": "normal",
                "task": "TASK-123",
                "anchor": "a:core",
                "executor": "claude_code",
                "executor_profile": "fast",
                "expected_artifacts": ["report"],
                "meta": {"executor_model": "sonnet", "skill_profile": "research"}
            }),
        );
        let expected = json!({
            "executor": "claude_code", "executor_profile": "fast", "executor_model": "sonnet",
            "expected_artifacts": ["report"], "isolation": "workspace", "skill_profile": "research",
        });
        assert_eq!(
            (&created["job"], &created["status"], &created["meta"]),
            (&json!("JOB-001"), &json!("QUEUED"), &expected)
        );
        assert_eq!([&created["task"], &created["anchor"]], ["TASK-123", "a:core"]);
        clean(&app);
    });
}

#[test]
fn copy_paste_create_an_auto_routed_job_that_prefers_claude_code() {
    on_every_backend(|app| {
        let [manager, codex, claude] = app.joined(["manager", "codex", "claude"]);
        manager.does("tasks.create", json!({"title": "task"}));
        manager.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        let create = || {
            manager.does(
                "jobs.create",
                json!({
                    "title": "Implement <feature>", "prompt": "<what to do>", "kind": "codex_cli", "priority": "high",
                    "task": "TASK-001", "anchor": "a:core", "executor": "auto", "executor_profile": "deep",
                    "expected_artifacts": ["patch"],
                    "policy": {"prefer": ["claude_code", "codex"], "forbid": [], "min_profile": "fast"},
                    "meta": {"executor_model": "opus", "skill_profile": "strict"}
                }),
            )
        };
        let there = |agent: &Agent<'_>, runner: &str, executor: &str| {
            let capabilities = json!({
                "executors": [{"executor": executor, "profiles": ["fast", "deep"]}], "supports_artifacts": true,
            });
            let input = json!({"runner_id": runner, "status": "idle", "capabilities": capabilities});
            agent.does("jobs.runner.heartbeat", input);
        };
        create();
        there(&codex, "a-codex", "codex");
        there(&claude, "z-claude", "claude_code");
        assert_eq!(next(&codex, "a-codex"), None, "the preferred runner is there");
        let refused = codex.refused("jobs.claim", json!({"job": "JOB-001", "runner_id": "a-codex"}));
        assert_eq!([&refused["error"], &refused["chosen"]], ["PRECONDITION_FAILED", "z-claude"]);
        assert_eq!(next(&claude, "z-claude"), Some(("JOB-001".to_owned(), 1)));
        // Once the preferred one is gone, the other one is the choice.
        create();
        claude.does("jobs.runner.retire", json!({"runner_id": "z-claude"}));
        let answer = codex.does("jobs.claim", json!({"runner_id": "a-codex"}));
        assert_eq!([&answer["job"]["job"], &answer["job"]["claim_executor"]], ["JOB-002", "codex"]);
        clean(&app);
    });
}

#[test]
fn a_job_is_queued_then_running_then_done() {
    on_every_backend(|app| {
        let [manager, runner] = app.joined(["manager", "r1"]);
        let created = manager.does("jobs.create", json!({"title": "Fix it", "prompt": "Fix the parser."}));
        assert_eq!((&created["status"], &created["revision"]), (&json!("QUEUED"), &json!(0)));
        let claimed = runner.does("jobs.claim", json!({"job": "JOB-001", "lease_ttl_ms": 60_000}));
        assert_eq!(claimed["prompt"], "Fix the parser.");
        let job = &claimed["job"];
        assert_eq!((&job["status"], &job["revision"], &job["runner_id"]), (&json!("RUNNING"), &json!(1), &json!("r1")));
        assert_eq!(job["claim_expires_at_ms"], app.now().as_millis() + 60_000);
        runner.does(
            "jobs.report",
            json!({"job": "JOB-001", "claim_revision": 1, "kind": "progress", "message": "half", "percent": 50}),
        );
        let card = runner
            .does("tasks.card.create", json!({"kind": "evidence", "title": "It parses", "text": "CMD: cargo test"}));
        let done = runner.does(
            "jobs.complete",
            json!({"job": "JOB-001", "claim_revision": 1, "status": "DONE", "summary": "Parsed.", "refs": [card["card"], "CMD: cargo test"]}),
        );
        assert_eq!([&done["status"], &done["summary"]], ["DONE", "Parsed."]);
        assert_eq!(done["refs"], json!(["CARD-1", "CMD: cargo test"]));
        assert_eq!(manager.story(), "create join join job.created job.claimed job.progress card.create job.completed");
        let again = runner.refused(
            "jobs.complete",
            json!({"job": "JOB-001", "claim_revision": 1, "status": "DONE", "summary": "Again."}),
        );
        assert_eq!([&again["error"], &again["status"]], ["CONFLICT", "DONE"]);
        clean(&app);
    });
}

#[test]
fn the_most_urgent_job_is_claimed_first_and_of_those_the_oldest() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        for (title, priority) in [("a", "low"), ("b", "normal"), ("c", "high"), ("d", "HIGH"), ("e", "medium")] {
            manager.does("jobs.create", json!({"title": title, "prompt": "x", "priority": priority}));
        }
        let order: Vec<String> = std::iter::from_fn(|| next(&manager, "r1").map(|(job, _)| job)).collect();
        assert_eq!(order, ["JOB-003", "JOB-004", "JOB-002", "JOB-005", "JOB-001"]);
    });
}

#[test]
fn an_unknown_priority_profile_or_executor_is_refused_naming_what_exists() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        let refused = |field: &str, value: &str| {
            manager.refused("jobs.create", json!({"title": "x", "prompt": "x", field: value}))
        };
        for (field, value, names) in [
            ("executor", "gpt", "codex, claude_code, command, auto"),
            ("executor_profile", "slow", "fast, deep, audit"),
            ("priority", "urgent", "low, normal (or medium) or high"),
            ("isolation", "jail", "workspace, worktree"),
        ] {
            let refusal = refused(field, value);
            assert_eq!((&refusal["error"], &refusal["field"]), (&json!("INVALID_INPUT"), &json!(field)));
            assert!(refusal["message"].as_str().unwrap().contains(names), "{refusal}");
        }
        assert_eq!(manager.does("jobs.list", json!({}))["jobs"], json!([]));
    });
}

#[test]
fn a_jobs_links_must_exist() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        for (field, value) in [("task", "TASK-007"), ("anchor", "a:nowhere")] {
            let refusal = manager.refused("jobs.create", json!({"title": "x", "prompt": "x", field: value}));
            assert_eq!(refusal["error"], "UNKNOWN_ID", "{refusal}");
        }
        for command in ["jobs.open", "jobs.tail"] {
            assert_eq!(manager.refused(command, json!({"job": "JOB-009"}))["error"], "UNKNOWN_ID");
        }
        let report = json!({"job": "JOB-009", "claim_revision": 1, "kind": "progress", "message": "x"});
        assert_eq!(manager.refused("jobs.report", report)["error"], "UNKNOWN_ID");
    });
}

#[test]
fn refs_must_lead_somewhere_and_salvaged_ones_that_do_not_are_left_out() {
    on_every_backend(|app| {
        let [runner] = app.joined(["r1"]);
        job(&runner, "x");
        next(&runner, "r1");
        let report = |refs: Value| json!({"job": "JOB-001", "claim_revision": 1, "kind": "checkpoint", "message": "x", "refs": refs});
        assert_eq!(runner.refused("jobs.report", report(json!(["CARD-9"])))["error"], "UNKNOWN_ID");
        assert_eq!(runner.refused("jobs.report", report(json!(["task-force"])))["error"], "INVALID_INPUT");
        runner.does("tasks.card.create", json!({"kind": "test", "title": "t", "text": "ok"}));
        let summary =
            "See CARD-1 and CARD-9, by the task-force.\nCMD: cargo test -p core\nLINK: https://example.org/run/1";
        let done = runner.does(
            "jobs.complete",
            json!({"job": "JOB-001", "claim_revision": 1, "status": "DONE", "summary": summary}),
        );
        assert_eq!(done["refs"], json!(["CARD-1", "CMD: cargo test -p core", "LINK: https://example.org/run/1"]));
    });
}

#[test]
fn a_report_merges_meta_and_cannot_change_what_a_job_asks() {
    on_every_backend(|app| {
        let [runner] = app.joined(["r1"]);
        runner.does("jobs.create", json!({"title": "x", "prompt": "x", "executor": "codex", "meta": {"a": 1, "b": 1}}));
        next(&runner, "r1");
        let report = |meta: Value| json!({"job": "JOB-001", "claim_revision": 1, "kind": "progress", "message": "x", "meta": meta});
        let reported = runner.does("jobs.report", report(json!({"b": 2, "c": 3})));
        assert_eq!(reported["meta"], json!({"executor": "codex", "isolation": "workspace", "a": 1, "b": 2, "c": 3}));
        assert_eq!(runner.refused("jobs.report", report(json!({"executor": "claude_code"})))["error"], "INVALID_INPUT");
        runner.does("jobs.requeue", json!({"job": "JOB-001", "reason": "again"}));
        let again = runner.does("jobs.claim", json!({"job": "JOB-001"}));
        assert_eq!(again["job"]["meta"]["executor"], "codex");
        assert_eq!(again["job"]["revision"], 2);
        clean(&app);
    });
}

#[test]
fn a_canceled_job_takes_no_more_reports_and_can_be_requeued() {
    on_every_backend(|app| {
        let [manager, runner] = app.joined(["manager", "r1"]);
        job(&manager, "x");
        next(&runner, "r1");
        let canceled = manager.does("jobs.cancel", json!({"job": "JOB-001", "reason": "not needed"}));
        assert_eq!((&canceled["status"], canceled.get("runner_id")), (&json!("CANCELED"), None));
        let zombie = json!({"job": "JOB-001", "claim_revision": 1, "kind": "progress", "message": "x"});
        assert_eq!(runner.refused("jobs.report", zombie)["error"], "CONFLICT");
        let refused = manager.refused("jobs.message", json!({"job": "JOB-001", "message": "hello?"}));
        assert_eq!(refused["error"], "PRECONDITION_FAILED");
        assert_eq!(next(&runner, "r1"), None);
        manager.does("jobs.requeue", json!({"job": "JOB-001", "reason": "needed after all"}));
        assert_eq!(next(&runner, "r1"), Some(("JOB-001".to_owned(), 2)));
        complete(&runner, "JOB-001", "r1", 2);
        assert_eq!(
            manager.refused("jobs.cancel", json!({"job": "JOB-001", "reason": "late"}))["error"],
            "PRECONDITION_FAILED"
        );
        clean(&app);
    });
}

#[test]
fn a_keyed_request_about_a_job_is_carried_out_once() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        let create = json!({"title": "x", "prompt": "x", "idempotency_key": "k1"});
        let first = manager.does("jobs.create", create.clone());
        assert_eq!(manager.does("jobs.create", create), first);
        let claim = json!({"idempotency_key": "k2"});
        let mut claimed = manager.does("jobs.claim", claim.clone());
        claimed.as_object_mut().unwrap().remove("capability").expect("the first answer has the secret of the claim");
        assert_eq!(manager.does("jobs.claim", claim), claimed, "a repeated one has not");
        assert_eq!(manager.does("jobs.list", json!({}))["jobs"].as_array().unwrap().len(), 1);
    });
}

#[test]
fn listings_can_be_filtered_and_paged() {
    on_every_backend(|app| {
        let [manager] = app.joined(["manager"]);
        manager.does("tasks.create", json!({"title": "t"}));
        for number in 1..=7 {
            let task = (number % 2 == 0).then_some("TASK-001");
            manager.does("jobs.create", json!({"title": format!("job {number}"), "prompt": "x", "task": task}));
        }
        for _ in 0..2 {
            next(&manager, "r1");
        }
        let ids = |mut input: Value| {
            let mut all: Vec<String> = Vec::new();
            loop {
                let page = manager.does("jobs.list", input.clone());
                all.extend(page["jobs"].as_array().unwrap().iter().map(|job| job["job"].as_str().unwrap().to_owned()));
                if page["has_more"] == false {
                    return all.join(" ");
                }
                input["cursor"] = page["cursor"].clone();
            }
        };
        assert_eq!(ids(json!({"limit": 3})), "JOB-007 JOB-006 JOB-005 JOB-004 JOB-003 JOB-002 JOB-001");
        assert_eq!(ids(json!({"limit": 1, "status": "RUNNING"})), "JOB-002 JOB-001");
        assert_eq!(ids(json!({"limit": 2, "status": "QUEUED"})), "JOB-007 JOB-006 JOB-005 JOB-004 JOB-003");
        assert_eq!(ids(json!({"limit": 1, "task": "TASK-001"})), "JOB-006 JOB-004 JOB-002");
        assert_eq!(ids(json!({"limit": 1, "task": "TASK-001", "status": "QUEUED"})), "JOB-006 JOB-004");
        assert_eq!(manager.refused("jobs.list", json!({"limit": 201}))["error"], "INVALID_LIMIT");
    });
}

#[test]
fn a_thread_is_read_from_either_end() {
    on_every_backend(|app| {
        let [runner] = app.joined(["r1"]);
        job(&runner, "x");
        job(&runner, "another");
        next(&runner, "r1");
        for number in 1..=12 {
            let message = format!("step {number}");
            runner.does(
                "jobs.report",
                json!({"job": "JOB-001", "claim_revision": 1, "kind": "progress", "message": message}),
            );
        }
        let opened = runner.does("jobs.open", json!({"job": "JOB-001", "include_prompt": true}));
        let said = |page: &Value| -> Vec<String> {
            page["events"]
                .as_array()
                .unwrap()
                .iter()
                .map(|event| event["message"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!((said(&opened).len(), said(&opened)[0].as_str()), (10, "step 12"));
        assert_eq!((&opened["has_more"], &opened["prompt"]), (&json!(true), &json!("Do it.")));
        let older = runner.does("jobs.open", json!({"job": "JOB-001", "before": opened["before"]}));
        assert_eq!(said(&older), ["step 2", "step 1", "r1", "x"]);
        let tail = runner.does("jobs.tail", json!({"job": "JOB-001", "limit": 13}));
        assert_eq!((said(&tail).len(), &tail["has_more"]), (13, &json!(true)));
        let rest = runner.does("jobs.tail", json!({"job": "JOB-001", "after": tail["cursor"]}));
        assert_eq!((said(&rest), &rest["has_more"]), (vec!["step 12".to_owned()], &json!(false)));
        let nothing = runner.does("jobs.tail", json!({"job": "JOB-001", "after": rest["cursor"]}));
        assert_eq!((said(&nothing).len(), &nothing["cursor"]), (0, &rest["cursor"]));
    });
}

#[test]
fn a_tail_waits_for_what_happens_next() {
    on_every_backend(|app| {
        let [manager, runner] = app.joined(["manager", "r1"]);
        job(&manager, "x");
        let cursor = manager.does("jobs.tail", json!({"job": "JOB-001"}))["cursor"].clone();
        std::thread::scope(|scope| {
            let follow = json!({"job": "JOB-001", "after": cursor, "max_wait_ms": 50_000});
            let waiting = scope.spawn(|| manager.does("jobs.tail", follow));
            next(&runner, "r1");
            assert_eq!(waiting.join().unwrap()["events"][0]["kind"], "claimed");
        });
        assert_eq!(
            manager.refused("jobs.tail", json!({"job": "JOB-001", "max_wait_ms": 50_001}))["field"],
            "max_wait_ms"
        );
    });
}
