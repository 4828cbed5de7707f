//! Attacks that were tried, by name.

use baton_testkit::on_every_backend;
use serde_json::json;

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
                (&refused["error"], &refused["role"], &refused["needs"], &refused["current_owner"]),
                (&json!("FORBIDDEN"), &json!("agent"), &json!("owner"), &json!("codex"))
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
            assert_eq!((&refused["error"], &refused["needs"]), (&json!("FORBIDDEN"), &json!("operator")), "{command}");
            assert!(refused["next"].as_str().unwrap().starts_with("Ask a person: `baton "), "{refused}");
        }
        assert_eq!(app.everything(), before);
    });
}
