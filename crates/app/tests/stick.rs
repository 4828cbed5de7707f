//! Claiming, keeping, releasing and passing, through the table.

use baton_testkit::{Turn, handoff, on_every_backend};
use serde_json::{Value, json};

#[test]
fn happy_path_join_claim_release_claim() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        assert_eq!(codex.room_state(), "idle");
        let turn = codex.claim();
        assert_eq!((turn.turn_id, codex.room_state().as_str()), (1, "owned"));
        let released = codex.release(&turn);
        assert_eq!((&released["turn_id"], &released["event_seq"]), (&json!(1), &json!(5)), "a release grants nothing");
        let pending = codex.state();
        assert_eq!(pending["room"]["pending_handoff_event_seq"], 5);
        assert_eq!((&pending["handoff"], &pending["handoff_from"]), (&handoff("done"), &json!("codex")));
        let next = claude.claim();
        assert_eq!((next.turn_id, &next.answer["handoff"]), (2, &handoff("done")));
        assert_eq!(claude.state()["room"]["pending_handoff_event_seq"], json!(null));
        assert_eq!(codex.story(), "create join join claim release claim");
    });
}

#[test]
fn release_sequence() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        for (holder, next) in [(&codex, "claude"), (&claude, "gemini"), (&gemini, "codex"), (&codex, "claude")] {
            let turn = holder.claim();
            assert_eq!(holder.release(&turn)["reserved_for"], next);
        }
    });
}

#[test]
fn a_release_with_nobody_else_leaves_the_room_idle_and_the_handoff_waiting() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let released = codex.release(&codex.claim());
        assert_eq!((&released["state"], &released["reserved_for"]), (&json!("idle"), &json!(null)));
        let [claude] = app.joined(["claude"]);
        let turn = claude.claim();
        assert_eq!((&turn.answer["reason"], &turn.answer["handoff"]), (&json!("open_claim"), &handoff("done")));
    });
}

#[test]
fn pass_to_unknown_or_inactive_member_is_rejected() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let [claude, gone] = app.joined_living(["claude", "gone"]);
        app.later_minutes(4 * 60);
        let [gemini] = app.joined(["gemini"]);
        let turn = codex.claim();
        gone.state();
        gone.dies();
        let before = app.everything();
        for (to, why) in [
            ("stranger", "has not joined it"),
            (claude.id().as_str(), "has not been seen lately"),
            (gone.id().as_str(), "has exited"),
        ] {
            let refusal =
                codex.refused("stick.pass", turn.showing(json!({"to_agent_id": to, "handoff": handoff("x")})));
            assert_eq!((&refusal["error"], &refusal["to_agent_id"]), (&json!("unknown_member"), &json!(to)));
            assert!(refusal["message"].as_str().unwrap().contains(why), "{refusal}");
            assert_eq!(refusal["active_members"], json!(["gemini"]));
        }
        let to_self = turn.showing(json!({"to_agent_id": "codex", "handoff": handoff("x")}));
        assert_eq!(codex.refused("stick.pass", to_self)["error"], "invalid_target");
        assert_eq!(app.everything(), before);
        codex.pass(&turn, &gemini);
        gemini.claim();
    });
}

#[test]
fn stale_leases_are_refused_with_the_current_owner_and_turn() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        let forged = Turn { lease_id: "lease_forged".to_owned(), ..turn.clone() };
        let stale =
            json!({"error": "stale_lease", "current_owner": "codex", "current_turn_id": 1, "room_state": "owned"});
        for (who, shown) in [(&codex, &forged), (&claude, &turn), (&claude, &forged)] {
            let inputs = [
                ("stick.heartbeat", json!({})),
                ("stick.release", json!({"handoff": handoff("x")})),
                ("stick.pass", json!({"handoff": handoff("x"), "to_agent_id": "claude"})),
                ("room.close", json!({})),
            ];
            for (command, rest) in inputs {
                let mut refusal = who.refused(command, shown.showing(rest));
                refusal.as_object_mut().unwrap().retain(|key, _| !["message", "next"].contains(&key.as_str()));
                assert_eq!(refusal, stale, "{command}");
            }
        }
        codex.release(&turn);
        assert_eq!(
            codex.refused("stick.heartbeat", turn.showing(json!({})))["error"],
            "stale_lease",
            "it was given up"
        );
    });
}

#[test]
fn turn_mismatch_comes_before_stale_lease() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let old = codex.claim();
        codex.release(&old);
        claude.claim();
        let wrong_in_every_way = Turn { lease_id: "lease_forged".to_owned(), ..old };
        for who in [&codex, &claude] {
            let refusal = who.refused("stick.heartbeat", wrong_in_every_way.showing(json!({})));
            assert_eq!(refusal["error"], "turn_mismatch");
            assert_eq!((&refusal["expected_turn_id"], &refusal["current_turn_id"]), (&json!(1), &json!(2)));
            assert_eq!([&refusal["current_owner"], &refusal["room_state"]], ["claude", "owned"]);
        }
    });
}

#[test]
fn a_heartbeat_extends_the_lease_and_is_no_event() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let turn = codex.claim();
        app.later_minutes(30);
        let answer = codex.does("stick.heartbeat", turn.showing(json!({})));
        assert_eq!(answer["heartbeat_interval_ms"], 5 * 60 * 1000);
        assert_eq!(answer["lease_expires_at"], codex.state()["room"]["lease_expires_at"]);
        app.later_minutes(30);
        assert_eq!(codex.room_state(), "owned", "75 minutes since the claim, 30 since the heartbeat");
        assert_eq!(codex.story(), "create join claim");
    });
}

#[test]
fn a_heartbeat_in_the_same_millisecond_as_another_members_note_is_kept() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        app.later_minutes(30);
        claude.does("room.note", json!({"text": "the tests are flaky"}));
        let answer = codex.does("stick.heartbeat", turn.showing(json!({})));
        assert_eq!(codex.state()["room"]["lease_expires_at"], answer["lease_expires_at"]);
    });
}

#[test]
fn an_owner_who_asks_again_gets_the_same_lease() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.release(&codex.claim());
        let turn = claude.claim();
        let again = claude.wait();
        assert_eq!(again["resumed"], true);
        for field in ["status", "turn_id", "lease_id", "lease_expires_at", "handoff", "from_agent_id", "reason"] {
            assert_eq!(again[field], turn.answer[field], "{field}");
        }
        assert_eq!(turn.answer.get("resumed"), None);
        assert_eq!(codex.story(), "create join join claim release claim", "asking again is no event");
    });
}

#[test]
fn lease_ids_are_shown_to_the_owner_only() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        assert_eq!(codex.state()["room"]["lease_id"], turn.lease_id.as_str());
        assert_eq!(codex.join()["room"]["lease_id"], turn.lease_id.as_str());
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        let seen_by_others: Vec<Value> = vec![
            claude.state(),
            claude.wait(),
            claude.join(),
            claude.does("room.list", json!({})),
            claude.does("room.events", json!({})),
            stranger.state(),
            stranger.does("room.events", json!({})),
        ];
        for answer in seen_by_others {
            assert!(!answer.to_string().contains(&turn.lease_id), "{answer}");
        }
    });
}

#[test]
fn only_members_get_the_stick() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        let refusal = stranger.refused("stick.wait", json!({"max_wait_ms": 0}));
        assert_eq!([&refusal["error"], &refusal["agent_id"]], ["unknown_member", "stranger"]);
        codex.does("room.leave", json!({}));
        assert_eq!(codex.refused("stick.wait", json!({"max_wait_ms": 0}))["error"], "unknown_member");
    });
}
