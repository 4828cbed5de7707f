//! How a session begins: the contract's bb-init. Nobody is asked anything, and the same situation gives the same answer.

use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

/// Someone who knows the room and is not in it yet.
fn newcomer<'a>(app: &'a TestApp, name: &str, at: &Agent<'_>) -> Agent<'a> {
    let agent = app.agent(name);
    agent.enter(&at.room());
    agent
}

/// Someone who began a task and has not been seen since.
fn deserter<'a>(app: &'a TestApp, id: &str, name: &str) -> Agent<'a> {
    let agent = app.agent(id);
    agent.join_at("repo");
    agent.does("agent.register", json!({"name": name}));
    let task = agent.does("tasks.create", json!({"title": format!("work of {name}")}))["task"].clone();
    agent.does("tasks.start", json!({"task": task}));
    agent
}

fn repository(app: &TestApp) {
    app.workspace().repository("repo");
    app.workspace().file("repo/src/a.rs", "fn a() {}\n");
    app.workspace().git("repo", &["add", "--all"]);
    app.workspace().git("repo", &["commit", "--quiet", "--message=second"]);
}

#[test]
fn a_fresh_session_is_registered_and_says_why() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let claude = newcomer(&app, "claude", &codex);
        let begun = claude.does("agent.init", json!({}));
        assert_eq!([&begun["action"], &begun["recommendation_reason"]], ["registered", "no_resumable_identity"]);
        assert_eq!((&begun["agent"]["you"], &begun["agent"]["liveness"]), (&json!(true), &json!("active")));
        let again = claude.does("agent.init", json!({}));
        assert_eq!(
            [&again["action"], &again["recommendation_reason"]],
            ["already_registered", "session_already_registered"]
        );
        assert_eq!(again["agent"]["name"], begun["agent"]["name"]);
        assert_eq!(claude.story(), "create join join");
    });
}

#[test]
fn a_session_registers_under_the_name_it_chooses() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let claude = newcomer(&app, "claude", &codex);
        let begun = claude.does("agent.init", json!({"register": "amber-otter", "role": "reviewer"}));
        assert_eq!(
            [&begun["action"], &begun["recommendation_reason"], &begun["agent"]["name"], &begun["agent"]["role"]],
            ["registered", "explicit_register", "amber-otter", "reviewer"]
        );
        let again = claude.does("agent.init", json!({"register": "amber-otter"}));
        assert_eq!(again["recommendation_reason"], "session_already_registered");
        let refusal = codex.refused("agent.init", json!({"register": "amber-otter"}));
        assert_eq!(refusal["error"], "DUPLICATE_AGENT_ID");
    });
}

#[test]
fn unfinished_work_of_somebody_else_is_a_choice_that_is_not_made_for_anybody() {
    on_every_backend(|app| {
        repository(&app);
        let codex = deserter(&app, "codex", "amber-otter");
        let claude = newcomer(&app, "claude", &codex);
        app.later_minutes(15);
        let before = app.everything();
        let refusal = claude.refused("agent.init", json!({}));
        let evidence = "in progress: TASK-001";
        let expected = json!({
            "error": "AMBIGUOUS_SESSION",
            "message": format!("amber-otter left unfinished work here ({evidence})."),
            "recommendation": {"action": "adopt", "agent": "amber-otter", "reason": "in_progress_ownership"},
            "recommendation_reason": "in_progress_ownership",
            "candidates": [{
                "name": "amber-otter", "prior_session_agent": "codex", "resume_reason": "in_progress_ownership",
                "evidence": evidence, "liveness": "stale", "last_seen_at": "2026-01-01T00:00:00.000Z",
                "bead_ids": ["TASK-001"],
            }],
            "choices": ["baton agent init --adopt amber-otter", "baton agent register"],
            "next": "Choose: run one of the commands in `choices`.",
        });
        assert_eq!(refusal, expected);
        assert_eq!(claude.refused("agent.init", json!({})).to_string(), refusal.to_string(), "byte for byte");
        assert_eq!(app.everything(), before);

        let begun = claude.does("agent.init", json!({"adopt": "amber-otter"}));
        assert_eq!(
            (&begun["action"], &begun["recommendation_reason"], &begun["evidence"]),
            (&json!("adopted"), &json!("in_progress_ownership"), &json!(evidence))
        );
        assert_eq!(
            (&begun["agent"]["name"], &begun["agent"]["in_progress"]),
            (&json!("amber-otter"), &json!(["TASK-001"]))
        );
    });
}

#[test]
fn whoever_would_rather_be_somebody_new_registers_beside_unfinished_work() {
    on_every_backend(|app| {
        repository(&app);
        let codex = deserter(&app, "codex", "amber-otter");
        let claude = newcomer(&app, "claude", &codex);
        app.later_minutes(15);
        assert_eq!(claude.refused("agent.init", json!({}))["error"], "AMBIGUOUS_SESSION");
        let begun = claude.does("agent.init", json!({"register": "keen-crane"}));
        assert_eq!(begun["agent"]["name"], "keen-crane");
        let begun = claude.does("agent.init", json!({"role": "tester"}));
        assert_eq!(
            [&begun["action"], &begun["agent"]["role"]],
            ["already_registered", "tester"],
            "whoever has an identity is not asked about others"
        );
    });
}

#[test]
fn the_work_of_an_agent_that_is_there_is_no_choice() {
    on_every_backend(|app| {
        repository(&app);
        let codex = deserter(&app, "codex", "amber-otter");
        let claude = newcomer(&app, "claude", &codex);
        assert_eq!(claude.does("agent.init", json!({}))["recommendation_reason"], "no_resumable_identity");
    });
}

#[test]
fn changes_come_before_tasks_then_whoever_was_seen_last_then_the_name() {
    on_every_backend(|app| {
        repository(&app);
        let early = deserter(&app, "early", "amber-otter");
        app.later_minutes(1);
        deserter(&app, "late:2", "zesty-zebra");
        deserter(&app, "late:1", "keen-crane");
        app.later_minutes(1);
        let left = deserter(&app, "left", "old-name");
        left.does("agent.register", json!({"name": "quiet-fox"}));
        app.later_minutes(1);
        left.does("room.leave", json!({}));
        early.does("scope.reserve", json!({"scopes": ["src"]}));
        app.workspace().file("repo/src/a.rs", "fn b() {}\n");
        let claude = newcomer(&app, "claude", &early);
        app.later_minutes(30);
        let names = |refusal: &Value| -> Vec<Value> {
            refusal["candidates"].as_array().unwrap().iter().map(|candidate| candidate["name"].clone()).collect()
        };
        let refusal = claude.refused("agent.init", json!({}));
        assert_eq!(names(&refusal), ["amber-otter", "quiet-fox", "keen-crane", "zesty-zebra"]);
        assert_eq!(refusal["recommendation_reason"], "uncommitted_scope");
        assert_eq!(refusal["choices"].as_array().unwrap().len(), 5);
        assert_eq!(claude.refused("agent.init", json!({})).to_string(), refusal.to_string());
    });
}

#[test]
fn what_does_not_go_together_is_refused_with_its_field() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let claude = newcomer(&app, "claude", &codex);
        let before = app.everything();
        for (input, field) in [
            (json!({"adopt": "codex", "register": "amber-otter"}), "register"),
            (json!({"adopt": "codex", "role": "tester"}), "role"),
            (json!({"scopes": ["src"]}), "scopes"),
            (json!({"register": "amber-otter", "scopes": ["src"]}), "scopes"),
        ] {
            let refusal = claude.refused("agent.init", input);
            assert_eq!((&refusal["error"], &refusal["field"]), (&json!("INVALID_ARGS"), &json!(field)));
        }
        assert_eq!(claude.refused("agent.init", json!({"adopt": "nobody"}))["error"], "AGENT_NOT_FOUND");
        assert_eq!(claude.refused("agent.init", json!({"adopt": "codex"}))["error"], "ADOPTION_REJECTED");
        assert_eq!(app.everything(), before);
    });
}
