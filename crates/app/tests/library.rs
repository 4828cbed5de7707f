//! The library: cards, anchors, plans, files, and the task that somebody has turned to.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::sync::Arc;

use baton_app::{
    App,
    artifacts::{Keeping, Proof},
    clock::Time,
    copy, doctor,
    environment::Environment,
    table,
};
use baton_core::{lease::Fence, library::ArtifactKind, limits, reference::Reference};
use baton_testkit::{Agent, Backend, ManualClock, Place, SequentialIds, TestApp, assignment, on_every_backend};
use serde_json::{Value, json};

fn card(agent: &Agent<'_>, title: &str, rest: Value) -> Value {
    let mut input = json!({"title": title, "text": "what was found"});
    input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    agent.does("tasks.card.create", input)
}

fn named(listed: &Value, list: &str, field: &str) -> Vec<String> {
    listed[list].as_array().unwrap().iter().map(|entry| entry[field].as_str().unwrap().to_owned()).collect()
}

fn job(agent: &Agent<'_>, title: &str, rest: Value) -> String {
    let mut input = json!({"title": title, "prompt": format!("Do {title}.")});
    input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    agent.does("jobs.create", input)["job"].as_str().unwrap().to_owned()
}

/// Has `runner` claim a job, and gives the claim's token.
fn claim(runner: &Agent<'_>, job: &str) -> u64 {
    runner.does("jobs.claim", json!({"job": job, "runner_id": "r1"}))["job"]["revision"].as_u64().unwrap()
}

#[test]
fn cards_are_kept_by_whoever_finds_something_and_need_no_membership() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        codex.does("tasks.create", json!({"title": "x"}));
        codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
        let kept = stranger.does(
            "tasks.card.create",
            json!({
                "kind": "evidence", "title": " It leaks ", "text": "see line 3", "tags": ["Memory", "memory", "a"],
                "task": "TASK-001", "anchor": "a:core", "refs": ["TASK-001", "CMD: cargo test", "task-1"],
            }),
        );
        let expected = json!({
            "room_id": codex.room(), "card": "CARD-1", "kind": "evidence", "title": "It leaks", "tags": ["a", "memory"],
            "pinned": false, "task": "TASK-001", "anchor": "a:core", "created_by": "stranger",
            "created_at": "2026-01-01T00:00:00.000Z",
        });
        assert_eq!(kept, expected);
        let opened = codex.does("open", json!({"id": "card-1"}));
        assert_eq!([&opened["kind"], &opened["text"]], ["card", "see line 3"]);
        assert_eq!(opened["refs"], json!(["TASK-001", "CMD: cargo test"]), "each once");
        let event = &codex.does("room.events", json!({"limit": 1}))["events"][0];
        assert_eq!((&event["event_type"], &event["refs"]), (&json!("card.create"), &json!(["CARD-1"])));
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_card_that_points_or_belongs_nowhere_is_refused_and_the_astray_are_named() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let note = codex.does("room.note", json!({"text": "n"}))["event_seq"].as_u64().unwrap();
        let job = job(&codex, "j", json!({}));
        let before = app.everything();
        let refs = json!([
            job,
            format!("{job}@{note}"),
            "notes@1",
            format!("notes@{note}"),
            "CARD-1",
            "a:x",
            "runner:r9",
            "PLAN-1",
            "artifact://diff/1",
            "CMD: make",
            "LINK: https://example.org"
        ]);
        let refusal = codex.refused("tasks.card.create", json!({"title": "x", "text": "y", "refs": refs}));
        let astray =
            json!([format!("{job}@{note}"), "notes@1", "CARD-1", "a:x", "runner:r9", "PLAN-1", "artifact://diff/1"]);
        assert_eq!((&refusal["error"], &refusal["refs"]), (&json!("UNKNOWN_ID"), &astray));
        for (input, error, field) in [
            (json!({"task": "TASK-009"}), "UNKNOWN_ID", "refs"),
            (json!({"job": "JOB-009"}), "UNKNOWN_ID", "refs"),
            (json!({"anchor": "a:nowhere"}), "UNKNOWN_ID", "refs"),
            (json!({"refs": ["task-force"]}), "INVALID_INPUT", "refs"),
            (json!({"refs": vec!["CMD: x"; 33]}), "INVALID_INPUT", "refs"),
            (json!({"text": " "}), "INVALID_INPUT", "text"),
            (json!({"text": "x".repeat(limits::CARD_BYTES + 1)}), "INVALID_INPUT", "text"),
            (json!({"title": "two\nlines"}), "INVALID_INPUT", "title"),
            (json!({"tags": vec!["t"; 17]}), "INVALID_INPUT", "tags"),
            (json!({"kind": "rumour"}), "INVALID_INPUT", "kind"),
            (json!({"anchor": "core"}), "INVALID_INPUT", "anchor"),
        ] {
            let mut whole = json!({"title": "x", "text": "y"});
            whole.as_object_mut().unwrap().extend(input.as_object().unwrap().clone());
            let refusal = codex.refused("tasks.card.create", whole);
            assert_eq!((&refusal["error"], &refusal["field"]), (&json!(error), &json!(field)), "{input}");
        }
        assert_eq!(app.everything(), before);
        codex.does("room.close", json!({"expected_turn_id": 0}));
        assert_eq!(codex.refused("tasks.card.create", json!({"title": "x", "text": "y"}))["error"], "room_closed");
    });
}

#[test]
fn cards_are_listed_newest_first_by_what_they_belong_to_and_in_pages() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        codex.does("tasks.create", json!({"title": "x"}));
        codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
        let job = job(&codex, "j", json!({}));
        card(&codex, "1", json!({"task": "TASK-001"}));
        card(&codex, "2", json!({"task": "TASK-001", "pinned": true}));
        card(&codex, "3", json!({"anchor": "a:core", "pinned": true}));
        card(&codex, "4", json!({"anchor": "a:core", "job": job}));
        let list = |input: Value| named(&codex.does("tasks.card.list", input), "cards", "card");
        assert_eq!(list(json!({})), ["CARD-4", "CARD-3", "CARD-2", "CARD-1"]);
        assert_eq!(list(json!({"task": "TASK-001"})), ["CARD-2", "CARD-1"]);
        assert_eq!(list(json!({"task": "TASK-001", "pinned": true, "limit": 1})), ["CARD-2"]);
        assert_eq!(list(json!({"anchor": "a:core", "pinned": true, "limit": 1})), ["CARD-3"], "reads on to it");
        assert_eq!(list(json!({"job": job})), ["CARD-4"]);
        assert_eq!(list(json!({"job": job, "task": "TASK-001"})), [""; 0]);
        assert_eq!(list(json!({"pinned": true})), ["CARD-3", "CARD-2"]);
        assert_eq!(list(json!({"before": "CARD-3"})), ["CARD-2", "CARD-1"]);
        let page = codex.does("tasks.card.list", json!({"limit": 3}));
        assert_eq!((page["cards"].as_array().unwrap().len(), &page["has_more"]), (3, &json!(true)));
        assert_eq!(codex.does("tasks.card.list", json!({"limit": 4}))["has_more"], false);
        assert_eq!(codex.refused("tasks.card.list", json!({"limit": 201}))["error"], "INVALID_LIMIT");
    });
}

#[test]
fn a_card_is_pinned_and_unpinned_and_what_is_so_already_is_no_event() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        card(&codex, "1", json!({}));
        assert_eq!(codex.does("tasks.card.pin", json!({"card": "CARD-1"}))["pinned"], true);
        assert_eq!(codex.does("tasks.card.pin", json!({"card": "CARD-1"}))["pinned"], true);
        assert_eq!(codex.does("tasks.card.pin", json!({"card": "CARD-1", "pinned": false}))["pinned"], false);
        assert_eq!(codex.story(), "create join card.create card.pin card.pin");
        assert_eq!(codex.refused("tasks.card.pin", json!({"card": "CARD-2"}))["error"], "UNKNOWN_ID");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn the_map_is_described_and_described_anew_and_plans_put_tasks_in_order() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        codex.does("tasks.anchor.set", json!({"anchor": "a:store", "title": "Store"}));
        codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core", "text": "old"}));
        app.later_minutes(1);
        let again = codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The rules", "text": "no I/O"}));
        assert_eq!([&again["title"], &again["updated_at"]], ["The rules", "2026-01-01T00:01:00.000Z"]);
        let listed = codex.does("tasks.anchor.list", json!({}));
        assert_eq!(named(&listed, "anchors", "anchor"), ["a:core", "a:store"]);
        let rest = codex.does("tasks.anchor.list", json!({"after": "a:core", "limit": 1}));
        assert_eq!((named(&rest, "anchors", "anchor"), &rest["has_more"]), (vec!["a:store".to_owned()], &json!(false)));
        codex.does("tasks.create", json!({"title": "x"}));
        let plan = codex.does("tasks.plan.create", json!({"title": "First", "text": "because", "tasks": ["TASK-001"]}));
        assert_eq!([&plan["plan"], &plan["created_by"]], ["PLAN-1", "codex"]);
        let refusal = codex.refused("tasks.plan.create", json!({"title": "x", "tasks": ["TASK-001", "TASK-002"]}));
        assert_eq!((&refusal["error"], &refusal["refs"]), (&json!("UNKNOWN_ID"), &json!(["TASK-002"])));
        codex.does("tasks.plan.create", json!({"title": "Second"}));
        assert_eq!(named(&codex.does("tasks.plan.list", json!({})), "plans", "plan"), ["PLAN-2", "PLAN-1"]);
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn the_focus_is_the_task_that_was_chosen_else_the_one_somebody_is_at() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let focus = |input: Value| codex.does("tasks.focus", input);
        assert_eq!(focus(json!({}))["focus"], Value::Null);
        for title in ["one", "two"] {
            codex.does("tasks.create", json!({"title": title}));
        }
        codex.does("tasks.start", json!({"task": "TASK-001"}));
        let at = focus(json!({}));
        assert_eq!((&at["focus"]["task"], &at["chosen"]), (&json!("TASK-001"), &json!(false)));
        let chosen = focus(json!({"task": "TASK-002"}));
        assert_eq!((&chosen["focus"]["task"], &chosen["chosen"]), (&json!("TASK-002"), &json!(true)));
        focus(json!({"task": "TASK-002"}));
        assert_eq!(focus(json!({}))["focus"]["title"], "two");
        assert_eq!(claude.does("tasks.focus", json!({}))["focus"], Value::Null, "each has its own");
        let cleared = focus(json!({"clear": true}));
        assert_eq!((&cleared["focus"]["task"], &cleared["chosen"]), (&json!("TASK-001"), &json!(false)));
        assert_eq!(codex.refused("tasks.focus", json!({"task": "TASK-009"}))["error"], "UNKNOWN_ID");
        assert_eq!(codex.refused("tasks.focus", json!({"task": "TASK-001", "clear": true}))["field"], "clear");
        let story = codex.story();
        assert_eq!(story.matches("task.focus").count(), 2, "{story}");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_snapshot_has_the_task_its_pinned_cards_and_one_line_for_the_job_that_presses_most() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let runner = app.agent("runner");
        runner.enter(&codex.room());
        assert_eq!(codex.does("tasks.snapshot", json!({}))["task"], Value::Null);
        let nothing = codex.does("tasks.snapshot", json!({"fmt": "lines"}));
        assert_eq!(nothing, json!({"lines": "no task: name one, or turn to one with `tasks focus`"}));
        codex.does(
            "tasks.macro.start",
            json!({"title": "Fix it", "definition_of_done": "it works", "verification": ["cargo test", "try it"]}),
        );
        card(&codex, "seen", json!({"task": "TASK-001", "pinned": true, "kind": "decision"}));
        card(&codex, "unseen", json!({"task": "TASK-001"}));
        card(&codex, "elsewhere", json!({"pinned": true}));
        let quiet = job(&codex, "quiet", json!({"task": "TASK-001"}));
        let asks = job(&codex, "asks", json!({"task": "TASK-001"}));
        let revision = claim(&runner, &asks);
        let question = json!({"job": asks, "runner_id": "r1", "claim_revision": revision, "kind": "question", "message": "A or B?"});
        let asked = runner.does("jobs.report", question)["ref"].as_str().unwrap().to_owned();
        job(&codex, "of no task", json!({}));
        let lines = codex.does("tasks.snapshot", json!({"fmt": "lines"}));
        let expected = format!(
            "TASK-001 (in_progress) @codex Fix it\n\
             {asked} ? {asks} (RUNNING) asks | open id={asked} | reply reply_job={asks} reply_message=\"...\"\n\
             done when: it works\nverify: cargo test\nverify: try it\n\
             CARD-1 [decision] seen | open id=CARD-1"
        );
        assert_eq!(lines, json!({"lines": expected}));
        let fields = codex.does("tasks.snapshot", json!({"task": "TASK-001"}));
        assert_eq!(named(&fields, "cards", "card"), ["CARD-1"]);
        assert!(fields["job"].as_str().unwrap().starts_with(&asked), "{fields}");
        codex.does("jobs.cancel", json!({"job": asks, "reason": "no"}));
        let next = codex.does("tasks.snapshot", json!({}));
        assert!(next["job"].as_str().unwrap().contains(&quiet), "{next}");
        codex.does("jobs.cancel", json!({"job": quiet, "reason": "no"}));
        assert_eq!(codex.does("tasks.snapshot", json!({})).get("job"), None, "what is over is not shown");
        assert_eq!(codex.refused("tasks.snapshot", json!({"task": "TASK-002"}))["error"], "UNKNOWN_ID");
    });
}

#[test]
fn what_a_jobs_own_agent_finds_belongs_to_its_job() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let runner = app.agent("runner");
        runner.enter(&codex.room());
        codex.does("tasks.create", json!({"title": "x"}));
        codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
        let id = job(&codex, "j", json!({"task": "TASK-001", "anchor": "a:core"}));
        let claimed = runner.does("jobs.claim", json!({"job": id, "runner_id": "r1"}));
        let own = app.agent("child").caller().clone().assigned(assignment(&claimed));
        let input = json!({"room_id": codex.room(), "title": "t", "text": "x"});
        let kept = app.call(&own, "tasks.card.create", input).unwrap();
        assert_eq!((&kept["job"], &kept["task"], &kept["anchor"]), (&json!(id), &json!("TASK-001"), &json!("a:core")));
        let snapshot = app.call(&own, "tasks.snapshot", json!({"room_id": codex.room()})).unwrap();
        assert_eq!(snapshot["task"]["task"], "TASK-001", "its job's task is its focus");
    });
}

#[test]
fn beginning_makes_a_task_begins_it_and_turns_to_it_in_one_go() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let begun = codex.does("tasks.macro.start", json!({"title": "Fix it", "scopes": ["src/"]}));
        assert_eq!([&begun["task"], &begun["state"]], ["TASK-001", "in_progress"]);
        assert_eq!((&begun["assignee"], &begun["scopes"]), (&json!("codex"), &json!(["src"])));
        assert_eq!(codex.story(), "create join task.create task.start task.focus");
        assert_eq!(codex.does("tasks.focus", json!({}))["chosen"], true);
        let before = app.everything();
        codex.refused("tasks.macro.start", json!({"title": " "}));
        codex.refused("tasks.macro.start", json!({"title": "x", "scopes": ["../elsewhere"]}));
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        assert_eq!(stranger.refused("tasks.macro.start", json!({"title": "x"}))["error"], "AGENT_NOT_FOUND");
        assert_eq!(app.everything(), before);
        let keyed = json!({"title": "y", "idempotency_key": "k"});
        assert_eq!(codex.does("tasks.macro.start", keyed.clone()), codex.does("tasks.macro.start", keyed));
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_merge_report_is_a_pinned_card_and_the_same_jobs_give_the_same_bytes() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let runner = app.agent("runner");
        runner.enter(&codex.room());
        codex.does("tasks.macro.start", json!({"title": "All of it"}));
        let [one, two] = ["one", "two"].map(|title| job(&codex, title, json!({"task": "TASK-001"})));
        card(&codex, "proof", json!({}));
        let revision = claim(&runner, &one);
        runner.does(
            "jobs.complete",
            json!({
                "job": one, "runner_id": "r1", "claim_revision": revision, "status": "DONE", "summary": "Did one.",
                "refs": ["CARD-1", "CMD: cargo test"],
            }),
        );
        let merged = codex.does("tasks.macro.merge_report", json!({"jobs": [two, one, one]}));
        let card = &merged["card"];
        assert_eq!(
            (&merged["ref"], &card["kind"], &card["pinned"]),
            (&json!("CARD-2"), &json!("report"), &json!(true))
        );
        assert_eq!([&card["task"], &card["title"]], ["TASK-001", "Merge report: JOB-001, JOB-002"]);
        let text = merged["text"].as_str().unwrap();
        assert!(text.contains("- JOB-001 one: Did one.\n"), "{text}");
        assert!(text.contains("- JOB-001: CMD: cargo test (claimed)\n"), "{text}");
        assert!(text.contains("- JOB-002 QUEUED (two): not done yet"), "{text}");
        let opened = codex.does("open", json!({"id": "CARD-2"}));
        assert_eq!((&opened["text"], &opened["refs"]), (&merged["text"], &json!(["JOB-001", "JOB-002"])));
        app.later_minutes(5);
        let again = codex.does("tasks.macro.merge_report", json!({"jobs": [one, two], "pin": false}));
        assert_eq!((&again["text"], &again["card"]["pinned"]), (&merged["text"], &json!(false)));
        for (jobs, error) in [(json!([]), "INVALID_INPUT"), (json!(["JOB-009", one]), "UNKNOWN_ID")] {
            assert_eq!(codex.refused("tasks.macro.merge_report", json!({"jobs": jobs}))["error"], error);
        }
    });
}

fn keep(app: &TestApp, agent: &Agent<'_>, proof: Option<&Proof>, content: &str) -> Result<Reference, Value> {
    let keeping = Keeping {
        kind: ArtifactKind::Log,
        name: "out.log",
        content: content.as_bytes(),
        proof,
        turn: None,
        patch: None,
    };
    app.app().keep_artifact(agent.caller(), &agent.room(), &keeping).map_err(|failure| failure.to_json())
}

#[test]
fn a_file_is_kept_under_a_claim_in_force_without_the_secrets_in_it() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let runner = app.agent("runner");
        runner.enter(&codex.room());
        let id = job(&codex, "j", json!({}));
        let revision = claim(&runner, &id);
        let proof = Proof { job: id.parse().unwrap(), runner: "r1".parse().unwrap(), revision: Fence(revision) };
        let kept = keep(&app, &runner, Some(&proof), "ran\nDB_PASSWORD=hunter2\n").unwrap();
        assert_eq!(kept.to_string(), "artifact://log/1");
        let opened = codex.does("open", json!({"id": "artifact://log/1"}));
        assert_eq!(opened["content"]["text"], "ran\nDB_PASSWORD=[redacted:password]\n");
        assert_eq!((&opened["artifact"]["job"], &opened["artifact"]["name"]), (&json!(id), &json!("out.log")));
        let listed = codex.does("tasks.artifact.list", json!({"job": id}));
        assert_eq!(named(&listed, "artifacts", "ref"), ["artifact://log/1"]);
        assert_eq!(codex.refused("tasks.artifact.list", json!({"job": "JOB-009"}))["error"], "UNKNOWN_ID");
        // It can be pointed to, by its own kind only.
        card(&codex, "x", json!({"refs": ["artifact://log/1"]}));
        let wrong =
            codex.refused("tasks.card.create", json!({"title": "x", "text": "y", "refs": ["artifact://diff/1"]}));
        assert_eq!(wrong["error"], "UNKNOWN_ID");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_runner_that_lost_its_claim_leaves_nothing_behind() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let [runner, other] = ["runner", "other"].map(|name| {
            let agent = app.agent(name);
            agent.enter(&codex.room());
            agent
        });
        let id = job(&codex, "j", json!({}));
        let revision = claim(&runner, &id);
        let proof = Proof { job: id.parse().unwrap(), runner: "r1".parse().unwrap(), revision: Fence(revision) };
        let foreign = keep(&app, &other, Some(&proof), "x").unwrap_err();
        assert_eq!([&foreign["error"], &foreign["claimant"]], ["PRECONDITION_FAILED", "runner"]);
        app.later_minutes(10);
        other.does("jobs.claim", json!({"job": id, "runner_id": "r2", "allow_stale": true}));
        let before = app.everything();
        assert_eq!(keep(&app, &runner, Some(&proof), "the zombie's").unwrap_err()["error"], "CONFLICT");
        assert_eq!(app.everything(), before);
        let files = match app.place().backend() {
            Backend::Sqlite => app.place().data_directory(),
            Backend::Postgres => app.workspace().at("home/.local/share/baton"),
        };
        assert!(!files.join("artifacts").exists(), "not even a file that nobody points to");
        let unknown = Proof { job: "JOB-009".parse().unwrap(), ..proof };
        assert_eq!(keep(&app, &runner, Some(&unknown), "x").unwrap_err()["error"], "UNKNOWN_ID");
    });
}

#[test]
fn a_file_that_is_too_large_or_has_a_path_for_a_name_is_refused() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let refused = |name: &str, content: &[u8]| {
            let keeping = Keeping { kind: ArtifactKind::Log, name, content, proof: None, turn: None, patch: None };
            app.app().keep_artifact(codex.caller(), &codex.room(), &keeping).unwrap_err().to_json()
        };
        let large = vec![b'x'; limits::ARTIFACT_BYTES as usize + 1];
        assert_eq!(refused("out.log", &large)["field"], "content");
        assert_eq!(refused("../out.log", b"x")["field"], "name");
        assert_eq!(refused(" ", b"x")["field"], "name");
    });
}

#[test]
fn a_copied_store_has_the_cards_and_goes_on_counting() {
    for (from, to) in [(Backend::Sqlite, Backend::Postgres), (Backend::Postgres, Backend::Sqlite)] {
        let app = TestApp::open(from);
        let [codex] = app.joined(["codex"]);
        codex.does("tasks.macro.start", json!({"title": "Fix it"}));
        codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
        codex.does("tasks.plan.create", json!({"title": "Plan"}));
        card(&codex, "finding", json!({"pinned": true, "task": "TASK-001", "tags": ["x"]}));
        codex.does("tasks.search", json!({"query": "finding"}));
        keep(&app, &codex, None, "kept").unwrap();
        let place = Place::new(to);
        let home = place.directory().join("home");
        let environment = Environment::of([("HOME", home.to_str().unwrap())], "/");
        let time = Time::Told(Arc::new(ManualClock::new()));
        let copied = App::open(&place.location(), environment, time, Box::new(SequentialIds::default())).unwrap();
        copy::copy(app.app(), &copied, &mut |_| {}).unwrap();
        let there = |command: &str, mut input: Value| {
            input["room_id"] = codex.room().as_str().into();
            table::find(command).unwrap().run(&copied, codex.caller(), input).unwrap()
        };
        for (command, input) in [
            ("tasks.card.list", json!({})),
            ("tasks.anchor.list", json!({})),
            ("tasks.plan.list", json!({})),
            ("tasks.focus", json!({})),
            ("open", json!({"id": "CARD-1"})),
            ("tasks.search", json!({"query": "finding"})),
        ] {
            assert_eq!(there(command, input.clone()), codex.does(command, input), "{command}");
        }
        assert_eq!(there("tasks.card.create", json!({"title": "next", "text": "x"}))["card"], "CARD-2");
        assert!(doctor::examine(&copied).unwrap().is_clean());
    }
}
