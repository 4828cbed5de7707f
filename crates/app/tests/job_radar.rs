//! The manager's inbox, and the runners on it.

use baton_core::time::Ttl;
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

fn lines(agent: &Agent<'_>, mut input: Value) -> String {
    input["fmt"] = json!("lines");
    let shown = agent.does("jobs.radar", input)["lines"].as_str().expect("lines").to_owned();
    let shown = shown.replace(agent.room().as_str(), "ROOM");
    // The store is another for each test.
    match shown.split_once("--store ") {
        Some((before, after)) => format!("{before}--store STORE{}", after.trim_start_matches(|c| c != '\n')),
        None => shown,
    }
}

fn create(agent: &Agent<'_>, title: &str) {
    agent.does("jobs.create", json!({"title": title, "prompt": "x"}));
}

fn report(agent: &Agent<'_>, job: &str, kind: &str, message: &str) {
    agent.does("jobs.report", json!({"job": job, "claim_revision": 1, "kind": kind, "message": message}));
}

fn beat(agent: &Agent<'_>, runner: &str, status: &str, job: Option<&str>) {
    agent.does("jobs.runner.heartbeat", json!({"runner_id": runner, "status": status, "active_job_id": job}));
}

/// Every way in which a job can want somebody.
fn every_marker(app: &TestApp) -> Agent<'_> {
    let [agent] = app.joined(["r1"]);
    for title in ["Stale", "Proof", "Investigate cache", "Broken", "Calm", "Waits"] {
        create(&agent, title);
    }
    for number in 1..=5 {
        let ttl = if number == 1 { 1_000 } else { 300_000 };
        agent.does("jobs.claim", json!({"job": format!("JOB-00{number}"), "lease_ttl_ms": ttl}));
    }
    report(&agent, "JOB-002", "proof_gate", "Nothing shows it.");
    report(&agent, "JOB-003", "question", "Evict or grow?");
    report(&agent, "JOB-004", "error", "It does not compile.");
    report(&agent, "JOB-005", "progress", "Half of it.");
    app.later(Ttl::from_secs(2));
    agent
}

#[test]
fn the_most_pressing_job_comes_first_and_says_the_next_move() {
    on_every_backend(|app| {
        let agent = every_marker(&app);
        insta::allow_duplicates! {
        insta::assert_snapshot!(lines(&agent, json!({})), @r#"
        ROOM jobs_radar count=6 runner=offline runners=none
        CMD: baton run --room ROOM --store STORE
        JOB-004@16 ! JOB-004 (RUNNING) Broken | open id=JOB-004@16 | last error: It does not compile. | age <1m
        JOB-003@15 ? JOB-003 (RUNNING) Investigate cache | open id=JOB-003@15 | reply reply_job=JOB-003 reply_message="..." | last question: Evict or grow? | age <1m
        JOB-002@14 ! JOB-002 (RUNNING) Proof | open id=JOB-002@14 | last proof_gate: Nothing shows it. | age <1m
        JOB-001@9 ~ JOB-001 (RUNNING) Stale | open id=JOB-001@9 | last claimed: r1 | age <1m
        JOB-005@17 JOB-005 (RUNNING) Calm | open id=JOB-005@17 | last progress: Half of it. | age <1m
        JOB-006@8 JOB-006 (QUEUED) Waits | open id=JOB-006@8 | blocked: No runner is here. | age <1m
        "#);
        }
    });
}

#[test]
fn one_copied_reply_clears_the_question() {
    on_every_backend(|app| {
        let agent = every_marker(&app);
        let shown = lines(&agent, json!({"reply_job": "JOB-003", "reply_message": "Evict."}));
        assert!(
            shown.contains("JOB-003 (RUNNING) Investigate cache | open id=JOB-003@18 | last manager: Evict."),
            "{shown}"
        );
        assert!(!shown.contains('?'), "{shown}");
        let refused = agent.refused("jobs.radar", json!({"reply_job": "JOB-003"}));
        assert_eq!([&refused["error"], &refused["field"]], ["INVALID_INPUT", "reply_message"]);
        // Asked again, it is there again; the low-level message clears it as well.
        report(&agent, "JOB-003", "question", "Both?");
        assert!(lines(&agent, json!({})).contains("? JOB-003"));
        agent.does("jobs.message", json!({"job": "JOB-003", "message": "Evict only."}));
        assert!(!lines(&agent, json!({})).contains("? JOB-003"));
    });
}

#[test]
fn a_question_stays_visible_through_10_000_later_events_on_other_jobs() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        create(&agent, "Asks");
        agent.does("jobs.claim", json!({"job": "JOB-001", "lease_ttl_ms": 300_000}));
        report(&agent, "JOB-001", "question", "Which way?");
        create(&agent, "Chatters");
        agent.does("jobs.claim", json!({"job": "JOB-002", "lease_ttl_ms": 300_000}));
        // One job says much, and many jobs are touched after it.
        for _ in 0..9_700 {
            report(&agent, "JOB-002", "progress", "still at it");
        }
        for number in 3..=302 {
            create(&agent, &format!("Touched {number}"));
        }
        let shown = lines(&agent, json!({"limit": 5}));
        let first = |shown: &str| shown.lines().find(|line| line.starts_with("JOB-")).expect("a row").to_owned();
        assert!(first(&shown).contains(" ? JOB-001 (RUNNING) Asks"), "{shown}");
        for number in 3..=40 {
            agent.does("jobs.claim", json!({"job": format!("JOB-{number:03}"), "lease_ttl_ms": 300_000}));
        }
        let running = lines(&agent, json!({"status": "RUNNING", "limit": 5}));
        assert!(first(&running).contains(" ? JOB-001 (RUNNING) Asks"), "{running}");
        assert!(shown.starts_with("ROOM jobs_radar count=5 runner=offline runners=none has_more=true"), "{shown}");
    });
}

#[test]
fn filters_narrow_the_radar_and_are_named_in_its_header() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        agent.does("tasks.create", json!({"title": "t"}));
        agent.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        create(&agent, "Plain");
        agent.does(
            "jobs.create",
            json!({"title": "Of the task", "prompt": "x", "task": "TASK-001", "anchor": "a:core"}),
        );
        agent.does("jobs.claim", json!({"job": "JOB-001"}));
        agent
            .does("jobs.complete", json!({"job": "JOB-001", "claim_revision": 1, "status": "FAILED", "summary": "no"}));
        let header = |input: Value| {
            let shown = lines(&agent, input);
            let jobs: Vec<&str> =
                shown.lines().filter(|line| line.starts_with("JOB-")).map(|line| &line[..7]).collect();
            format!("{} [{}]", shown.lines().next().unwrap(), jobs.join(" "))
        };
        assert_eq!(header(json!({})), "ROOM jobs_radar count=1 runner=offline runners=none [JOB-002]");
        assert_eq!(
            header(json!({"task": "TASK-001"})),
            "ROOM jobs_radar count=1 runner=offline runners=none task=TASK-001 [JOB-002]"
        );
        assert_eq!(
            header(json!({"anchor": "a:core", "status": "QUEUED"})),
            "ROOM jobs_radar count=1 runner=offline runners=none status=QUEUED anchor=a:core [JOB-002]"
        );
        assert_eq!(
            header(json!({"status": "FAILED"})),
            "ROOM jobs_radar count=1 runner=offline runners=none status=FAILED [JOB-001]"
        );
    });
}

#[test]
fn a_budget_costs_previews_before_rows_and_says_so() {
    on_every_backend(|app| {
        let agent = every_marker(&app);
        let whole = lines(&agent, json!({}));
        let cut = lines(&agent, json!({"max_chars": whole.chars().count() - 40}));
        assert_eq!(cut.lines().filter(|line| line.starts_with("JOB-")).count(), 6, "{cut}");
        assert!(!cut.contains("| last ") && cut.contains("BUDGET_TRUNCATED: cut previews"), "{cut}");
        let small = lines(&agent, json!({"max_chars": 400}));
        assert!(small.contains("JOB-004@16 ! JOB-004") && small.contains("of 6 rows"), "{small}");
        assert_eq!(agent.refused("jobs.radar", json!({"max_chars": 10}))["field"], "max_chars");
    });
}

#[test]
fn runners_are_offline_idle_or_live_by_their_lease_and_never_by_guess() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        create(&agent, "x");
        let header = || lines(&agent, json!({})).lines().next().unwrap().to_owned();
        assert!(header().contains("runner=offline runners=none"));
        // Work being done says nothing about who is there.
        agent.does("jobs.claim", json!({"job": "JOB-001", "lease_ttl_ms": 300_000}));
        assert!(header().contains("runner=offline runners=none"));
        beat(&agent, "r1", "idle", None);
        assert!(header().contains("runner=idle runners=live:0 idle:1 offline:0"));
        beat(&agent, "r1", "live", Some("JOB-001"));
        beat(&agent, "r2", "idle", None);
        let shown = lines(&agent, json!({}));
        assert!(shown.contains("runner=live runners=live:1 idle:1 offline:0"), "{shown}");
        assert!(shown.contains("\nrunner live r1 | open id=runner:r1 job=JOB-001 | open id=JOB-001\n"), "{shown}");
        assert!(shown.contains("\nrunner idle r2 | open id=runner:r2\n"), "{shown}");
        app.later(Ttl::from_millis(19_999));
        assert!(header().contains("runner=live"));
        app.later(Ttl::from_millis(1));
        let shown = lines(&agent, json!({}));
        assert!(shown.contains("runner=offline runners=live:0 idle:0 offline:2"), "{shown}");
        let gone = "\nrunner offline r1 last=live last_job=JOB-001 | open id=runner:r1 | open id=JOB-001\n";
        assert!(shown.contains(gone), "{shown}");
        assert!(
            shown.contains("\n! diag job_runner_offline runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001\n")
        );
        // Signing off is not being lost.
        beat(&agent, "r2", "idle", None);
        agent.does("jobs.runner.retire", json!({"runner_id": "r2"}));
        assert!(header().contains("offline:1"));
        app.later_minutes(24 * 60 + 1);
        assert!(header().contains("runner=offline runners=none"), "what is long gone is not shown");
    });
}

#[test]
fn what_contradicts_itself_is_told() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        for _ in 0..3 {
            create(&agent, "x");
        }
        agent.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "other", "lease_ttl_ms": 300_000}));
        agent.does("jobs.claim", json!({"job": "JOB-003", "runner_id": "e", "lease_ttl_ms": 1_000}));
        for (runner, status, job) in [
            ("a", "live", None),
            ("b", "idle", Some("JOB-009")),
            ("c", "live", Some("JOB-002")),
            ("d", "live", Some("JOB-001")),
            ("e", "live", Some("JOB-003")),
        ] {
            beat(&agent, runner, status, job);
        }
        app.later(Ttl::from_secs(1));
        let shown = lines(&agent, json!({}));
        let diags: Vec<&str> = shown.lines().filter(|line| line.contains(" diag ")).collect();
        insta::allow_duplicates! {
        insta::assert_snapshot!(diags.join("\n"), @r"
        ! diag live_missing_active_job runner=a | open id=runner:a
        ! diag idle_has_active_job runner=b job=JOB-009 | open id=runner:b | open id=JOB-009
        ! diag active_job_unknown runner=b job=JOB-009 | open id=runner:b | open id=JOB-009
        ! diag active_job_not_running runner=c job=JOB-002 | open id=runner:c | open id=JOB-002
        ! diag job_runner_mismatch runner=d job=JOB-001 | open id=runner:d | open id=JOB-001
        ~ diag job_claim_expired runner=e job=JOB-003 | open id=runner:e | open id=JOB-003
        ");
        }
    });
}

#[test]
fn nobody_speaks_for_a_runner_that_is_somebody_elses_and_there() {
    on_every_backend(|app| {
        let [one, other] = app.joined(["one", "other"]);
        beat(&one, "r1", "idle", None);
        let refused = other.refused("jobs.runner.heartbeat", json!({"runner_id": "r1", "status": "idle"}));
        assert_eq!([&refused["error"], &refused["agent_id"]], ["id_in_use", "one"]);
        assert_eq!(other.refused("jobs.runner.retire", json!({"runner_id": "r1"}))["error"], "id_in_use");
        assert_eq!(other.refused("jobs.claim", json!({"runner_id": "r1"}))["error"], "id_in_use");
        app.later(Ttl::from_secs(20));
        beat(&other, "r1", "idle", None);
        assert_eq!(one.story(), "create join join runner.register runner.register");
    });
}

#[test]
fn needs_proof_is_cleared_by_evidence_only() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        create(&agent, "x");
        create(&agent, "other");
        agent.does("jobs.claim", json!({"job": "JOB-001"}));
        agent.does("tasks.card.create", json!({"kind": "evidence", "title": "t", "text": "ok"}));
        let needs = || agent.does("jobs.open", json!({"job": "JOB-001"}))["job"]["needs_proof"] == true;
        let checkpoint = |refs: Value| {
            agent.does(
                "jobs.report",
                json!({"job": "JOB-001", "claim_revision": 1, "kind": "checkpoint", "message": "started", "refs": refs}),
            );
        };
        report(&agent, "JOB-001", "proof_gate", "Nothing shows it.");
        assert!(needs());
        checkpoint(json!([]));
        checkpoint(json!(["JOB-001", "CMD: cargo test"]));
        agent.does("jobs.message", json!({"job": "JOB-001", "message": "go on"}));
        agent.does(
            "jobs.report",
            json!({"job": "JOB-001", "claim_revision": 1, "kind": "question", "message": "is CARD-1 enough?", "refs": ["CARD-1"]}),
        );
        assert!(needs(), "a start, its own id, a mere message and a question's refs prove nothing");
        checkpoint(json!(["CARD-1"]));
        assert!(!needs());
        report(&agent, "JOB-001", "proof_gate", "Nothing shows it.");
        agent.does("jobs.message", json!({"job": "JOB-001", "message": "It is in CARD-1."}));
        assert!(!needs(), "a manager's message with a ref in its text is evidence");
    });
}

#[test]
fn a_question_is_shown_and_opened_from_its_row_however_much_is_said_after_it() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        create(&agent, "Asks");
        agent.does("jobs.claim", json!({"job": "JOB-001", "lease_ttl_ms": 300_000}));
        report(&agent, "JOB-001", "question", "Evict or grow?");
        report(&agent, "JOB-001", "progress", "slice 1 ended: CONTINUE");
        let seen = agent.does("jobs.radar", json!({}));
        let row = &seen["jobs"][0];
        let asked = json!({"ref": row["ref"], "kind": "question", "message": "Evict or grow?"});
        assert_eq!((&row["attention"], &row["marker"]), (&asked, &json!("?")));
        let opened = agent.does("open", json!({"id": row["ref"]}));
        assert_eq!(opened["event"]["message"], "Evict or grow?", "{opened}");
        for command in ["jobs.open", "jobs.tail"] {
            assert_eq!(agent.does(command, json!({"job": "JOB-001"}))["job"]["attention"], asked, "{command}");
        }
        assert_eq!(agent.does("jobs.list", json!({}))["jobs"][0]["attention"], asked);
        assert_eq!(agent.does("jobs.overview", json!({}))["jobs"][0]["shown"], asked);
        assert!(lines(&agent, json!({})).contains("| last question: Evict or grow? |"));
    });
}

#[test]
fn a_question_behind_an_error_is_answered_from_the_radar() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        create(&agent, "Asks");
        agent.does("jobs.claim", json!({"job": "JOB-001", "lease_ttl_ms": 300_000}));
        report(&agent, "JOB-001", "question", "Which one?");
        report(&agent, "JOB-001", "error", "It broke.");
        let shown = lines(&agent, json!({}));
        let row = shown.lines().find(|line| line.starts_with("JOB-")).expect("a row");
        assert!(row.contains(" ! JOB-001 ") && row.contains("reply reply_job=JOB-001 reply_message=\"...\""), "{row}");
        assert!(row.contains("last error: It broke.") && row.contains("Which one?"), "{row}");
        agent.does("jobs.radar", json!({"reply_job": "JOB-001", "reply_message": "The second."}));
        assert_eq!(agent.does("jobs.list", json!({}))["jobs"][0]["needs_manager"], false);
    });
}

#[test]
fn a_reply_in_lines_is_answered_in_lines() {
    on_every_backend(|app| {
        let agent = every_marker(&app);
        let reply = json!({"reply_job": "JOB-003", "reply_message": "Evict.", "fmt": "lines"});
        let answer = agent.does("jobs.radar", reply);
        let fields: Vec<&String> = answer.as_object().expect("fields").keys().collect();
        assert_eq!(fields, ["lines"], "{answer}");
        let second = answer["lines"].as_str().expect("lines").lines().nth(1).map(str::to_owned);
        assert_eq!(second.as_deref(), Some("replied JOB-003@18 | open id=JOB-003@18"));
    });
}

#[test]
fn a_budget_holds_for_json_too_and_says_what_it_cost() {
    on_every_backend(|app| {
        let agent = every_marker(&app);
        let whole = agent.does("jobs.radar", json!({}));
        assert_eq!((whole["jobs"].as_array().map(Vec::len), &whole["cut"]), (Some(6), &Value::Null));
        let cut = agent.does("jobs.radar", json!({"max_chars": 3_000}));
        let shown = cut["jobs"].as_array().expect("jobs").len();
        assert!(shown < 6 && shown > 0 && cut.to_string().chars().count() <= 3_100, "{cut}");
        assert_eq!((&cut["has_more"], &cut["count"]), (&json!(true), &json!(shown)));
        assert!(cut["cut"].as_str().is_some_and(|cut| cut.contains(&format!("{} of 6 jobs", 6 - shown))), "{cut}");
        let least = agent.does("jobs.radar", json!({"max_chars": 200}));
        assert_eq!(least["jobs"].as_array().map(Vec::len), Some(1), "one row can always be navigated from");
    });
}

#[test]
fn live_runners_are_shown_however_many_are_idle() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        create(&agent, "Runs");
        agent.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "aaa-live"}));
        beat(&agent, "aaa-live", "live", Some("JOB-001"));
        app.later(Ttl::from_secs(1));
        for number in 0..30 {
            beat(&agent, &format!("idle-{number:02}"), "idle", None);
        }
        let shown = lines(&agent, json!({}));
        assert!(shown.contains("runner live aaa-live | open id=runner:aaa-live job=JOB-001"), "{shown}");
        assert!(shown.starts_with("ROOM jobs_radar count=1 runner=live runners=live:1 idle:30 offline:0"), "{shown}");
    });
}

#[test]
fn a_heartbeat_tells_how_far_a_job_is_without_an_event() {
    on_every_backend(|app| {
        let [agent] = app.joined(["r1"]);
        create(&agent, "Long");
        agent.does("jobs.claim", json!({"job": "JOB-001", "lease_ttl_ms": 300_000}));
        app.later(Ttl::from_secs(60));
        let beat = json!({
            "job": "JOB-001", "claim_revision": 1, "kind": "heartbeat", "message": "cargo test --workspace",
            "percent": 40, "slice": 2, "tokens": 18_250,
        });
        agent.does("jobs.report", beat);
        let shown = lines(&agent, json!({}));
        assert!(shown.contains("| age 1m, slice 2, 40 %, 18.2k tokens: cargo test --workspace"), "{shown}");
        let row = agent.does("jobs.radar", json!({}))["jobs"][0].clone();
        let progress = json!({"slice": 2, "percent": 40, "line": "cargo test --workspace", "tokens": 18_250});
        assert_eq!((&row["progress"], &row["age_s"], &row["last"]["kind"]), (&progress, &json!(60), &json!("claimed")));
        // The next claim begins anew; tokens are the job's.
        agent.does("jobs.requeue", json!({"job": "JOB-001", "reason": "again"}));
        agent.does("jobs.claim", json!({"job": "JOB-001"}));
        assert_eq!(agent.does("jobs.list", json!({}))["jobs"][0]["progress"], json!({"tokens": 18_250}));
    });
}
