//! Spawning: who may ask for another agent, who decides, what comes of it, and that nobody gets more than who asked has.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::{Caller, doctor};
use baton_core::{ids::RoomId, process::SessionKind, room::Actor};
use baton_testkit::{Agent, TestApp, assignment, on_every_backend};
use serde_json::{Value, json};

/// A person in the room of `agent`.
fn operator<'a>(app: &'a TestApp, name: &str) -> Agent<'a> {
    let person = app.person(name);
    person.join();
    person
}

fn asking(rest: Value) -> Value {
    let mut input = json!({"title": "Read the logs", "prompt": "Read them all.", "message": "Here they are."});
    input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    input
}

fn resolve(person: &Agent<'_>, decision: &str, rest: Value) -> Value {
    let mut input = json!({"decision": decision});
    input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    person.does("agent.approval.resolve", shown(person, input))
}

/// A decision on the first request as it is shown now.
fn shown(person: &Agent<'_>, mut input: Value) -> Value {
    input["approval"] = "APPROVAL-1".into();
    input["digest"] = open(person, "APPROVAL-1")["digest"].clone();
    input
}

/// The agent of a job that a runner claims now.
fn at_work(app: &TestApp, room: &RoomId, job: &str) -> Caller {
    let runner = app.agent("runner");
    runner.enter(room);
    let claimed = runner.does("jobs.claim", json!({"job": job, "runner_id": "r1"}));
    let assignment = assignment(&claimed);
    // Its program may look like a person's: what counts is the job that it was started for.
    let actor = Actor::found(assignment.agent_id(), None, SessionKind::Human);
    Caller::new(actor, app.workspace().at("")).assigned(assignment)
}

fn call(app: &TestApp, caller: &Caller, room: &RoomId, command: &str, mut input: Value) -> Result<Value, Value> {
    input["room_id"] = room.as_str().into();
    app.call(caller, command, input).map_err(|failure| failure.to_json())
}

fn open(agent: &Agent<'_>, id: &str) -> Value {
    agent.does("open", json!({"id": id}))
}

#[test]
fn a_request_of_one_that_was_granted_waits_until_an_operator_approves_and_is_a_job_then() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = operator(&app, "ana");
        let refused = codex.refused("spawn.request", asking(json!({})));
        assert_eq!([&refused["error"], &refused["agent_id"]], ["SPAWN_FORBIDDEN", "codex"]);
        assert!(refused["next"].as_str().unwrap().contains("baton agent grant codex --spawn"), "{refused}");
        assert_eq!(codex.refused("agent.grant", json!({"agent": "codex", "spawn_nodes": true}))["error"], "FORBIDDEN");
        let granted = ana.does("agent.grant", json!({"agent": codex.entry()["display_name"], "spawn_nodes": true}));
        assert_eq!(granted["grants"], json!({"spawn_nodes": true}));
        assert_eq!(codex.does("agent.show", json!({}))["grants"], json!({"spawn_nodes": true}));
        let person = ana.refused("agent.grant", json!({"agent": "ana", "read_only": true}));
        assert_eq!(person["error"], "PRECONDITION_FAILED", "a person may do everything");
        assert_eq!(ana.refused("agent.grant", json!({"agent": "codex"}))["field"], "spawn_nodes");

        let kept = codex.does("tasks.artifact.keep", json!({"kind": "log", "name": "l", "text": "x"}))["ref"].clone();
        let asked = codex.does(
            "spawn.request",
            asking(json!({
                "role": "reader", "executor": "claude_code", "structured": {"files": 3},
                "artifacts": [{"type": "log", "ref": kept}], "read_only": true, "priority": "high",
            })),
        );
        let expected = json!({
            "room_id": codex.room(), "approval": "APPROVAL-1", "status": "pending", "grants": {"read_only": true},
        });
        assert_eq!(asked, expected);
        let unknown = codex.refused("jobs.open", json!({"job": "JOB-001"}));
        assert_eq!(unknown["error"], "UNKNOWN_ID", "a request is no instruction");
        assert_eq!(ana.state()["requests"]["approvals"], 1);
        let pending = codex.does("agent.approval.list", json!({"status": "pending"}));
        assert_eq!(pending["approvals"][0]["title"], "Read the logs");
        let forbidden =
            codex.refused("agent.approval.resolve", json!({"approval": "APPROVAL-1", "decision": "approve"}));
        assert_eq!([&forbidden["error"], &forbidden["needs"]], ["FORBIDDEN", "operator"]);

        let approved = resolve(&ana, "approve", json!({"reason": "go"}));
        assert_eq!([&approved["status"], &approved["job"]], ["approved", "JOB-001"]);
        let job = codex.does("jobs.open", json!({"job": "JOB-001"}))["job"].clone();
        let meta = &job["meta"];
        assert_eq!((&meta["parent"], &meta["grants"]), (&json!("codex"), &json!({"read_only": true})));
        assert_eq!([&meta["role"], &meta["executor"]], ["reader", "claude_code"]);
        assert_eq!([&job["priority"], &job["created_by"]], ["HIGH", "ana"]);
        assert_eq!(
            codex.story().split(' ').skip(5).collect::<Vec<_>>().join(" "),
            "spawn.request job.created edge.set envelope.send spawn.approve envelope.send",
            "one transaction"
        );
        let child = at_work(&app, &codex.room(), "JOB-001");
        let inbox = call(&app, &child, &codex.room(), "inbox.list", json!({})).unwrap();
        let item = &inbox["items"][0];
        assert_eq!(
            (&item["category"], &item["from_agent"]),
            (&json!("HANDOFF"), &codex.entry()["display_name"]),
            "{inbox}"
        );
        let edges = codex.does("agent.edge.list", json!({}))["edges"].clone();
        assert_eq!((edges[0]["both_ways"].clone(), edges.as_array().unwrap().len()), (json!(true), 1));
        let told = codex.does("inbox.list", json!({}));
        let signal = &told["items"][0];
        assert_eq!(signal["category"], "SIGNAL", "{told}");
        let read = codex.does("inbox.read", json!({"message": signal["message"]}));
        let structured = json!({"approval": "APPROVAL-1", "decision": "approve", "job": "JOB-001", "modified": []});
        assert!(read.to_string().contains(&structured.to_string()), "{read}");
        let opened = open(&codex, "APPROVAL-1");
        assert_eq!([&opened["kind"], &opened["status"], &opened["reason"]], ["approval", "approved", "go"]);
        assert_eq!(opened["request"]["payload"]["structured"], json!({"files": 3}));
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_request_is_decided_once_and_also_when_who_asked_is_gone() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = operator(&app, "ana");
        ana.does("agent.grant", json!({"agent": "codex", "spawn_nodes": true}));
        codex.does("spawn.request", asking(json!({})));
        codex.does("room.leave", json!({}));
        let before = app.everything();
        for (input, field) in [
            (json!({"decision": "modify"}), "changes"),
            (json!({"decision": "approve", "changes": {"title": "x"}}), "changes"),
            (json!({"decision": "modify", "changes": {"titel": "x"}}), "changes"),
            (json!({"decision": "modify", "changes": {"title": " "}}), "title"),
            (json!({"decision": "deny", "reason": " "}), "reason"),
        ] {
            let refusal = ana.refused("agent.approval.resolve", shown(&ana, input));
            let named = refusal["field"].as_str().unwrap_or_default().split('.').next().unwrap_or_default();
            assert_eq!((refusal["error"].as_str().unwrap(), named), ("INVALID_INPUT", field), "{refusal}");
        }
        let unknown = ana.refused("agent.approval.resolve", json!({"approval": "APPROVAL-2", "decision": "deny"}));
        assert_eq!(unknown["error"], "UNKNOWN_ID");
        assert_eq!(app.everything(), before);
        let denied = resolve(&ana, "deny", json!({"reason": "not now"}));
        assert_eq!((&denied["status"], &denied["decided_by"]), (&json!("denied"), &ana.entry()["display_name"]));
        for decision in ["deny", "approve"] {
            let again = ana.refused("agent.approval.resolve", json!({"approval": "APPROVAL-1", "decision": decision}));
            assert_eq!([&again["error"], &again["status"], &again["decided_by"]], ["CONFLICT", "denied", "ana"]);
        }
        assert!(open(&ana, "APPROVAL-1").get("job").is_none());
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn the_policy_decides_at_once_or_refuses_everybody() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = operator(&app, "ana");
        ana.does("agent.grant", json!({"agent": "codex", "spawn_nodes": true}));
        ana.does("room.policy", json!({"policy": {"spawn": "off"}}));
        for agent in [&codex, &ana] {
            let refused = agent.refused("spawn.request", asking(json!({})));
            assert_eq!(refused["error"], "SPAWN_FORBIDDEN");
            assert!(refused["message"].as_str().unwrap().contains("policy"), "{refused}");
        }
        ana.does("room.policy", json!({"policy": {"spawn": "auto", "edges": "explicit"}}));
        let keyed = asking(json!({"idempotency_key": "k"}));
        let asked = codex.does("spawn.request", keyed.clone());
        assert_eq!([&asked["status"], &asked["job"]], ["approved", "JOB-001"]);
        assert_eq!(codex.does("spawn.request", keyed), asked);
        assert_eq!(open(&codex, "APPROVAL-1")["by_policy"], true);
        // The edge is there, where edges are asked for: both ways.
        codex.does("envelope.send", json!({"to": "JOB-001", "message": "one more thing"}));
        let child = at_work(&app, &codex.room(), "JOB-001");
        let answer = json!({"to": "codex", "message": "done"});
        call(&app, &child, &codex.room(), "envelope.send", answer).unwrap();
        let next = ana.does("spawn.request", asking(json!({})));
        assert_eq!([&next["approval"], &next["job"]], ["APPROVAL-2", "JOB-002"]);
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_jobs_agent_spawns_only_if_its_job_may_and_never_one_that_may_do_more() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let (ana, room) = (operator(&app, "ana"), codex.room());
        ana.does("room.policy", json!({"policy": {"spawn": "auto"}}));
        let create = |agent: &Agent<'_>, meta: Value, rest: Value| {
            let mut input = json!({"title": "j", "prompt": "Do it.", "meta": meta});
            input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            agent.call("jobs.create", input).map_err(|failure| failure.to_json())
        };
        let grants = json!({"grants": {"spawn_nodes": true}});
        let more = create(&codex, grants.clone(), json!({})).unwrap_err();
        assert_eq!([&more["error"], &more["field"]], ["SPAWN_FORBIDDEN", "spawn_nodes"]);
        let plain = create(&ana, json!({}), json!({})).unwrap()["job"].as_str().unwrap().to_owned();
        let refused = call(&app, &at_work(&app, &room, &plain), &room, "spawn.request", asking(json!({}))).unwrap_err();
        assert_eq!(refused["error"], "SPAWN_FORBIDDEN", "{refused}");

        let bounds = json!({
            "executor": "auto", "executor_profile": "deep", "policy": {"forbid": ["codex"]}, "isolation": "worktree",
        });
        let able = create(&ana, json!({"grants": {"spawn_nodes": true, "read_only": true}}), bounds).unwrap();
        let able = able["job"].as_str().unwrap().to_owned();
        let agent = at_work(&app, &room, &able);
        for (field, more) in [
            ("read_only", json!({"read_only": false})),
            ("executor", json!({"executor": "codex"})),
            ("executor_profile", json!({"executor_profile": "audit"})),
            ("isolation", json!({"isolation": "workspace"})),
        ] {
            let refused = call(&app, &agent, &room, "spawn.request", asking(more.clone())).unwrap_err();
            assert_eq!((&refused["error"], &refused["field"]), (&json!("SPAWN_FORBIDDEN"), &json!(field)));
            let (key, value) = more.as_object().unwrap().iter().next().unwrap();
            let more = if key == "read_only" { json!({"meta": {"grants": {key: value}}}) } else { more.clone() };
            for command in ["jobs.create", "tasks.macro.delegate"] {
                let mut input = json!({"title": "t", "prompt": "p"});
                input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
                let refused = call(&app, &agent, &room, command, input).unwrap_err();
                assert_eq!(
                    (&refused["error"], &refused["field"]),
                    (&json!("SPAWN_FORBIDDEN"), &json!(field)),
                    "{command}"
                );
            }
        }
        let asked = call(&app, &agent, &room, "spawn.request", asking(json!({"spawn_nodes": true}))).unwrap();
        assert_eq!(asked["grants"], json!({"spawn_nodes": true, "read_only": true}), "who only looks gets the same");
        let child = codex.does("jobs.open", json!({"job": asked["job"]}))["job"]["meta"].clone();
        assert_eq!(child["policy"]["forbid"], json!(["codex"]), "what is forbidden stays forbidden");
        assert_eq!((&child["isolation"], &child["parent"]), (&json!("worktree"), &json!(agent.actor().agent_id)));
        // By delegating it gets no more either.
        codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
        for (command, input) in [
            ("jobs.create", json!({"title": "t", "prompt": "p"})),
            ("tasks.macro.delegate", json!({"title": "t", "prompt": "p"})),
            ("tasks.macro.fanout_jobs", json!({"prompt": "p", "anchors": ["a:core"]})),
        ] {
            let made = call(&app, &agent, &room, command, input).unwrap();
            let job = [&made["job"]["job"], &made["jobs"][0]["job"], &made["job"]]
                .into_iter()
                .find(|job| job.is_string())
                .unwrap();
            let meta = codex.does("jobs.open", json!({"job": job}))["job"]["meta"].clone();
            assert_eq!(
                (&meta["grants"], &meta["isolation"]),
                (&json!({"read_only": true}), &json!("worktree")),
                "{command}"
            );
            assert_eq!(meta["parent"], json!(agent.actor().agent_id));
        }
        // It looks like a person's process, and does not steer.
        for (command, input) in [
            ("agent.approval.resolve", json!({"approval": "APPROVAL-1", "decision": "deny"})),
            ("agent.grant", json!({"agent": "codex", "spawn_nodes": true})),
            ("tasks.artifact.gc", json!({})),
        ] {
            let refused = app.call(&agent, command, {
                let mut input = input;
                if command != "tasks.artifact.gc" {
                    input["room_id"] = room.as_str().into();
                }
                input
            });
            assert_eq!(refused.unwrap_err().to_json()["error"], "FORBIDDEN", "{command}");
        }
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn what_a_job_may_do_is_said_once() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let room = codex.room();
        codex.does("jobs.create", json!({"title": "j", "prompt": "p", "meta": {"grants": {"read_only": true}}}));
        let agent = at_work(&app, &room, "JOB-001");
        for meta in [json!({"grants": {"spawn_nodes": true}}), json!({"parent": "ana"})] {
            let report = json!({
                "job": "JOB-001", "runner_id": "r1", "claim_revision": 1, "kind": "progress", "message": "m", "meta": meta,
            });
            assert_eq!(call(&app, &agent, &room, "jobs.report", report).unwrap_err()["field"], "meta");
        }
        let odd =
            codex.refused("jobs.create", json!({"title": "j", "prompt": "p", "meta": {"grants": {"root": true}}}));
        assert_eq!([&odd["error"], &odd["field"]], ["INVALID_INPUT", "meta.grants"]);
        let parent = codex.refused("jobs.create", json!({"title": "j", "prompt": "p", "meta": {"parent": "ana"}}));
        assert_eq!(parent["field"], "meta");
        codex.does("jobs.requeue", json!({"job": "JOB-001", "reason": "again"}));
        let meta = codex.does("jobs.open", json!({"job": "JOB-001"}))["job"]["meta"].clone();
        assert_eq!(meta["grants"], json!({"read_only": true}), "it lasts");
    });
}

#[test]
fn an_operator_modifies_a_request_within_what_who_asked_may_have_and_what_was_revoked_is_not_given() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = operator(&app, "ana");
        ana.does("agent.grant", json!({"agent": "codex", "spawn_nodes": true, "read_only": true}));
        codex.does("spawn.request", asking(json!({})));
        let more = json!({"decision": "modify", "changes": {"read_only": false}});
        let refused = ana.refused("agent.approval.resolve", shown(&ana, more));
        assert_eq!([&refused["error"], &refused["field"]], ["SPAWN_FORBIDDEN", "read_only"]);
        ana.does("agent.grant", json!({"agent": "codex", "spawn_nodes": false}));
        let revoked = ana.refused("agent.approval.resolve", shown(&ana, json!({"decision": "approve"})));
        assert_eq!([&revoked["error"], &revoked["agent_id"]], ["SPAWN_FORBIDDEN", "codex"]);
        ana.does("agent.grant", json!({"agent": "codex", "spawn_nodes": true}));
        let changes = json!({"title": "Read one log", "executor": "codex", "role": "reviewer", "message": "This one."});
        let modified = resolve(&ana, "modify", json!({"changes": changes}));
        assert_eq!(modified["modified"], json!(["title", "role", "executor", "message"]));
        let job = codex.does("jobs.open", json!({"job": "JOB-001"}))["job"].clone();
        assert_eq!([&job["title"], &job["meta"]["executor"]], ["Read one log", "codex"]);
        assert_eq!(job["meta"]["grants"], json!({"read_only": true}));
        let opened = open(&codex, "APPROVAL-1");
        assert_eq!(
            (&opened["request"]["title"], &opened["modified"]),
            (&json!("Read the logs"), &modified["modified"])
        );
        let told = codex.does("inbox.list", json!({}))["items"][0]["message"].clone();
        let read = codex.does("inbox.read", json!({"message": told})).to_string();
        assert!(read.contains(r#""decision":"modify""#), "{read}");
    });
}

#[test]
fn an_approval_is_bound_to_the_digest_of_what_was_shown() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = operator(&app, "ana");
        ana.does("agent.grant", json!({"agent": "codex", "spawn_nodes": true}));
        codex.does("spawn.request", asking(json!({"structured": {"b": 1, "a": [2.5, null]}})));
        codex.does("spawn.request", asking(json!({"prompt": "Delete them all."})));
        let digest = open(&ana, "APPROVAL-1")["digest"].clone();
        let listed = ana.does("agent.approval.list", json!({}));
        assert_eq!(listed["approvals"][1]["digest"], digest, "the same wherever it is shown");
        let needs = ana.does("agent.needs", json!({}));
        assert_eq!(needs["needs"][0]["digest"], digest);

        let before = app.everything();
        let other = listed["approvals"][0]["digest"].clone();
        for (decision, rest) in [("approve", json!({})), ("modify", json!({"changes": {"title": "Another"}}))] {
            let mut input = json!({"approval": "APPROVAL-1", "decision": decision});
            input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            let unseen = ana.refused("agent.approval.resolve", input.clone());
            assert_eq!([&unseen["error"], &unseen["field"]], ["INVALID_INPUT", "digest"]);
            input["digest"] = other.clone();
            let changed = ana.refused("agent.approval.resolve", input);
            assert_eq!((&changed["error"], &changed["digest"]), (&json!("PRECONDITION_FAILED"), &digest));
            assert!(changed["next"].as_str().unwrap().contains("APPROVAL-1"), "{changed}");
        }
        assert_eq!(app.everything(), before);

        // What who asked may have is less now, and so is what would be made.
        ana.does("agent.grant", json!({"agent": "codex", "read_only": true}));
        let late = json!({"approval": "APPROVAL-1", "decision": "approve", "digest": digest});
        let changed = ana.refused("agent.approval.resolve", late);
        let now = open(&ana, "APPROVAL-1");
        assert_eq!((&changed["error"], &changed["digest"]), (&json!("PRECONDITION_FAILED"), &now["digest"]));
        assert_eq!(now["request"]["grants"], json!({"read_only": true}), "what is shown is what would be made");
        resolve(&ana, "approve", json!({}));
        assert_eq!(open(&ana, "APPROVAL-1")["digest"], now["digest"], "the log has what was approved");

        let second = open(&ana, "APPROVAL-2")["digest"].clone();
        let changes = json!({"prompt": "Read one."});
        let input = json!({"approval": "APPROVAL-2", "decision": "modify", "digest": second, "changes": changes});
        let modified = ana.does("agent.approval.resolve", input);
        assert_ne!(modified["digest"], second, "of what it was changed to");
        assert_eq!(open(&ana, "APPROVAL-2")["digest"], modified["digest"]);
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_request_that_could_not_become_an_agent_is_refused_and_leaves_nothing() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = operator(&app, "ana");
        ana.does("agent.grant", json!({"agent": "codex", "spawn_nodes": true}));
        let before = app.everything();
        for (input, error, field) in [
            (json!({"title": " "}), "INVALID_INPUT", "title"),
            (json!({"message": " "}), "INVALID_INPUT", "message"),
            (json!({"role": "two words"}), "INVALID_INPUT", "role"),
            (json!({"priority": "urgent"}), "INVALID_INPUT", "priority"),
            (json!({"executor": "vim"}), "INVALID_INPUT", "executor"),
            (json!({"approval": "APPROVAL-9"}), "INVALID_INPUT", "approval"),
            (json!({"context_ref": "CARD-1"}), "INVALID_INPUT", "context_ref"),
            (json!({"context_ref": "contextpack://pack/789"}), "UNKNOWN_ID", "context_ref"),
            (json!({"artifacts": [{"type": "diff", "ref": "artifact://diff/1"}]}), "UNKNOWN_ID", "artifacts"),
            (json!({"artifacts": [{"type": "log", "ref": "artifact://diff/1"}]}), "INVALID_INPUT", "artifacts[0].type"),
            (json!({"task": "TASK-009"}), "UNKNOWN_ID", ""),
            (json!({"anchor": "a:nowhere"}), "UNKNOWN_ID", ""),
        ] {
            let refusal = codex.refused("spawn.request", asking(input.clone()));
            let shown = refusal["field"].as_str().unwrap_or_default();
            assert_eq!((refusal["error"].as_str().unwrap(), shown), (error, field), "{input}: {refusal}");
        }
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        assert_eq!(stranger.refused("spawn.request", asking(json!({})))["error"], "UNKNOWN_SENDER");
        assert_eq!(app.everything(), before);
        let secret = json!({"message": "use ghp_0123456789abcdefghijABCDEFGHIJ"});
        codex.does("spawn.request", asking(secret));
        assert!(open(&codex, "APPROVAL-1").to_string().contains("[redacted:"));
    });
}
