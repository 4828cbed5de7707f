//! Attacks that were tried, by name.

use baton_app::table::{Effect, Permission, Role, Subject, TABLE};
use baton_core::code::ErrorCode;
use baton_testkit::on_every_backend;
use serde_json::{Value, json};

use super::{
    input::{Extent, made},
    scene::{OTHER_JOB, OWN_JOB, Scene},
};

#[test]
fn a_member_that_is_not_the_holder_cannot_shorten_the_holders_lease_and_take_over() {
    on_every_backend(|app| {
        let [codex, eve] = app.joined(["codex", "eve"]);
        let turn = codex.claim();
        let before = app.everything();
        let short = json!({"policy": {"owner_lease_ttl_ms": 1000, "heartbeat_interval_ms": 100}});
        for attempt in [short.clone(), turn.showing(short.clone())] {
            let refused = eve.refused("room.policy", attempt);
            assert_eq!(
                [&refused["error"], &refused["role"], &refused["needs"], &refused["current_owner"]],
                ["FORBIDDEN", "agent", "owner", "codex"]
            );
            assert!(refused["next"].as_str().unwrap().contains("baton room policy"), "{refused}");
        }
        assert_eq!(app.everything(), before, "and nothing is written");
        codex.does("stick.heartbeat", turn.showing(json!({})));
        app.later_minutes(1);
        assert_eq!(eve.refused("stick.takeover", eve.taking())["error"], "takeover_unavailable");
        codex.release(&turn);
        assert_eq!(eve.refused("room.policy", short)["error"], "FORBIDDEN", "also where nobody holds it");
    });
}

#[test]
fn no_agent_approves_its_own_requests_by_policy_grant_or_edge() {
    on_every_backend(|app| {
        let [codex, _other] = app.joined(["codex", "other"]);
        let turn = codex.claim();
        let before = app.everything();
        for (command, input) in [
            ("room.policy", turn.showing(json!({"policy": {"spawn": "auto"}}))),
            ("room.policy", turn.showing(json!({"policy": {"edges": "mesh"}}))),
            ("agent.grant", json!({"agent": "codex", "spawn_nodes": true})),
            ("agent.approval.resolve", json!({"approval": "APPROVAL-1", "decision": "approve"})),
            ("agent.edge.add", json!({"from": "codex", "to": "other"})),
            ("inbox.tell", json!({"to": "other", "text": "stop"})),
        ] {
            let refused = codex.refused(command, input);
            assert_eq!([&refused["error"], &refused["needs"]], ["FORBIDDEN", "operator"], "{command}");
            assert!(refused["next"].as_str().unwrap().starts_with("Ask a person: `baton "), "{refused}");
        }
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn a_jobs_agent_answers_cancels_requeues_claims_ends_and_creates_no_job_of_others() {
    on_every_backend(|app| {
        let scene = Scene::of(&app, Role::JobAgent);
        let claimed = scene.founder.does("jobs.claim", json!({"job": OTHER_JOB, "runner_id": "r7"}));
        let claim = json!({"job": OTHER_JOB, "runner_id": "r7", "claim_revision": claimed["job"]["revision"]});
        let shown = |mut input: Value| {
            input.as_object_mut().unwrap().extend(claim.as_object().unwrap().clone());
            input
        };
        scene.founder.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
        let before = app.everything();
        for (command, input, code) in [
            ("jobs.message", json!({"job": OTHER_JOB, "message": "left"}), "FORBIDDEN"),
            ("jobs.radar", json!({"reply_job": OTHER_JOB, "reply_message": "left"}), "FORBIDDEN"),
            ("jobs.cancel", json!({"job": OTHER_JOB, "reason": "mine is better"}), "FORBIDDEN"),
            ("jobs.requeue", json!({"job": OTHER_JOB, "reason": "again"}), "FORBIDDEN"),
            ("jobs.claim", json!({"job": OTHER_JOB, "force": true}), "FORBIDDEN"),
            ("jobs.claim", json!({}), "FORBIDDEN"),
            ("jobs.report", shown(json!({"kind": "progress", "message": "done"})), "PRECONDITION_FAILED"),
            ("jobs.complete", shown(json!({"status": "DONE", "summary": "done"})), "PRECONDITION_FAILED"),
            ("jobs.create", json!({"title": "More", "prompt": "More."}), "SPAWN_FORBIDDEN"),
            ("tasks.macro.delegate", json!({"title": "More", "prompt": "More."}), "SPAWN_FORBIDDEN"),
            ("tasks.macro.fanout_jobs", json!({"anchors": ["a:core"], "prompt": "More."}), "SPAWN_FORBIDDEN"),
            ("spawn.request", json!({"title": "More", "prompt": "More.", "message": "Help."}), "SPAWN_FORBIDDEN"),
            ("jobs.runner.heartbeat", json!({"runner_id": "r7", "status": "idle"}), "FORBIDDEN"),
            ("jobs.runner.retire", json!({"runner_id": "r7"}), "FORBIDDEN"),
        ] {
            let refused = scene.caller.refused(command, input);
            assert_eq!(refused["error"], code, "{command}: {refused}");
            assert!(refused["next"].as_str().is_some_and(|next| !next.is_empty()), "{command}: {refused}");
        }
        assert_eq!(app.everything(), before, "nothing of it is on record");
        for job in [OWN_JOB, OTHER_JOB] {
            scene.caller.does("jobs.open", json!({"job": job}));
        }
        scene.caller.does("jobs.radar", json!({}));
    });
}

#[test]
fn a_jobs_agent_administers_no_room() {
    on_every_backend(|app| {
        let scene = Scene::of(&app, Role::JobAgent);
        let turn = scene.hand_over();
        let before = app.everything();
        for (command, input) in [
            ("room.policy", turn.showing(json!({"policy": {"claim_ttl_ms": 60_000}}))),
            ("room.close", turn.showing(json!({}))),
            ("room.reorder", json!({"order": [scene.caller.id(), scene.founder.id()]})),
            ("bus.rename", json!({"name": "Mine"})),
            ("bus.close", json!({})),
            ("bus.remove", json!({"id": scene.founder.id()})),
            ("agent.adopt", json!({"agent": "founder"})),
            ("agent.init", json!({"adopt": "founder"})),
            ("agent.grant", json!({"agent": "founder", "spawn_nodes": true})),
            ("agent.edge.add", json!({"from": "founder", "to": "founder"})),
            ("agent.edge.remove", json!({"from": "founder", "to": "founder"})),
            ("agent.approval.resolve", json!({"approval": "APPROVAL-1", "decision": "approve"})),
            ("inbox.tell", json!({"to": "founder", "text": "stop"})),
            ("tasks.artifact.gc", json!({})),
        ] {
            let refused = scene.caller.refused(command, input);
            assert_eq!([&refused["error"], &refused["role"]], ["FORBIDDEN", "job_agent"], "{command}");
        }
        assert_eq!(app.everything(), before, "nothing of it is on record");
        scene.caller.does("stick.heartbeat", turn.showing(json!({})));
    });
}

/// Whatever ended the claim, its agent writes nothing on any command, also not by a key under which it was answered before.
#[test]
fn a_jobs_agent_whose_claim_is_over_writes_nothing_on_any_command_and_sees_no_room() {
    type End = fn(&Scene<'_>);
    let ends: [(&str, End); 4] = [
        ("canceled", |scene| {
            scene.founder.does("jobs.cancel", json!({"job": OWN_JOB, "reason": "not wanted"}));
        }),
        ("requeued", |scene| {
            scene.founder.does("jobs.requeue", json!({"job": OWN_JOB, "reason": "again"}));
        }),
        ("reclaimed", |scene| {
            scene.founder.does("jobs.claim", json!({"job": OWN_JOB, "force": true}));
        }),
        ("completed", |scene| {
            let taken = scene.founder.does("jobs.claim", json!({"job": OWN_JOB, "force": true}));
            let done = json!({"job": OWN_JOB, "claim_revision": taken["job"]["revision"], "status": "DONE",
                "summary": "It is dry."});
            scene.founder.does("jobs.complete", done);
        }),
    ];
    on_every_backend(|app| {
        for (how, end) in ends {
            let scene = Scene::of(&app, Role::JobAgent);
            let keyed = json!({"text": "I was here.", "idempotency_key": "k"});
            scene.caller.does("room.note", keyed.clone());
            scene.caller.does("room.note", keyed.clone());
            end(&scene);
            let before = app.everything();
            assert_eq!(scene.caller.refused("room.note", keyed)["error"], "CONFLICT", "{how}: also by its key");
            for command in TABLE {
                if matches!(command.effect, Effect::Read | Effect::Follow) && command.subject == Subject::Store {
                    let answer =
                        app.call(scene.impatient().caller(), command.name, made(command, &scene, Extent::Least));
                    assert!(answer.is_ok(), "{how}: {} remains: {answer:?}", command.name);
                    continue;
                }
                let mut over = false;
                for extent in [Extent::Least, Extent::All] {
                    let answer = app.call(scene.impatient().caller(), command.name, made(command, &scene, extent));
                    let Err(failure) = answer else { panic!("{how}: {} was carried out", command.name) };
                    over |= failure.code == ErrorCode::Conflict;
                    let shown = failure.to_json();
                    assert!(shown["next"].as_str().is_some_and(|next| !next.is_empty()), "{how}: {shown}");
                    if command.access.job_agent == Permission::No {
                        assert_eq!(failure.code, ErrorCode::Forbidden, "{how}: {}", command.name);
                        over = true;
                    }
                }
                assert!(over, "{how}: {} does not say that the claim is over", command.name);
            }
            assert_eq!(app.everything(), before, "{how}: nothing of it is on record");
        }
    });
}
