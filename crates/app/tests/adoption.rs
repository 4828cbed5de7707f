//! Going on as another session, in real repositories: on what evidence.

use std::fs;

use baton_app::{
    commands::agent::{AdoptInput, adopt_confirmed},
    doctor,
};
use baton_testkit::{Agent, Backend, TestApp, on_every_backend, script};
use serde_json::{Value, json};

/// A repository with `src/a.rs` and `docs/b.md` in it, all committed.
fn repository(app: &TestApp, path: &str) {
    app.workspace().repository(path);
    for file in ["src/a.rs", "docs/b.md"] {
        app.workspace().file(&format!("{path}/{file}"), "as it was\n");
    }
    app.workspace().git(path, &["add", "--all"]);
    app.workspace().git(path, &["commit", "--quiet", "--message=second"]);
}

/// codex, called amber-otter, at a path; it has reserved `src` there.
fn otter<'a>(app: &'a TestApp, path: &str) -> Agent<'a> {
    let codex = app.agent("codex");
    codex.join_at(path);
    codex.does("agent.register", json!({"name": "amber-otter", "role": "builder"}));
    codex.does("scope.reserve", json!({"scopes": ["src"]}));
    codex
}

fn starts(agent: &Agent<'_>, scopes: &[&str]) -> Value {
    let task = agent.does("tasks.create", json!({"title": "x", "scopes": scopes}))["task"].clone();
    agent.does("tasks.start", json!({"task": task}));
    task
}

/// Asks for amber-otter: the reason why, or why not.
fn verdict(agent: &Agent<'_>, scopes: &[&str]) -> String {
    let app_before = agent.does("room.events", json!({}));
    match agent.call("agent.adopt", json!({"agent": "amber-otter", "scopes": scopes})) {
        Ok(adopted) => adopted["resume_reason"].as_str().expect("a text").to_owned(),
        Err(failure) => {
            assert_eq!(agent.does("room.events", json!({})), app_before, "a refusal changes nothing");
            let refusal = failure.to_json();
            assert_eq!(refusal["error"], "ADOPTION_REJECTED");
            refusal["reason"].as_str().expect("a text").to_owned()
        }
    }
}

/// The verdict once amber-otter has been silent for so long that it does not count as there.
fn later_verdict(app: &TestApp, agent: &Agent<'_>, scopes: &[&str]) -> String {
    app.later_minutes(15);
    verdict(agent, scopes)
}

fn joined<'a>(app: &'a TestApp, name: &str, path: &str) -> Agent<'a> {
    let agent = app.agent(name);
    agent.join_at(path);
    agent
}

fn sound(app: &TestApp) {
    let report = doctor::examine(app.app()).expect("the store can be read");
    assert!(report.is_clean(), "{:?}", report.checks);
}

#[test]
fn dirty_inside_the_scope_dirty_outside_it_clean_with_a_task_and_clean_without() {
    on_every_backend(|app| {
        let cases = [
            ("inside", Some("src/a.rs"), false, "uncommitted_scope"),
            ("untracked", Some("src/new/c.rs"), false, "uncommitted_scope"),
            ("outside", Some("docs/b.md"), false, "no_evidence"),
            ("beside", Some("src2.rs"), false, "no_evidence"),
            ("task", None, true, "in_progress_ownership"),
            ("neither", None, false, "no_evidence"),
            ("both", Some("src/a.rs"), true, "uncommitted_scope"),
        ];
        for (path, dirty, task, expected) in cases {
            repository(&app, path);
            let codex = otter(&app, path);
            if let Some(file) = dirty {
                app.workspace().file(&format!("{path}/{file}"), "changed\n");
            }
            if task {
                starts(&codex, &[]);
            }
            assert_eq!(later_verdict(&app, &joined(&app, "claude", path), &[]), expected, "{path}");
        }
        sound(&app);
    });
}

#[test]
fn a_refusal_says_what_is_missing_and_what_to_do() {
    on_every_backend(|app| {
        repository(&app, "repo");
        otter(&app, "repo");
        let claude = joined(&app, "claude", "repo");
        let seen = app.now();
        app.later_minutes(15);
        let refusal = claude.refused("agent.adopt", json!({"agent": "amber-otter"}));
        let evidence = "no uncommitted changes in src; no task of its own in progress";
        let expected = json!({
            "error": "ADOPTION_REJECTED",
            "message": format!("amber-otter cannot be adopted: {evidence}."),
            "name": "amber-otter", "prior_session_agent": "codex", "reason": "no_evidence", "evidence": evidence,
            "prior_presence": "stale", "prior_last_seen_at": seen,
            "next": "Register under a name of your own with `agent register`.",
        });
        assert_eq!(refusal, expected);
        assert_eq!(claude.refused("agent.adopt", json!({"agent": "nobody"}))["error"], "AGENT_NOT_FOUND");
    });
}

#[test]
fn a_task_counts_if_it_is_the_identitys_own_in_progress_and_about_the_scope() {
    on_every_backend(|app| {
        for (path, scopes, expected) in [
            ("overlapping", &["src/lib"][..], "in_progress_ownership"),
            ("around", &["."], "in_progress_ownership"),
            ("elsewhere", &["docs"], "no_evidence"),
        ] {
            repository(&app, path);
            starts(&otter(&app, path), scopes);
            assert_eq!(later_verdict(&app, &joined(&app, "claude", path), &[]), expected, "{path}");
        }
        repository(&app, "others");
        let codex = otter(&app, "others");
        let claude = joined(&app, "claude", "others");
        starts(&claude, &[]);
        let open = codex.does("tasks.create", json!({"title": "x", "assignee": "codex"}));
        assert_eq!(
            later_verdict(&app, &claude, &[]),
            "no_evidence",
            "one of the adopter's, and one that was not begun"
        );
        codex.does("tasks.start", json!({"task": open["task"]}));
        codex.does("tasks.done", json!({"task": open["task"]}));
        assert_eq!(later_verdict(&app, &claude, &[]), "no_evidence", "one that is over");
    });
}

#[test]
fn the_scopes_that_the_adopter_names_narrow_what_counts() {
    on_every_backend(|app| {
        repository(&app, "repo");
        let codex = otter(&app, "repo");
        codex.does("scope.reserve", json!({"scopes": ["docs"]}));
        app.workspace().file("repo/docs/b.md", "changed\n");
        let claude = joined(&app, "claude", "repo");
        assert_eq!(later_verdict(&app, &claude, &["src"]), "no_evidence");
        starts(&codex, &["docs"]);
        assert_eq!(later_verdict(&app, &claude, &["src"]), "no_evidence", "nor a task elsewhere");
        assert_eq!(later_verdict(&app, &claude, &["docs/b.md"]), "uncommitted_scope");
    });
}

#[test]
fn a_scope_that_ran_out_still_counts_and_does_not_go_on() {
    on_every_backend(|app| {
        repository(&app, "repo");
        otter(&app, "repo");
        app.workspace().file("repo/src/a.rs", "changed\n");
        app.later_minutes(121);
        let claude = joined(&app, "claude", "repo");
        claude.does("scope.check", json!({"paths": ["src/a.rs"]}));
        let adopted = claude.does("agent.adopt", json!({"agent": "amber-otter"}));
        assert_eq!((&adopted["resume_reason"], &adopted["scopes"]), (&json!("uncommitted_scope"), &json!([])));
        sound(&app);
    });
}

#[test]
fn changes_where_a_third_agent_works_now_are_that_agents() {
    on_every_backend(|app| {
        repository(&app, "repo");
        otter(&app, "repo");
        app.later_minutes(30);
        let gemini = joined(&app, "gemini", "repo");
        gemini.does("scope.reserve", json!({"scopes": ["src"], "takeover_stale": true}));
        app.workspace().file("repo/src/a.rs", "changed\n");
        let claude = joined(&app, "claude", "repo");
        assert_eq!(verdict(&claude, &[]), "no_evidence");
        gemini.does("scope.release", json!({"scopes": ["src"]}));
        assert_eq!(verdict(&claude, &[]), "uncommitted_scope");
    });
}

#[test]
fn changes_in_the_adopters_own_worktree_count() {
    on_every_backend(|app| {
        repository(&app, "repo");
        app.workspace().git("repo", &["worktree", "add", "--quiet", "../feature"]);
        otter(&app, "repo");
        app.workspace().file("feature/src/a.rs", "changed\n");
        let claude = joined(&app, "claude", "feature");
        assert_eq!(later_verdict(&app, &claude.at("repo"), &[]), "no_evidence");
        assert_eq!(later_verdict(&app, &claude.at("feature/src"), &[]), "uncommitted_scope");
    });
}

#[test]
fn beads_in_progress_are_asked_for_and_never_touched() {
    let bin = tempfile::tempdir().unwrap();
    let bd = bin.path().join("bd");
    for backend in Backend::ALL {
        let app = TestApp::open_with(*backend, &[("PATH", bin.path().to_str().unwrap())]);
        let rows =
            |assignee: &str| json!([{"id": "bb-u6f.6.3", "title": "x", "status": "in_progress", "assignee": assignee}]);
        for (path, assignee, expected) in [
            ("by-name", "amber-otter", "in_progress_ownership"),
            ("by-id", "codex", "in_progress_ownership"),
            ("other", "keen-crane", "no_evidence"),
        ] {
            let arguments = bin.path().join("arguments");
            script(
                &bd,
                &format!("#!/bin/sh\necho \"$@\" > {}\ncat <<'X'\n{}\nX\n", arguments.display(), rows(assignee)),
            );
            repository(&app, path);
            let issues = app.workspace().file(&format!("{path}/.beads/issues.jsonl"), "{\"id\": \"bb-u6f.6.3\"}\n");
            let touched = |issues: &std::path::Path| {
                let files = fs::read_dir(issues.parent().unwrap()).unwrap().count();
                (fs::read(issues).unwrap(), fs::metadata(issues).unwrap().modified().unwrap(), files)
            };
            let before = touched(&issues);
            otter(&app, path);
            let claude = joined(&app, "claude", path);
            if expected == "no_evidence" {
                assert_eq!(later_verdict(&app, &claude, &[]), expected, "{path}");
            } else {
                app.later_minutes(15);
                let adopted = claude.does("agent.adopt", json!({"agent": "amber-otter"}));
                assert_eq!(
                    (&adopted["resume_reason"], &adopted["bead_ids"]),
                    (&json!(expected), &json!(["bb-u6f.6.3"]))
                );
                assert_eq!(adopted["event"]["bead_id"], "bb-u6f.6.3");
            }
            assert_eq!(touched(&issues), before, "byte for byte");
            assert!(fs::read_to_string(&arguments).unwrap().contains("--readonly list"), "bd is asked only to read");
        }
        script(&bd, "#!/bin/sh\necho 'Error: locked' >&2\nexit 1\n");
        repository(&app, "broken");
        app.workspace().dir("broken/.beads");
        otter(&app, "broken");
        app.later_minutes(15);
        let refusal = joined(&app, "claude", "broken").refused("agent.adopt", json!({"agent": "amber-otter"}));
        assert!(
            refusal["evidence"].as_str().unwrap().ends_with("beads could not be read: bd failed: locked"),
            "{refusal}"
        );
    }
}

#[test]
fn where_there_is_no_repository_nothing_is_uncommitted() {
    on_every_backend(|app| {
        app.workspace().file("plain/src/a.rs", "new\n");
        let codex = otter(&app, "plain");
        let claude = joined(&app, "claude", "plain");
        assert_eq!(later_verdict(&app, &claude, &[]), "no_evidence");
        starts(&codex, &[]);
        assert_eq!(later_verdict(&app, &claude, &[]), "in_progress_ownership");
    });
}

#[test]
fn a_session_that_is_there_is_not_adopted_and_one_that_died_is() {
    on_every_backend(|app| {
        repository(&app, "repo");
        let codex = app.living_agent("codex");
        codex.join_at("repo");
        codex.does("agent.register", json!({"name": "amber-otter"}));
        starts(&codex, &[]);
        let claude = joined(&app, "claude", "repo");
        assert_eq!(verdict(&claude, &[]), "identity_in_use");
        app.later_minutes(29);
        assert_eq!(verdict(&claude, &[]), "identity_in_use", "stale, but its process runs");
        codex.dies();
        let adopted = claude.does("agent.adopt", json!({"agent": "amber-otter"}));
        assert_eq!(adopted["prior_liveness"], "evicted");
        sound(&app);
    });
}

#[test]
fn an_active_session_is_not_adopted_even_if_nothing_is_known_of_its_process() {
    on_every_backend(|app| {
        repository(&app, "repo");
        let codex = otter(&app, "repo");
        app.workspace().file("repo/src/a.rs", "changed\n");
        let claude = joined(&app, "claude", "repo");
        let seen = app.now();
        app.later_minutes(14);
        assert_eq!(verdict(&claude, &[]), "identity_in_use");
        let refusal = claude.refused("agent.adopt", json!({"agent": "amber-otter"}));
        assert_eq!(
            (&refusal["prior_session_agent"], &refusal["prior_presence"], &refusal["prior_last_seen_at"]),
            (&json!("codex"), &json!("active"), &json!(seen))
        );
        let message =
            format!("amber-otter cannot be adopted: its own session, codex, is active and was last seen at {seen}.");
        assert_eq!(refusal["message"], message);
        let next = refusal["next"].as_str().unwrap();
        assert!(next.contains("`agent register`") && next.contains("silent"), "{next}");
        let ana = app.person("human:ana:1");
        ana.enter(&codex.room());
        let input = AdoptInput {
            room_id: codex.room(),
            agent: "amber-otter".to_owned(),
            scopes: Vec::new(),
            idempotency_key: None,
        };
        let refused = adopt_confirmed(app.app(), ana.caller(), &input).unwrap_err().to_json();
        assert_eq!(refused["reason"], "identity_in_use", "a person's word opens it no sooner");
        codex.does("agent.heartbeat", json!({}));
        app.later_minutes(14);
        assert_eq!(verdict(&claude, &[]), "identity_in_use", "it called meanwhile");
        app.later_minutes(1);
        assert_eq!(verdict(&claude, &[]), "uncommitted_scope");
        sound(&app);
    });
}

#[test]
fn a_session_on_another_machine_is_not_adopted_while_it_calls() {
    on_every_backend(|app| {
        repository(&app, "repo");
        let codex = app.agent_elsewhere("codex", "another-machine");
        codex.join_at("repo");
        codex.does("agent.register", json!({"name": "amber-otter"}));
        starts(&codex, &[]);
        let claude = joined(&app, "claude", "repo");
        assert_eq!(verdict(&claude, &[]), "identity_in_use");
        app.later_minutes(15);
        assert_eq!(verdict(&claude, &[]), "in_progress_ownership");
    });
}

#[test]
fn nobody_adopts_itself_or_while_it_holds_the_stick() {
    on_every_backend(|app| {
        repository(&app, "repo");
        let codex = otter(&app, "repo");
        app.workspace().file("repo/src/a.rs", "changed\n");
        assert_eq!(verdict(&codex, &[]), "own_identity");
        let claude = joined(&app, "claude", "repo");
        let turn = claude.claim();
        assert_eq!(verdict(&claude, &[]), "adopter_holds_stick");
        claude.release(&turn);
        assert_eq!(later_verdict(&app, &claude, &[]), "uncommitted_scope");
    });
}

#[test]
fn without_evidence_only_a_person_confirms_an_adoption() {
    on_every_backend(|app| {
        repository(&app, "repo");
        let codex = otter(&app, "repo");
        let input = || AdoptInput {
            room_id: codex.room(),
            agent: "amber-otter".to_owned(),
            scopes: Vec::new(),
            idempotency_key: None,
        };
        let claude = joined(&app, "claude", "repo");
        let refused = adopt_confirmed(app.app(), claude.caller(), &input()).unwrap_err().to_json();
        assert_eq!(refused["error"], "ADOPTION_REJECTED", "an agent cannot confirm for a person");
        let ana = app.person("human:ana");
        ana.enter(&codex.room());
        assert_eq!(later_verdict(&app, &ana, &[]), "no_evidence", "unless the person says so");
        let adopted = adopt_confirmed(app.app(), ana.caller(), &input()).unwrap();
        let event = serde_json::to_value(&adopted.event).unwrap();
        assert_eq!(event["payload"]["resume_reason"], "confirmed_by_person");
        sound(&app);
    });
}
