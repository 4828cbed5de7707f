//! Changes in a workspace without a turn: recorded with a handoff, told at the next claim, warned of at a release.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{fs, os::unix::fs::symlink};

use baton_app::doctor;
use baton_core::{event::Event, room};
use baton_testkit::{Agent, TestApp, Turn, on_every_backend, script};
use serde_json::{Value, json};

/// Two agents at a repository with two committed files.
fn cast(app: &TestApp) -> [Agent<'_>; 2] {
    let workspace = app.workspace();
    workspace.repository("repo");
    workspace.file("repo/a.rs", "1\n2\n3\n");
    workspace.file("repo/b.rs", "1\n");
    commit(app);
    ["codex:9b22", "claude:a3f1"].map(|name| {
        let agent = app.agent(name);
        agent.join_at("repo");
        agent.does("agent.register", json!({"name": name.replace(':', "-")}));
        agent
    })
}

fn commit(app: &TestApp) {
    app.workspace().git("repo", &["add", "--all"]);
    app.workspace().git("repo", &["commit", "--quiet", "--message=next"]);
}

/// One agent hands on, something happens, and the other takes the stick up.
fn handed_on<'a>(app: &'a TestApp, between: impl FnOnce(&[Agent<'a>; 2])) -> ([Agent<'a>; 2], Turn) {
    let agents = cast(app);
    let turn = agents[0].claim();
    assert_eq!(agents[0].release(&turn).get("warnings"), None);
    between(&agents);
    let turn = agents[1].claim();
    (agents, turn)
}

fn incursions(agent: &Agent<'_>) -> Vec<Value> {
    let page = agent.does("room.events", json!({"after": 0, "limit": 200, "types": ["INCURSION"]}));
    page["events"].as_array().unwrap().clone()
}

fn release_with(agent: &Agent<'_>, turn: &Turn, artifacts: Value) -> Value {
    let handoff = json!({"status": "done", "next_action": "go on", "artifacts": artifacts});
    agent.does("stick.release", turn.showing(json!({"handoff": handoff})))
}

fn is_sound(app: &TestApp) {
    assert!(doctor::examine(app.app()).unwrap().is_clean());
}

#[test]
fn a_handoff_records_the_commit_and_the_dirty_files_with_their_digests() {
    on_every_backend(|app| {
        let [codex, _] = cast(&app);
        let turn = codex.claim();
        app.workspace().file("repo/a.rs", "other\n");
        app.workspace().file("repo/new\n\u{1b}[2J.rs", "new\n");
        fs::remove_file(app.workspace().at("repo/b.rs")).unwrap();
        codex.release(&turn);
        let log = app.log(&codex.room());
        let Some(Event::Room(room::Event::Released(released))) = log.last().map(|recorded| recorded.event.clone())
        else {
            panic!("{log:?}");
        };
        let record = released.tree.unwrap();
        assert_eq!(record.tree.head.as_ref().map(String::len), Some(40));
        let states: Vec<(String, String)> = record
            .tree
            .dirty
            .0
            .iter()
            .map(|(path, state)| (path.clone(), serde_json::to_value(state).unwrap().as_str().unwrap()[..7].to_owned()))
            .collect();
        let expected = [("a.rs", "sha256:"), ("b.rs", "deleted"), ("new\n\u{1b}[2J.rs", "sha256:")];
        assert_eq!(states, expected.map(|(path, state)| (path.to_owned(), state.to_owned())));
        is_sound(&app);
    });
}

#[test]
fn a_claim_without_drift_says_nothing_and_records_nothing() {
    on_every_backend(|app| {
        let (agents, turn) = handed_on(&app, |_| {});
        assert_eq!(turn.answer.get("drift"), None, "{}", turn.answer);
        assert_eq!(incursions(&agents[0]), Vec::<Value>::new());
    });
}

#[test]
fn an_edit_between_two_turns_is_told_with_its_path_and_is_one_incursion() {
    on_every_backend(|app| {
        let (agents, turn) = handed_on(&app, |_| {
            app.workspace().file("repo/a.rs", "4\n");
            app.workspace().file("repo/src/new.rs", "5\n");
        });
        let drift = &turn.answer["drift"];
        assert_eq!(
            *drift,
            json!({
                "summary": "Since the handoff, without a turn: 1 file changed; 1 file added.",
                "changed": {"count": 1, "paths": ["a.rs"]},
                "added": {"count": 1, "paths": ["src/new.rs"]},
            })
        );
        let told = incursions(&agents[0]);
        assert_eq!(told.len(), 1, "{told:?}");
        let protocol = &told[0]["protocol"];
        assert_eq!((&protocol["from_agent"], &protocol["to_agent"]), (&json!(null), &json!("claude-a3f1")));
        assert_eq!(protocol["scope"], "a.rs and 1 more");
        let payload = &protocol["payload"];
        assert_eq!(payload["paths"], json!(["a.rs", "src/new.rs"]));
        assert_eq!([&payload["incoming_agent"], &payload["owner_liveness"]], ["unknown", "active"]);
        is_sound(&app);
    });
}

#[test]
fn a_release_warns_of_what_is_still_as_it_drifted_in_and_not_of_what_the_turn_changed() {
    on_every_backend(|app| {
        let (agents, turn) = handed_on(&app, |_| {
            app.workspace().file("repo/a.rs", "4\n");
            app.workspace().file("repo/b.rs", "4\n");
        });
        app.workspace().file("repo/b.rs", "of this turn\n");
        app.workspace().file("repo/c.rs", "of this turn\n");
        let released = agents[1].release(&turn);
        assert_eq!(released["warnings"], json!(["Changed without a turn, and not since: a.rs."]));
        let next = agents[0].claim();
        assert_eq!(next.answer.get("drift"), None, "handed on is handed on");
        assert_eq!(agents[0].release(&next).get("warnings"), None);
        assert_eq!(incursions(&agents[0]).len(), 1);
    });
}

#[test]
fn a_moved_head_is_told_with_the_files_of_its_commits() {
    on_every_backend(|app| {
        let (agents, turn) = handed_on(&app, |_| {
            app.workspace().file("repo/a.rs", "4\n");
            fs::remove_file(app.workspace().at("repo/b.rs")).unwrap();
            commit(&app);
        });
        let drift = &turn.answer["drift"];
        assert_eq!(drift["head_before"].as_str().map(str::len), Some(40));
        assert_ne!(drift["head_before"], drift["head_now"]);
        assert_eq!(drift["changed"]["paths"], json!(["a.rs"]));
        assert_eq!(drift["removed"]["paths"], json!(["b.rs"]));
        assert_eq!(incursions(&agents[0])[0]["protocol"]["payload"]["head_now"], drift["head_now"]);
    });
}

#[test]
fn a_commit_of_what_was_handed_on_dirty_moves_head_and_changes_no_file() {
    on_every_backend(|app| {
        let [codex, claude] = cast(&app);
        let turn = codex.claim();
        app.workspace().file("repo/a.rs", "4\n");
        codex.release(&turn);
        commit(&app);
        let drift = claude.claim().answer["drift"].clone();
        assert!(drift["summary"].as_str().unwrap().starts_with("Since the handoff, without a turn: HEAD moved from "));
        assert_eq!((drift.get("changed"), drift.get("removed")), (None, None), "{drift}");
        assert_eq!(incursions(&codex)[0]["protocol"]["scope"], "HEAD");
    });
}

#[test]
fn a_deleted_file_is_told_as_removed() {
    on_every_backend(|app| {
        let (_, turn) = handed_on(&app, |_| fs::remove_file(app.workspace().at("repo/a.rs")).unwrap());
        assert_eq!(turn.answer["drift"]["removed"], json!({"count": 1, "paths": ["a.rs"]}));
    });
}

#[test]
fn artifacts_that_do_not_exist_are_warned_of_at_the_release_and_told_at_the_claim() {
    on_every_backend(|app| {
        let [codex, claude] = cast(&app);
        let turn = codex.claim();
        let artifacts = json!([
            {"path": "a.rs", "lines": [1, 3], "role": "edit"},
            {"path": "a.rs", "lines": [2, 9], "role": "edit"},
            {"path": "gone.rs", "role": "review"},
            {"path": app.workspace().text("repo/b.rs"), "role": "review"},
            {"path": "/etc/no-such-file", "role": "context"},
        ]);
        let released = release_with(&codex, &turn, artifacts);
        let warnings = json!([
            "Artifact a.rs:2-9 is beyond the end of the file, which has 3 lines.",
            "Artifact gone.rs does not exist.",
        ]);
        assert_eq!(released["warnings"], warnings);
        fs::remove_file(app.workspace().at("repo/b.rs")).unwrap();
        let missing = claude.claim().answer["drift"]["missing_artifacts"].clone();
        assert_eq!(
            missing,
            json!([
                {"path": "a.rs", "lines": [2, 9], "file_lines": 3},
                {"path": "gone.rs"},
                {"path": app.workspace().text("repo/b.rs")},
            ])
        );
    });
}

#[test]
fn an_edit_under_a_live_scope_is_explained_and_is_no_incursion() {
    on_every_backend(|app| {
        let (agents, turn) = handed_on(&app, |agents| {
            agents[0].does("scope.reserve", json!({"scopes": ["a.rs"]}));
            app.workspace().file("repo/a.rs", "4\n");
            agents[0].does("scope.release", json!({"scopes": ["a.rs"]}));
        });
        let by = json!([{
            "agent_id": "codex:9b22", "agent": "codex-9b22", "because": "scope", "files": {"count": 1, "paths": ["a.rs"]},
        }]);
        assert_eq!(turn.answer["drift"]["by"], by);
        assert_eq!(incursions(&agents[0]), Vec::<Value>::new());
        assert_eq!(agents[1].release(&turn).get("warnings"), None);
    });
}

#[test]
fn edits_that_were_recorded_name_their_author_and_are_one_row() {
    on_every_backend(|app| {
        let record = |agent: &Agent<'_>, paths: &[&str]| {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            app.app().record_outside_edits(agent.caller(), &agent.room(), &paths, "make").unwrap();
        };
        let (agents, turn) = handed_on(&app, |agents| {
            let before = app.app().look_at_tree(&agents[0].room()).unwrap().unwrap();
            app.workspace().file("repo/a.rs", "4\n");
            let after = app.app().look_at_tree(&agents[0].room()).unwrap().unwrap();
            assert_eq!(after.changed_since(&before), ["a.rs"]);
            record(&agents[0], &["a.rs", "../outside", "/etc/passwd", ""]);
            record(&agents[0], &["a.rs"]);
        });
        let by = json!([{
            "agent_id": "codex:9b22", "agent": "codex-9b22", "because": "command", "files": {"count": 1, "paths": ["a.rs"]},
        }]);
        assert_eq!(turn.answer["drift"]["by"], by);
        let told = incursions(&agents[0]);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0]["from_agent_id"], "codex:9b22");
        assert_eq!(told[0]["to_agent_id"], "claude:a3f1", "whom the stick was kept for");
        assert_eq!(told[0]["protocol"]["payload"]["paths"], json!(["a.rs"]));
        // The holder's own commands are no incursion, and neither are those in a scope of one's own.
        app.workspace().file("repo/b.rs", "of this turn\n");
        record(&agents[1], &["b.rs"]);
        agents[0].does("scope.reserve", json!({"scopes": ["docs"]}));
        app.workspace().file("repo/docs/x.md", "in my scope\n");
        record(&agents[0], &["docs/x.md"]);
        assert_eq!(incursions(&agents[0]).len(), 1);
        let warnings = json!(["Changed without a turn while codex-9b22 ran a command, and not since: a.rs."]);
        assert_eq!(agents[1].release(&turn)["warnings"], warnings);
        is_sound(&app);
    });
}

#[test]
fn beside_a_holder_at_work_a_command_is_the_author_of_the_files_that_it_names() {
    on_every_backend(|app| {
        let [codex, claude] = cast(&app);
        claude.claim();
        for file in ["a.rs", "b.rs"] {
            app.workspace().file(&format!("repo/{file}"), "other\n");
        }
        let both = ["a.rs".to_owned(), "b.rs".to_owned()];
        let ran = |command: &str| {
            app.app().record_outside_edits(codex.caller(), &codex.room(), &both, command).unwrap();
            incursions(&codex)
        };
        assert_eq!(ran("make; cat ba.rs a.rs-old"), Vec::<Value>::new(), "they are the holder's");
        let rows = ran("python3 -c \"open('./a.rs', 'w').write('x')\"");
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert!(rows[0].to_string().contains("a.rs") && !rows[0].to_string().contains("b.rs"), "{rows:?}");
        is_sound(&app);
    });
}

#[test]
fn a_holders_changes_in_a_foreign_scope_are_on_record_and_its_others_are_not() {
    on_every_backend(|app| {
        let [codex, claude] = cast(&app);
        codex.claim();
        claude.does("scope.reserve", json!({"scopes": ["a.rs"]}));
        for file in ["a.rs", "b.rs"] {
            app.workspace().file(&format!("repo/{file}"), "other\n");
        }
        let both = ["a.rs".to_owned(), "b.rs".to_owned()];
        app.app().record_outside_edits(codex.caller(), &codex.room(), &both, "make").unwrap();
        let rows = incursions(&codex);
        assert_eq!(rows.len(), 1, "{rows:?}");
        assert!(rows[0].to_string().contains("a.rs") && !rows[0].to_string().contains("b.rs"), "{rows:?}");
        is_sound(&app);
    });
}

#[test]
fn who_takes_over_is_told_what_the_last_holder_may_have_changed_and_that_is_no_incursion() {
    on_every_backend(|app| {
        let (agents, _) = handed_on(&app, |_| {});
        app.workspace().file("repo/a.rs", "half done\n");
        app.later_minutes(60);
        let taken = agents[0].take();
        let by = &taken.answer["drift"]["by"][0];
        assert_eq!([&by["agent_id"], &by["because"]], ["claude:a3f1", "turn"], "{}", taken.answer);
        assert_eq!(incursions(&agents[0]), Vec::<Value>::new());
    });
}

#[test]
fn without_git_artifacts_are_looked_for_and_files_are_not_and_without_a_path_nothing_is() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex:9b22", "claude:a3f1"]);
        let turn = codex.claim();
        let released = release_with(&codex, &turn, json!([{"path": "gone.rs", "role": "edit"}]));
        assert_eq!(released["warnings"], json!(["Artifact gone.rs does not exist."]));
        app.workspace().file("x.rs", "1\n");
        let drift = claude.claim().answer["drift"].clone();
        assert_eq!(drift["missing_artifacts"][0]["path"], "gone.rs", "{drift}");
        assert_eq!((drift.get("added"), drift.get("changed")), (None, None), "{drift}");
        assert_eq!(app.app().look_at_tree(&codex.room()).unwrap(), None);
        app.app().record_outside_edits(codex.caller(), &codex.room(), &["x.rs".to_owned()], "make").unwrap();
        assert_eq!(incursions(&codex), Vec::<Value>::new());
    });
    on_every_backend(|app| {
        let [codex, claude] = cast(&app);
        let turn = codex.claim();
        codex.release(&turn);
        fs::rename(app.workspace().at("repo"), app.workspace().at("moved")).unwrap();
        let turn = claude.claim();
        assert_eq!(turn.answer.get("drift"), None);
        assert_eq!(claude.release(&turn).get("warnings"), None);
    });
}

#[test]
fn a_hostile_repository_executes_nothing_and_stays_within_bounds() {
    on_every_backend(|app| {
        let [codex, claude] = cast(&app);
        let (workspace, ran) = (app.workspace(), app.workspace().at("ran"));
        script(&workspace.at("evil"), &format!("#!/bin/sh\necho \"$*\" >> '{}'\ncat\n", ran.display()));
        let evil = workspace.text("evil");
        for setting in ["core.fsmonitor", "core.pager", "diff.external", "filter.evil.clean", "filter.evil.process"] {
            workspace.git("repo", &["config", setting, &evil]);
        }
        fs::copy(workspace.at("evil"), workspace.at("repo/.git/hooks/post-index-change")).unwrap();
        fs::write(workspace.at("repo/.git/info/attributes"), "* filter=evil\n").unwrap();
        let key: String = "ghp_".chars().chain("a1B2c3D4".chars().cycle().take(24)).collect();
        let turn = codex.claim();
        workspace.file("repo/a.rs", "1\n2\n4\n");
        workspace.file(&format!("repo/{key}"), "a name that looks like a secret\n");
        workspace.file("repo/token", "a name that is a setting's\n");
        symlink("/etc/passwd", workspace.at("repo/link")).unwrap();
        for number in 0..600 {
            workspace.file(&format!("repo/many/\n\u{1b}\u{202e}{number:04}"), "x");
        }
        codex.release(&turn);
        workspace.file("repo/a.rs", "1\n2\n5\n");
        workspace.file("repo/many/another", "beyond the bound\n");
        let drift = claude.claim().answer["drift"].clone();
        assert_eq!((&drift["changed"]["paths"], &drift["is_partial"]), (&json!(["a.rs"]), &json!(true)), "{drift}");
        assert!(!ran.exists(), "{}", fs::read_to_string(ran).unwrap_or_default());
        let stored = app.log(&codex.room());
        let longest = stored.iter().map(|recorded| recorded.event.payload().unwrap().len()).max().unwrap();
        assert!(longest < 70_000, "{longest}");
        assert!(!stored.iter().any(|recorded| recorded.event.payload().unwrap().contains(&key)));
        is_sound(&app);
    });
}
