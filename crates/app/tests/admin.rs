//! Notes, leaving, closing, reordering and the policy, through the table.

use baton_testkit::{Agent, handoff, on_every_backend};
use serde_json::json;

#[test]
fn a_note_is_in_the_log_and_changes_no_ownership() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        let before = app.stored(&codex.room()).stick;
        let noted = claude.does("room.note", json!({"text": "the tests are flaky"}));
        assert_eq!(noted["event_seq"], 5);
        assert_eq!(app.stored(&codex.room()).stick, before);
        let log = codex.does("room.events", json!({"limit": 1}));
        let event = &log["events"][0];
        assert_eq!([&event["note"], &event["from_agent_id"]], ["the tests are flaky", "claude"]);
        codex.release(&turn);
    });
}

#[test]
fn leaving_moves_a_reservation_on_and_keeps_the_order() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let turn = codex.claim();
        assert_eq!(codex.refused("room.leave", json!({}))["error"], "holds_stick");
        codex.release(&turn);
        let left = claude.does("room.leave", json!({}));
        assert_eq!((&left["members"], &left["reserved_for"]), (&json!(["codex", "gemini"]), &json!("gemini")));
        let turn = gemini.claim();
        assert_eq!(turn.answer["handoff"], handoff("done"), "with the handoff that waited for claude");
        assert_eq!(gemini.release(&turn)["reserved_for"], "codex");
        claude.join();
        assert_eq!(codex.state()["room"]["members"], json!(["codex", "gemini", "claude"]), "back at the end");
    });
}

#[test]
fn only_the_owner_closes_a_held_room() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        let close = json!({"expected_turn_id": 1, "reason": "done"});
        assert_eq!(claude.refused("room.close", close.clone())["error"], "stale_lease");
        assert_eq!(codex.refused("room.close", close)["error"], "stale_lease", "the owner shows its lease");
        assert_eq!(claude.refused("room.close", json!({"expected_turn_id": 0}))["error"], "turn_mismatch");
        assert_eq!(codex.does("room.close", turn.showing(json!({"reason": "done"})))["state"], "closed");
    });
}

#[test]
fn a_closed_rooms_path_is_reopened_as_a_fresh_room_while_the_old_one_stays_readable() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let old = codex.room();
        codex.release(&codex.claim());
        codex.does("room.close", json!({"expected_turn_id": 1, "reason": "shipped"}));
        for agent in [&codex, &claude] {
            assert_eq!(agent.wait(), json!({"status": "closed", "room_id": old}));
        }
        for (command, input) in [
            ("room.note", json!({"text": "too late"})),
            ("room.leave", json!({})),
            ("room.close", json!({"expected_turn_id": 1})),
            ("room.reorder", json!({"order": ["claude", "codex"]})),
            ("room.policy", json!({"policy": {}})),
            ("stick.takeover", json!({"expected_turn_id": 1, "reason": "late"})),
            ("stick.heartbeat", json!({"expected_turn_id": 1, "lease_id": "lease_2"})),
        ] {
            assert_eq!(codex.refused(command, input)["error"], "room_closed", "{command}");
        }

        let fresh = codex.join();
        assert_eq!((&fresh["created"], &fresh["state"]), (&json!(true), &json!("idle")));
        assert_ne!(codex.room(), old);
        assert_eq!(fresh["room"]["members"], json!(["codex"]));
        assert_eq!(codex.claim().turn_id, 1);
        claude.enter(&old);
        assert_eq!(claude.room_state(), "closed");
        assert_eq!(claude.story(), "create join join claim release close");
        let listed = codex.does("room.list", json!({}))["rooms"].clone();
        assert_eq!(listed.as_array().unwrap().len(), 1, "the closed one is not offered any more");
    });
}

#[test]
fn reordering_names_every_member_once_and_changes_who_is_next() {
    on_every_backend(|app| {
        let [codex, _claude, _gemini] = app.joined(["codex", "claude", "gemini"]);
        let before = app.everything();
        let refusal = codex.refused("room.reorder", json!({"order": ["gemini", "gemini", "stranger"]}));
        assert_eq!(refusal["error"], "invalid_order");
        assert_eq!(refusal["missing"], json!(["codex", "claude"]));
        assert_eq!((&refusal["unknown"], &refusal["repeated"]), (&json!(["stranger"]), &json!(["gemini"])));
        assert_eq!(app.everything(), before);
        let order = json!(["codex", "gemini", "claude"]);
        assert_eq!(codex.does("room.reorder", json!({"order": order}))["members"], order);
        assert_eq!(codex.state()["room"]["members"], order);
        assert_eq!(codex.release(&codex.claim())["reserved_for"], "gemini");
        codex.does("room.reorder", json!({"order": order}));
        assert_eq!(codex.story(), "create join join join reorder claim release", "as it was is no event");
    });
}

#[test]
fn a_new_policy_counts_from_the_next_lease_and_everybody_sees_it() {
    on_every_backend(|app| {
        let [codex, _claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        let change = json!({"policy": {"owner_lease_ttl_ms": 600_000, "heartbeat_interval_ms": 60_000}});
        let answer = codex.does("room.policy", turn.showing(change));
        assert_eq!(
            (&answer["policy"]["owner_lease_ttl_ms"], &answer["policy"]["claim_ttl_ms"]),
            (&json!(600_000), &json!(1_200_000))
        );
        assert_eq!(codex.join()["policy"], answer["policy"]);
        app.later_minutes(20);
        assert_eq!(codex.room_state(), "owned", "the running lease keeps its expiry");
        let beat = codex.does("stick.heartbeat", turn.showing(json!({})));
        assert_eq!(beat["heartbeat_interval_ms"], 60_000);
        app.later_minutes(10);
        assert_eq!(codex.room_state(), "stale_owner");
    });
}

#[test]
fn a_policy_that_makes_no_sense_is_refused_with_the_field() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        codex.claim();
        let before = app.everything();
        for (field, value) in [
            ("owner_lease_ttl_ms", json!(99)),
            ("claim_ttl_ms", json!(0)),
            ("presence_ttl_ms", json!(u64::MAX)),
            ("heartbeat_interval_ms", json!(45 * 60 * 1000)),
            ("wait_for_turn_max_wait_ms", json!(50_001)),
            ("wait_for_turn_poll_ms", json!(249)),
        ] {
            let refusal = codex.refused("room.policy", json!({"policy": {field: value}}));
            assert_eq!((&refusal["error"], &refusal["field"]), (&json!("invalid_policy"), &json!(field)));
        }
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn what_changes_a_room_is_for_members_only() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        let before = app.everything();
        for (command, input) in [
            ("room.note", json!({"text": "hello"})),
            ("room.leave", json!({})),
            ("room.close", json!({"expected_turn_id": 0})),
            ("room.reorder", json!({"order": ["codex"]})),
            ("room.policy", json!({"policy": {"claim_ttl_ms": 1000}})),
        ] {
            assert_eq!(stranger.refused(command, input)["error"], "unknown_member", "{command}");
        }
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn a_person_steers_a_room_without_joining_it() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let ana = app.person("human:ana:http");
        ana.enter(&codex.room());
        ana.does("room.note", json!({"text": "look here"}));
        ana.does("room.reorder", json!({"order": ["claude", "codex"]}));
        ana.does("room.policy", json!({"policy": {"claim_ttl_ms": 420_000}}));
        assert_eq!(ana.does("tasks.create", json!({"title": "carts"}))["created_by"], "human:ana:http");
        let state = claude.state();
        assert_eq!(state["room"]["members"], json!(["claude", "codex"]), "the person is none of them");
        assert_eq!(state["policy"]["claim_ttl_ms"], 420_000);
        let turn = codex.claim();
        let close = json!({"expected_turn_id": turn.turn_id});
        assert_eq!(ana.refused("room.close", close.clone())["error"], "stale_lease", "not over the holder");
        codex.release(&turn);
        assert_eq!(ana.does("room.close", close)["state"], "closed");
    });
}

#[test]
fn a_room_has_room_for_256_members() {
    on_every_backend(|app| {
        for number in 0..256 {
            app.agent(&format!("agent:{number}")).join();
        }
        let late = app.agent("agent:256");
        let refusal = late.refused("room.join", json!({"context_path": app.workspace().at("")}));
        assert_eq!((&refusal["error"], &refusal["limit"]), (&json!("too_many_members"), &json!(256)));
    });
}

#[test]
fn a_room_that_is_kept_for_somebody_is_closed_by_those_it_concerns_or_a_person_and_by_nobody_else() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        codex.release(&codex.claim());
        let close = json!({"expected_turn_id": 1, "reason": "mine"});
        let refused = gemini.refused("room.close", close.clone());
        assert_eq!([&refused["error"], &refused["reserved_for"]], ["stale_lease", "claude"], "{refused}");
        assert_eq!(claude.state()["handoff"], handoff("done"), "nothing is lost");
        app.later_minutes(21);
        assert_eq!(gemini.does("room.close", close)["state"], "closed", "the claim has run out");
    });
    for closer in ["codex", "claude", "human:pat"] {
        on_every_backend(|app| {
            let [codex, claude] = app.joined(["codex", "claude"]);
            let pat = app.person("human:pat");
            codex.release(&codex.claim());
            pat.enter(&codex.room());
            let cast = [&codex, &claude, &pat];
            let closer = cast.iter().find(|agent| agent.id().as_str() == closer).unwrap();
            assert_eq!(closer.does("room.close", json!({"expected_turn_id": 1}))["state"], "closed");
        });
    }
}

#[test]
fn members_are_named_by_id_or_by_name_in_every_command() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let name = |agent: &Agent<'_>| agent.entry()["display_name"].as_str().unwrap().to_owned();
        let ordered = codex.does("room.reorder", json!({"order": [name(&gemini), "codex", name(&claude)]}));
        assert_eq!(ordered["members"], json!(["gemini", "codex", "claude"]));
        let refused = codex.refused("room.reorder", json!({"order": ["gemini", name(&gemini), "codex", "No One"]}));
        let told = [&refused["missing"], &refused["repeated"], &refused["unknown"]];
        assert_eq!(told, [&json!(["claude"]), &json!(["gemini"]), &json!(["No One"])]);

        let turn = codex.claim();
        let passed = |to: String| turn.showing(json!({"to_agent_id": to, "handoff": handoff("done")}));
        assert_eq!(codex.refused("stick.pass", passed("No One".to_owned()))["error"], "unknown_member");
        assert_eq!(codex.refused("stick.pass", passed(name(&codex)))["error"], "invalid_target");
        assert_eq!(codex.does("stick.pass", passed(name(&claude)))["reserved_for"], "claude");
        let room = &gemini.state()["room"];
        assert_eq!((&room["reserved_for"], &room["reserved_for_agent"]), (&json!("claude"), &json!(name(&claude))));

        let pat = app.person("human:pat");
        pat.enter(&codex.room());
        assert_eq!(pat.does("bus.remove", json!({"id": name(&gemini)}))["removed"], "gemini");
    });
}

#[test]
fn a_policy_that_cannot_be_kept_is_refused_with_the_reason() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        for (policy, field) in [
            (json!({"presence_ttl_ms": 500}), "presence_ttl_ms"),
            (json!({"heartbeat_interval_ms": 2_700_000}), "heartbeat_interval_ms"),
            (json!({"owner_lease_ttl_ms": 1000}), "heartbeat_interval_ms"),
        ] {
            codex.claim();
            let refused = codex.refused("room.policy", json!({"policy": policy}));
            assert_eq!((&refused["error"], &refused["field"]), (&json!("invalid_policy"), &json!(field)), "{refused}");
            assert!(refused["message"].as_str().unwrap().contains("must be"), "{refused}");
        }
    });
}
