//! Briefs, and the packs in which agents get to know what they need.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::path::PathBuf;

use baton_app::{Caller, doctor};
use baton_core::{
    context::{ContextPack, tokens},
    limits,
    process::SessionKind,
    room::Actor,
};
use baton_testkit::{Agent, TestApp, Turn, handoff, on_every_backend};
use serde_json::{Value, json};

/// A repository with a few files, some of them committed.
fn repository(app: &TestApp) {
    let files = [
        ("repo/Cargo.toml", "[package]\n"),
        ("repo/src/lib.rs", "//! The rules.\n\nfn main() {}\n"),
        ("repo/docs/PLAN.md", "# Plan\n\nFirst this, then that.\n"),
        ("repo/docs/more/NOTES.md", "# Notes\n"),
    ];
    app.workspace().repository("repo");
    for (path, text) in files {
        app.workspace().file(path, text);
    }
    app.workspace().git("repo", &["add", "--all"]);
    app.workspace().git("repo", &["commit", "--quiet", "--message=second"]);
    app.workspace().file("repo/src/new.rs", "//! Not committed.\n");
}

fn joined_at<'a, const N: usize>(app: &'a TestApp, path: &str, names: [&str; N]) -> [Agent<'a>; N] {
    names.map(|name| {
        let agent = app.agent(name);
        agent.join_at(path);
        agent
    })
}

/// The pack behind a reference, as it is opened.
fn opened(agent: &Agent<'_>, reference: &Value) -> ContextPack {
    let opened = agent.does("open", json!({ "id": reference }));
    assert_eq!(opened["kind"], "context_pack", "{opened}");
    serde_json::from_value(opened["pack"].clone()).unwrap()
}

/// The bytes of the pack behind a reference.
fn bytes(agent: &Agent<'_>, reference: &Value) -> String {
    let (mut text, mut offset) = (String::new(), Some(0));
    while let Some(from) = offset {
        let id = json!({"id": reference, "offset": from});
        let part = &agent.does("open", id)["content"];
        text.push_str(part["text"].as_str().unwrap());
        offset = part["next_offset"].as_u64();
    }
    text
}

fn telling(turn: &Turn, handoff: Value) -> Value {
    turn.showing(json!({ "handoff": handoff }))
}

fn packs(agent: &Agent<'_>) -> usize {
    agent.does("context.list", json!({}))["packs"].as_array().unwrap().len()
}

#[test]
fn a_brief_is_edited_field_by_field_and_says_who_did_it() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let nothing = codex.does("context.brief.show", json!({}));
        assert_eq!(nothing, json!({"room_id": codex.room(), "brief": {}}));
        let first = codex.does(
            "context.brief.edit",
            json!({"goal": "Ship it", "definition_of_done": ["tests pass"], "constraints": {"noNewDependencies": true}}),
        );
        let second = claude.does(
            "context.brief.edit",
            json!({
                "global_mode": "planning", "docs_root": app.workspace().text("docs"), "definition_of_done": [],
                "constraints": {"api": "v1"}, "revision": first["revision"],
            }),
        );
        let brief = json!({
            "goal": "Ship it", "global_mode": "PLANNING", "docs_root": "docs",
            "constraints": {"api": "v1", "noNewDependencies": true},
        });
        assert_eq!((&second["brief"], &second["updated_by"]), (&brief, &json!("claude")));
        assert_eq!(codex.does("context.brief.show", json!({})), second);
        let stale = codex.refused("context.brief.edit", json!({"goal": "x", "revision": first["revision"]}));
        assert_eq!((&stale["error"], &stale["revision"]), (&json!("CONFLICT"), &second["revision"]));
        let same = codex.does("context.brief.edit", json!({"goal": "Ship it"}));
        assert_eq!(same["revision"], second["revision"], "nothing changed");
        for (wrong, field) in [
            (json!({"docs_root": "../docs"}), "docs_root"),
            (json!({"global_mode": "resting"}), "global_mode"),
            (json!({"goal": "x".repeat(limits::BRIEF_TEXT_BYTES + 1)}), "goal"),
        ] {
            let refused = codex.refused("context.brief.edit", wrong);
            assert_eq!((&refused["error"], &refused["field"]), (&json!("INVALID_INPUT"), &json!(field)));
        }
        codex.does("room.close", json!({"expected_turn_id": 0}));
        assert_eq!(codex.refused("context.brief.edit", json!({"goal": "y"}))["error"], "room_closed");
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_pack_tells_what_the_room_and_its_workspace_know() {
    on_every_backend(|app| {
        repository(&app);
        let [codex, claude] = joined_at(&app, "repo", ["codex", "claude"]);
        codex
            .does("context.brief.edit", json!({"goal": "Ship it", "docs_root": "/docs", "constraints": {"api": "v1"}}));
        codex.does("scope.reserve", json!({"scopes": ["src/lib.rs"]}));
        let said = json!({"to": codex.id(), "category": "INFO", "subject": "Look here", "body": "It leaks."});
        claude.does("inbox.send", said);
        let built = codex.does("context.build", json!({"files": ["docs/PLAN.md"]}));
        assert_eq!((&built["node_id"], &built["gaps"], &built["cut"]), (&json!("codex"), &json!(null), &json!(null)));
        let pack = opened(&codex, &built["ref"]);
        assert_eq!(built["tokens"], tokens(&bytes(&codex, &built["ref"])));
        assert_eq!((pack.goal.as_deref(), pack.constraints["api"].as_str()), (Some("Ship it"), Some("v1")));
        let facts = &pack.repo_facts;
        assert_eq!((facts.language.as_deref(), facts.package_manager.as_deref()), (Some("rust"), Some("cargo")));
        assert_eq!((facts.branch.as_deref(), facts.head.as_ref().unwrap().len()), (Some("main"), 40));
        assert_eq!(facts.dirty_files, ["src/new.rs"]);
        let files: Vec<_> =
            pack.relevant_files.iter().map(|file| (file.path.as_str(), file.summary.as_deref())).collect();
        let expected = [
            ("docs/PLAN.md", Some("Plan")),
            ("src/lib.rs", Some("The rules.")),
            ("src/new.rs", Some("Not committed.")),
        ];
        assert_eq!(files, expected);
        let docs: Vec<_> = pack.doc_refs.iter().map(|doc| doc.path.as_str()).collect();
        assert_eq!(docs, ["docs/PLAN.md", "docs/more/NOTES.md"]);
        assert_eq!(json!(pack.inputs[0].from), claude.entry()["display_name"]);
        assert!(pack.inputs[0].message.as_ref().unwrap().contains("It leaks."));
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn the_same_pack_built_twice_is_the_same_bytes() {
    on_every_backend(|app| {
        repository(&app);
        let [codex, claude] = joined_at(&app, "repo", ["codex", "claude"]);
        codex.does("context.brief.edit", json!({"goal": "Ship it", "docs_root": "docs"}));
        let first = codex.does("context.build", json!({}));
        app.later_minutes(7);
        let second = codex.does("context.build", json!({}));
        assert_eq!(second, first, "one record");
        assert_eq!(packs(&codex), 1);
        let other = claude.does("context.build", json!({"agent": "codex"}));
        assert_eq!(bytes(&claude, &other["ref"]), bytes(&codex, &first["ref"]), "whoever builds it");
        assert_eq!(packs(&codex), 1);
        codex.does("context.brief.edit", json!({"goal": "Ship it well"}));
        let third = codex.does("context.build", json!({}));
        assert_ne!(third["ref"], first["ref"]);
        let changed = codex.does("context.diff", json!({"first": first["ref"], "second": third["ref"]}));
        let fields: Vec<_> =
            changed["differences"].as_array().unwrap().iter().map(|field| field["field"].as_str().unwrap()).collect();
        assert_eq!(fields, ["createdAt", "goal"]);
    });
}

#[test]
fn a_chain_of_five_agents_keeps_the_first_constraint_and_question_within_budget() {
    on_every_backend(|app| {
        repository(&app);
        for number in 0..200 {
            app.workspace().file(&format!("repo/src/part_{number:03}.rs"), &format!("//! {}\n", "word ".repeat(40)));
        }
        let names = ["first", "second", "third", "fourth", "fifth"];
        let agents = joined_at(&app, "repo", names);
        let person = app.person("human:ana:1");
        person.enter(&agents[0].room());
        person.does("context.brief.edit", json!({"goal": "Ship it", "docs_root": "docs"}));
        // The first has a limit of its own, which nobody after it says again.
        let own = agents[0].does("context.build", json!({}));
        let own = agents[0]
            .does("context.append", json!({"pack": own["ref"], "constraints": {"keepTheApi": "v1 stays as it is"}}));
        let mut turn = agents[0].claim();
        let mut given = json!({
            "status": "begun", "next_action": "go on", "open_questions": ["which port?"], "context_ref": own["ref"],
        });
        for (step, pair) in agents.windows(2).enumerate() {
            pair[0].does("stick.release", telling(&turn, given));
            turn = pair[1].claim();
            let told = &turn.answer["handoff"]["context_ref"];
            assert!(told.as_str().unwrap().starts_with("contextpack://pack/"), "{told}");
            let long = format!("what of step {step}? {}", "more words ".repeat(60));
            given = json!({
                "status": "done", "next_action": "go on", "open_questions": [long], "do_not": [format!("skip {step}")],
                "artifacts": [{"path": "src/lib.rs", "role": "edit", "note": "the rules"}], "context_ref": "auto",
            });
        }
        let last = opened(&agents[4], &turn.answer["handoff"]["context_ref"]);
        assert_eq!(last.node_id, "fifth", "it was built for whoever is next");
        let built = agents[4].does("context.build", json!({"budget": 2000}));
        for pack in [last, opened(&agents[4], &built["ref"])] {
            assert_eq!(pack.constraints["keepTheApi"], "v1 stays as it is");
            let asked: Vec<_> = pack.open_questions.iter().map(|remark| remark.text.as_str()).collect();
            assert!(asked.iter().any(|text| text.starts_with("which port?")), "{asked:?}");
            assert_eq!(pack.goal.as_deref(), Some("Ship it"));
            assert!(pack.tokens() <= 4_000, "{}", pack.tokens());
        }
        let text = bytes(&agents[4], &built["ref"]);
        assert!(tokens(&text) <= 2_000 && built["tokens"] == tokens(&text), "{}", text.len());
        assert!(built["cut"]["summaries"].as_u64().unwrap() > 0, "what was cut is said: {built}");
        let first_asked = agents[0].does("open", json!({"id": built["ref"]}));
        assert_eq!(first_asked["pack"]["openQuestions"][0]["from"], agents[0].entry()["display_name"]);
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_pack_goes_with_the_stick_or_neither_goes() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        let asked = |reference: &str| {
            let mut given = handoff("done");
            given["context_ref"] = json!(reference);
            given
        };
        let before = app.everything();
        for (reference, error, field) in [
            ("contextpack://pack/none", "UNKNOWN_ID", "handoff.context_ref"),
            ("artifact://diff/1", "invalid_handoff", "context_ref"),
        ] {
            let refused = codex.refused("stick.release", telling(&turn, asked(reference)));
            assert_eq!((&refused["error"], &refused["field"]), (&json!(error), &json!(field)));
        }
        let stale = Turn { turn_id: 9, ..turn.clone() };
        assert_eq!(codex.refused("stick.release", telling(&stale, asked("auto")))["error"], "turn_mismatch");
        assert_eq!(claude.refused("stick.release", telling(&turn, asked("auto")))["error"], "stale_lease");
        assert_eq!(app.everything(), before, "nothing was kept for nobody");
        let keyed = turn.showing(json!({"handoff": asked("auto"), "to_agent_id": "claude", "idempotency_key": "k"}));
        let passed = codex.does("stick.pass", keyed.clone());
        assert_eq!(codex.does("stick.pass", keyed), passed, "said twice, done once");
        assert_eq!(packs(&codex), 1);
        let reference = claude.claim().answer["handoff"]["context_ref"].clone();
        let pack = opened(&claude, &reference);
        assert_eq!((pack.node_id.as_str(), pack.run_id.as_str()), ("claude", claude.room().as_str()));
        assert_eq!(codex.state()["handoff"]["context_ref"], reference, "who looks at the room sees it too");
    });
}

#[test]
fn packs_are_merged_and_added_to_and_the_old_ones_stay() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.does("context.brief.edit", json!({"goal": "One", "constraints": {"a": 1, "c": 4}}));
        let one = codex.does("context.build", json!({}));
        codex.does("context.brief.edit", json!({"goal": "Two", "constraints": {"a": 2, "b": 3, "c": null}}));
        let two = claude.does("context.build", json!({"base": "none"}));
        let merged = codex.does("context.merge", json!({"packs": [one["ref"], two["ref"]]}));
        let pack = opened(&codex, &merged["ref"]);
        assert_eq!((pack.goal.as_deref(), json!(pack.constraints)), (Some("Two"), json!({"a": 2, "b": 3, "c": 4})));
        let longer = claude.does(
            "context.append",
            json!({"pack": one["ref"], "open_questions": ["when?"], "files": [{"path": "a.rs", "summary": "it"}]}),
        );
        let pack = opened(&codex, &longer["ref"]);
        assert_eq!(pack.goal.as_deref(), Some("One"));
        assert_eq!(json!(pack.open_questions[0].from), claude.entry()["display_name"]);
        let changed = codex.does("context.diff", json!({"first": one["ref"], "second": longer["ref"]}));
        assert_eq!(changed["differences"][0]["field"], "relevantFiles");
        assert_eq!(opened(&codex, &one["ref"]).open_questions, [], "the first is as it was");
        assert_eq!(packs(&codex), 4);
        // What does not fit is kept beside it, and both can be opened.
        let long = |n: usize| format!("{n}: {}?", "why ".repeat(400));
        let asked: Vec<String> = (0..8).map(long).collect();
        let file = json!([{"path": "nowhere.rs", "summary": "word ".repeat(200)}]);
        let input = json!({"pack": one["ref"], "open_questions": asked, "files": file, "budget": 2_000});
        let cut = claude.does("context.append", input);
        let pack = opened(&codex, &cut["ref"]);
        assert_eq!((pack.open_questions.len(), pack.cut.texts, pack.cut.summaries), (8, 8, 1));
        for what in ["texts", "summaries"] {
            let place = pack.cut.rest[what].rsplit(", ").next().unwrap();
            let whole = opened(&codex, &json!(place));
            assert_eq!(whole.open_questions[7].text, asked[7], "{place}");
            assert_eq!(whole.relevant_files[0].summary.as_ref().map(String::len), Some(999));
        }
        assert_eq!(packs(&codex), 6);
        let longer = claude.does("context.append", json!({"pack": one["ref"], "do_not": ["hurry"]}));
        let of_codex = codex.does("context.list", json!({"agent": "codex", "limit": 1}));
        assert_eq!((&of_codex["packs"][0]["ref"], &of_codex["has_more"]), (&longer["ref"], &json!(true)));
        for (command, input, error, field) in [
            ("context.merge", json!({"packs": [one["ref"]]}), "INVALID_INPUT", "packs"),
            ("context.merge", json!({"packs": [one["ref"], "JOB-001"]}), "INVALID_INPUT", "packs"),
            ("context.append", json!({"pack": one["ref"]}), "INVALID_INPUT", "pack"),
            ("context.append", json!({"pack": one["ref"], "artifacts": ["artifact://diff/9"]}), "UNKNOWN_ID", "refs"),
            ("context.build", json!({"budget": 100}), "INVALID_INPUT", "budget"),
            ("context.build", json!({"files": ["../x"]}), "path_not_found", "files"),
            ("context.build", json!({"base": "latest"}), "INVALID_INPUT", "base"),
        ] {
            let refused = codex.refused(command, input);
            assert_eq!((&refused["error"], &refused["field"]), (&json!(error), &json!(field)), "{command}");
        }
        let astray = codex.refused("context.build", json!({"base": "contextpack://pack/none"}));
        assert_eq!(astray["error"], "UNKNOWN_ID");
        assert_eq!(codex.refused("context.build", json!({"job": "JOB-009"}))["error"], "UNKNOWN_ID");
        assert_eq!(codex.refused("context.build", json!({"agent": "nobody"}))["error"], "AGENT_NOT_FOUND");
    });
}

#[test]
fn a_job_has_a_pack_with_what_its_manager_said() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let job = codex.does("jobs.create", json!({"title": "j", "prompt": "Do it."}))["job"].clone();
        codex.does("jobs.message", json!({"job": job, "message": "Mind the gap."}));
        let built = codex.does("context.build", json!({"job": job}));
        assert_eq!(codex.does("context.build", json!({"agent": job}))["ref"], built["ref"]);
        let pack = opened(&codex, &built["ref"]);
        assert!(pack.node_id.starts_with("job:JOB-001@"));
        assert_eq!(pack.inputs[0].message.as_deref(), Some("Mind the gap."));
    });
}

#[test]
fn what_was_handed_over_in_envelopes_is_in_the_pack_and_its_own_pack_goes_on() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.does("context.brief.edit", json!({"goal": "Ship it"}));
        let own = codex.does("context.build", json!({}));
        let own = codex.does("context.append", json!({"pack": own["ref"], "do_not": ["touch main.rs"]}));
        codex.does("tasks.card.create", json!({"title": "It leaks", "text": "see line 3"}));
        let sent = codex.does(
            "envelope.send",
            json!({
                "to": "claude", "message": "Stop the leak.", "context_ref": own["ref"],
                "artifacts": [{"type": "card", "ref": "CARD-1"}],
            }),
        );
        let built = claude.does("context.build", json!({}));
        let pack = opened(&claude, &built["ref"]);
        let input = &pack.inputs[0];
        assert_eq!((&json!(input.payload_id), input.message.as_deref()), (&sent["id"], Some("Stop the leak.")));
        assert_eq!((pack.artifacts[0].id.as_str(), pack.artifacts[0].kind.as_str()), ("CARD-1", "card"));
        assert_eq!(pack.do_not[0].text, "touch main.rs", "what came with it is gone on from");
        let alone = claude.does("context.build", json!({"base": "none"}));
        assert_eq!(opened(&claude, &alone["ref"]).do_not, []);
        let named = claude.does("context.append", json!({"pack": alone["ref"], "inputs": [sent["id"]]}));
        assert_eq!(opened(&claude, &named["ref"]).inputs, pack.inputs, "each once");
        let astray = claude.refused("context.append", json!({"pack": alone["ref"], "inputs": ["nothing"]}));
        assert_eq!(astray["error"], "UNKNOWN_ID");
    });
}

#[test]
fn a_room_without_a_path_and_a_caller_from_afar_have_packs_too() {
    on_every_backend(|app| {
        let codex = app.agent("codex");
        let session = codex.does("bus.open", json!({"name": "lobby"}));
        let room = session["session"]["id"].as_str().or(session["id"].as_str()).unwrap().to_owned();
        codex.enter(&room.parse().unwrap());
        codex.does("context.brief.edit", json!({"goal": "Talk", "docs_root": "docs"}));
        let pack = opened(&codex, &codex.does("context.build", json!({}))["ref"]);
        assert_eq!((pack.goal.as_deref(), pack.repo_facts.branch), (Some("Talk"), None));
        repository(&app);
        let [claude] = joined_at(&app, "repo", ["claude"]);
        let identity = Actor::found("web".parse().unwrap(), None, SessionKind::McpHarness);
        let afar = Caller::new(identity, PathBuf::new());
        let input = json!({"room_id": claude.room(), "agent": "claude"});
        let built = app.call(&afar, "context.build", input).unwrap();
        assert_eq!(opened(&claude, &built["ref"]).repo_facts.branch.as_deref(), Some("main"));
    });
}
