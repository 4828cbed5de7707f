//! A person who steers need not join first: taking the stick makes them a member, in the same transaction.

use baton_app::doctor;
use baton_testkit::{handoff, on_every_backend};
use serde_json::json;

#[test]
fn a_person_who_is_no_member_takes_over_from_a_dead_holder_in_one_call() {
    on_every_backend(|app| {
        let [claude, codex] = app.joined_living(["claude", "codex"]);
        claude.claim();
        claude.dies();
        let ana = app.person("human:ana:http");
        ana.enter(&claude.room());
        assert_eq!(ana.state()["takeover"], json!({"available": true, "reason": "owner_gone"}));
        let turn = ana.take();
        assert_eq!((turn.turn_id, &turn.answer["basis"]), (2, &json!("owner_gone")));
        assert!(ana.story().ends_with("claim agent.disconnect join takeover"), "{}", ana.story());
        assert_eq!(ana.entry()["session_kind"], "human");
        ana.does("stick.pass", turn.showing(json!({"to_agent_id": codex.id(), "handoff": handoff("done")})));
        codex.claim();
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_person_who_is_no_member_claims_a_free_stick_in_one_call() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let ana = app.person("human:ana:http");
        ana.enter(&codex.room());
        let turn = ana.claim();
        assert!(ana.story().ends_with("join join claim"), "{}", ana.story());
        ana.release(&turn);
        codex.claim();
    });
}

#[test]
fn who_may_not_have_the_stick_does_not_come_in_either() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        codex.claim();
        let ana = app.person("human:ana:http");
        ana.enter(&codex.room());
        let before = app.everything();
        assert_eq!(ana.refused("stick.takeover", ana.taking())["error"], "takeover_unavailable");
        assert_eq!(ana.refused("stick.wait", json!({"max_wait_ms": 0}))["error"], "stale_lease");
        assert_eq!(ana.state()["takeover"], json!({"available": false}));
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn an_agent_has_to_join_first() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        codex.claim();
        app.later_minutes(46);
        let claude = app.agent("claude");
        claude.enter(&codex.room());
        assert_eq!(claude.state()["takeover"], json!({"available": false}));
        assert_eq!(claude.refused("stick.takeover", claude.taking())["error"], "unknown_member");
        assert_eq!(claude.refused("stick.wait", json!({"max_wait_ms": 0}))["error"], "unknown_member");
    });
}
