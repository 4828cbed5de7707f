//! The contract's worked examples, told as it tells them.

use std::{sync::Barrier, thread};

use baton_testkit::{Turn, handoff, on_every_backend};
use serde_json::json;

#[test]
fn three_agent_round_robin() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let plan = json!({
            "status": "wrote initial plan covering sections 1-3",
            "next_action": "review plan for gaps; suggest additions",
            "artifacts": [{"path": "plan.md", "role": "review"}],
        });
        let review = json!({
            "status": "reviewed plan; section 2 is thin on error handling",
            "next_action": "extend error handling coverage in section 2",
            "artifacts": [{"path": "plan.md", "lines": [45, 78], "role": "edit"}],
        });

        let turn = codex.claim();
        assert_eq!((&turn.answer["reason"], &turn.answer["handoff"]), (&json!("open_claim"), &json!(null)));
        let released = codex.does("stick.release", turn.showing(json!({"handoff": plan})));
        assert_eq!([&released["state"], &released["reserved_for"]], ["reserved", "claude"]);

        let turn = claude.claim();
        assert_eq!(turn.answer["handoff"], plan, "verbatim");
        assert_eq!([&turn.answer["from_agent_id"], &turn.answer["reason"]], ["codex", "sequence"]);
        let released = claude.does("stick.release", turn.showing(json!({"handoff": review})));
        assert_eq!(released["reserved_for"], "gemini");

        let turn = gemini.claim();
        assert_eq!(turn.answer["handoff"], review);
        assert_eq!(gemini.release(&turn)["reserved_for"], "codex", "the cycle continues");
        assert_eq!(codex.claim().turn_id, 4);
    });
}

#[test]
fn explicit_skip() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let found = json!({
            "status": "found potential race in claim logic",
            "next_action": "assess whether lease_id fencing covers this case",
            "artifacts": [{"path": "src/claim.ts", "lines": [102, 140], "role": "review"}],
        });
        let turn = codex.claim();
        let passed = codex.does("stick.pass", turn.showing(json!({"to_agent_id": "gemini", "handoff": found})));
        assert_eq!([&passed["state"], &passed["reserved_for"]], ["reserved", "gemini"]);
        assert_eq!(claude.wait()["status"], "not_yet", "claude is skipped");

        let turn = gemini.claim();
        assert_eq!((&turn.answer["reason"], &turn.answer["handoff"]), (&json!("direct_pass"), &found));
        assert_eq!(gemini.release(&turn)["reserved_for"], "codex", "the sequence resumes from gemini's position");
    });
}

#[test]
fn missed_recipient() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let turn = codex.claim();
        let written = json!({"status": "wrote the plan", "next_action": "review it"});
        codex.does("stick.release", turn.showing(json!({"handoff": written})));
        app.later_minutes(20);

        let available = gemini.wait();
        assert_eq!(available["status"], "takeover_available");
        assert_eq!([&available["reason"], &available["reserved_for"]], ["claim_timeout", "claude"]);
        assert_eq!(codex.wait()["status"], "not_yet", "the prior owner waits while gemini could take it");
        let refusal = codex.refused("stick.takeover", codex.taking());
        assert_eq!((&refusal["error"], &refusal["candidates"]), (&json!("prior_owner"), &json!(["gemini"])));

        let reason = json!({"expected_turn_id": 1, "reason": "claim timeout expired"});
        let taken = Turn::of(gemini.does("stick.takeover", reason));
        assert_eq!((taken.turn_id, &taken.answer["revoked_agent_id"]), (2, &json!("claude")));
        let log = gemini.does("room.events", json!({}));
        let release = log["events"].as_array().unwrap().iter().find(|event| event["event_type"] == "release").unwrap();
        assert_eq!(release["handoff"], written, "gemini reads what codex left for claude");

        let late = claude.wait();
        assert_eq!([&late["status"], &late["owner"]], ["not_yet", "gemini"], "too late");
    });
}

#[test]
fn crashed_owner() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let first = codex.claim();
        let left = handoff("half of it is done");
        codex.does("stick.release", first.showing(json!({"handoff": left})));
        let lost = claude.claim();
        app.later_minutes(45);
        assert_eq!(codex.room_state(), "stale_owner");

        let reason = json!({"expected_turn_id": lost.turn_id, "reason": "owner lease expired"});
        let taken = Turn::of(codex.does("stick.takeover", reason));
        assert_eq!(taken.turn_id, lost.turn_id + 1);
        let log = codex.does("room.events", json!({}));
        let handoffs: Vec<_> =
            log["events"].as_array().unwrap().iter().filter_map(|event| event.get("handoff")).collect();
        assert_eq!(handoffs, [&left], "codex infers what claude was working on");

        let refusal = claude.refused("stick.release", lost.showing(json!({"handoff": handoff("late")})));
        assert_eq!(refusal["error"], "turn_mismatch", "the turn is checked before the lease");
        let wrong_lease = Turn { turn_id: taken.turn_id, ..lost };
        let refusal = claude.refused("stick.release", wrong_lease.showing(json!({"handoff": handoff("late")})));
        assert_eq!(refusal["error"], "stale_lease");
        assert_eq!((&refusal["current_owner"], &refusal["current_turn_id"]), (&json!("codex"), &json!(3)));
    });
}

#[test]
fn two_process_concurrent_claim() {
    on_every_backend(|app| {
        for _ in 0..20 {
            let [codex, claude] = app.joined(["codex", "claude"]);
            let elsewhere = app.beside();
            let claude_there = claude.through(&elsewhere);
            let together = Barrier::new(2);
            let ask = |agent: &baton_testkit::Agent<'_>| {
                together.wait();
                agent.wait()
            };
            let (mine, theirs) = thread::scope(|scope| {
                let theirs = scope.spawn(|| ask(&claude_there));
                (ask(&codex), theirs.join().unwrap())
            });
            let (winner, turn, loser) = match mine["status"].as_str() {
                Some("your_turn") => (&codex, Turn::of(mine), theirs),
                _ => (&claude, Turn::of(theirs), mine),
            };
            assert_eq!((&loser["status"], &loser["owner"]), (&json!("not_yet"), &json!(winner.id())));
            winner.release(&turn);
            let recipient = if winner.id() == codex.id() { &claude } else { &codex };
            let turn = recipient.claim();
            recipient.does("room.close", turn.showing(json!({})));
        }
    });
}
