//! Timeouts, deaths and takeovers, with real processes.

use baton_testkit::{Agent, TestApp, Turn, handoff, on_every_backend};
use serde_json::{Value, json};

/// codex held the stick and released it; it is reserved for claude, and the claim has run out.
fn missed_recipient<'a, const N: usize>(app: &'a TestApp, names: [&str; N]) -> [Agent<'a>; N] {
    let cast = app.joined(names);
    cast[0].release(&cast[0].claim());
    app.later_minutes(20);
    cast
}

fn takeover_reason(agent: &Agent<'_>) -> Value {
    let answer = agent.wait();
    assert_eq!(answer["status"], "takeover_available", "{answer}");
    let state = agent.state();
    assert_eq!(state["takeover"], json!({"available": true, "reason": answer["reason"]}), "both tell the same");
    assert_eq!(state["room"]["state"], answer["room_state"]);
    answer["reason"].clone()
}

#[test]
fn claim_timeout_and_takeover() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = missed_recipient(&app, ["codex", "claude", "gemini"]);
        assert_eq!(codex.room_state(), "reserved", "a missed claim is still a reservation");
        assert_eq!(takeover_reason(&gemini), "claim_timeout");
        let turn = gemini.take();
        assert_eq!((turn.turn_id, &turn.answer["basis"]), (2, &json!("claim_timeout")));
        assert_eq!(claude.wait()["status"], "not_yet");
    });
}

#[test]
fn prior_owner_rejected_on_claim_timeout_takeover_when_another_active_candidate_exists() {
    on_every_backend(|app| {
        let [codex, _claude, _gemini] = missed_recipient(&app, ["codex", "claude", "gemini"]);
        assert_eq!(codex.state()["takeover"], json!({"available": false}));
        let refusal = codex.refused("stick.takeover", codex.taking());
        assert_eq!((&refusal["error"], &refusal["candidates"]), (&json!("prior_owner"), &json!(["gemini"])));
    });
}

#[test]
fn prior_owner_allowed_on_claim_timeout_takeover_when_no_other_active_candidate_exists() {
    on_every_backend(|app| {
        let [codex, _claude] = missed_recipient(&app, ["codex", "claude"]);
        assert_eq!(takeover_reason(&codex), "claim_timeout");
        codex.take();
    });
    on_every_backend(|app| {
        let [codex, _claude, _gemini] = missed_recipient(&app, ["codex", "claude", "gemini"]);
        app.later_minutes(4 * 60);
        codex.take();
    });
}

#[test]
fn owner_timeout_and_takeover() {
    on_every_backend(|app| {
        let [claude, codex] = app.joined(["claude", "codex"]);
        let old = claude.claim();
        app.later_minutes(44);
        assert_eq!(codex.wait()["status"], "not_yet");
        let refusal = codex.refused("stick.takeover", codex.taking());
        assert_eq!(refusal["error"], "takeover_unavailable");
        assert_eq!(refusal["available_at"], codex.state()["room"]["lease_expires_at"]);
        app.later_minutes(1);
        assert_eq!(takeover_reason(&codex), "owner_timeout");
        assert_eq!(codex.room_state(), "stale_owner");
        codex.take();
        for (command, rest) in [("stick.heartbeat", json!({})), ("stick.release", json!({"handoff": handoff("late")}))]
        {
            assert_eq!(claude.refused(command, old.showing(rest))["error"], "turn_mismatch", "{command}");
        }
    });
}

#[test]
fn owner_process_gone_yields_immediate_owner_gone_takeover_availability() {
    on_every_backend(|app| {
        let [claude, codex] = app.joined_living(["claude", "codex"]);
        claude.claim();
        assert_eq!(codex.wait()["status"], "not_yet");
        claude.dies();
        assert_eq!(takeover_reason(&codex), "owner_gone");
        assert_eq!(codex.room_state(), "owner_gone");
        assert_eq!(claude.entry()["process"], "gone");
        let turn = codex.take();
        assert_eq!([&turn.answer["basis"], &turn.answer["revoked_agent_id"]], ["owner_gone", "claude"]);
        let log = codex.does("room.events", json!({"limit": 1}));
        assert_eq!(log["events"][0]["proof"], "exited", "the proof is stored with the decision");
        assert_eq!(log["events"][0]["reason"], "no answer");
    });
}

#[test]
fn reserved_recipient_process_gone_yields_immediate_recipient_gone_takeover_availability() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined_living(["codex", "claude", "gemini"]);
        codex.release(&codex.claim());
        claude.dies();
        assert_eq!(takeover_reason(&gemini), "recipient_gone");
        assert_eq!(takeover_reason(&codex), "recipient_gone", "the guard of the prior owner is for timeouts only");
        codex.take();
    });
}

#[test]
fn original_reserved_recipient_claims_after_claim_timeout_but_before_takeover() {
    on_every_backend(|app| {
        let [_codex, claude, gemini] = missed_recipient(&app, ["codex", "claude", "gemini"]);
        assert_eq!(takeover_reason(&gemini), "claim_timeout");
        assert_eq!(claude.claim().turn_id, 2);
        assert_eq!(gemini.refused("stick.takeover", gemini.taking())["error"], "takeover_unavailable");
    });
}

#[test]
fn expired_owner_heartbeats_after_lease_timeout_but_before_takeover() {
    on_every_backend(|app| {
        let [claude, codex] = app.joined(["claude", "codex"]);
        let turn = claude.claim();
        app.later_minutes(50);
        assert_eq!(takeover_reason(&codex), "owner_timeout");
        claude.does("stick.heartbeat", turn.showing(json!({})));
        assert_eq!((claude.room_state().as_str(), &codex.wait()["status"]), ("owned", &json!("not_yet")));
        app.later_minutes(50);
        claude.release(&turn);
        codex.claim();
    });
}

#[test]
fn dead_owner_or_dead_reserved_recipient_cannot_reclaim_after_exact_process_gone_detection() {
    on_every_backend(|app| {
        let [claude, codex] = app.joined_living(["claude", "codex"]);
        let turn = claude.claim();
        claude.dies();
        codex.state();
        let before = app.everything();
        let attempts = [
            ("stick.heartbeat", turn.showing(json!({})), "stale_lease"),
            ("stick.release", turn.showing(json!({"handoff": handoff("x")})), "stale_lease"),
            ("stick.pass", turn.showing(json!({"handoff": handoff("x"), "to_agent_id": "codex"})), "stale_lease"),
            ("stick.takeover", claude.taking(), "takeover_unavailable"),
        ];
        for (command, input, code) in attempts {
            assert_eq!(claude.refused(command, input)["error"], code, "{command}");
        }
        assert_eq!(claude.wait()["status"], "not_yet");
        assert_eq!(app.everything(), before);

        codex.take();
        assert_eq!(claude.wait()["status"], "not_yet");
    });
}

#[test]
fn dead_reserved_recipient_cannot_claim() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined_living(["codex", "claude"]);
        codex.release(&codex.claim());
        claude.dies();
        codex.state();
        let before = app.everything();
        assert_eq!(claude.wait()["status"], "not_yet");
        assert_eq!(claude.refused("stick.takeover", claude.taking())["error"], "takeover_unavailable");
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn a_stopped_owner_is_alive_and_loses_the_stick_only_by_timeout_and_takeover() {
    on_every_backend(|app| {
        let [claude, codex] = app.joined_living(["claude", "codex"]);
        let turn = claude.claim();
        claude.stops();
        assert_eq!((codex.room_state().as_str(), &claude.entry()["process"]), ("owned", &json!("alive")));
        app.later_minutes(45);
        assert_eq!(takeover_reason(&codex), "owner_timeout");
        let taken = codex.take();
        claude.resumes();
        let refusal = claude.refused("stick.release", turn.showing(json!({"handoff": handoff("late")})));
        assert_eq!(refusal["error"], "turn_mismatch");
        assert_eq!((&refusal["current_owner"], &refusal["current_turn_id"]), (&json!("codex"), &json!(taken.turn_id)));
    });
}

#[test]
fn a_later_process_of_the_same_agent_takes_over_and_does_not_inherit() {
    on_every_backend(|app| {
        let [claude] = app.joined_living(["claude"]);
        let turn = claude.claim();
        claude.dies();
        let successor = app.living_agent("claude");
        successor.join();
        let inherited = successor.refused("stick.release", turn.showing(json!({"handoff": handoff("x")})));
        assert_eq!(inherited["error"], "stale_lease");
        assert_eq!(takeover_reason(&successor), "owner_gone", "so a room of one is never stuck");
        assert_eq!(successor.take().turn_id, 2);
    });
}

#[test]
fn dormant_rooms_remain_readable_and_resumable_rather_than_auto_closing() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        codex.release(&codex.claim());
        let reader = app.agent("reader");
        reader.enter(&codex.room());
        app.later_minutes(30 * 24 * 60);
        assert_eq!(reader.room_state(), "dormant");
        assert_eq!(reader.state()["members"][0]["status"], "inactive");
        assert_eq!(reader.story(), "create join claim release");
        let [claude] = app.joined(["claude"]);
        assert_eq!(claude.room(), codex.room());
        assert_eq!(claude.claim().answer["handoff"], handoff("done"), "resumed where it was left");
    });
}

#[test]
fn event_log_reconstruction_after_takeover() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined_living(["codex", "claude", "gemini"]);
        codex.does("stick.release", codex.claim().showing(json!({"handoff": handoff("one")})));
        claude.does("stick.release", claude.claim().showing(json!({"handoff": handoff("two")})));
        gemini.claim();
        gemini.dies();
        let taken = codex.take();
        assert_eq!(taken.answer.get("handoff"), None, "the dead one wrote none");
        assert_eq!(codex.state()["handoff"], handoff("two"), "the one that it did not act on to the end");
        let log = codex.does("room.events", json!({}));
        let told = |event: &Value| (event["event_type"] == "release").then(|| event["handoff"]["status"].clone());
        let handoffs: Vec<_> = log["events"].as_array().unwrap().iter().filter_map(told).collect();
        assert_eq!(handoffs, ["two", "one"], "newest first");
    });
}

#[test]
fn a_takeover_needs_a_reason_the_current_turn_and_a_member() {
    on_every_backend(|app| {
        let [_codex, _claude, gemini] = missed_recipient(&app, ["codex", "claude", "gemini"]);
        let stranger = app.agent("stranger");
        stranger.enter(&gemini.room());
        let before = app.everything();
        let take = |turn: u64, reason: &str| json!({"expected_turn_id": turn, "reason": reason});
        assert_eq!(gemini.refused("stick.takeover", take(0, "late"))["error"], "turn_mismatch");
        let refusal = gemini.refused("stick.takeover", take(1, " \u{200b}"));
        assert_eq!([&refusal["error"], &refusal["field"]], ["invalid_reason", "reason"]);
        assert_eq!(stranger.refused("stick.takeover", take(1, "late"))["error"], "unknown_member");
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn a_member_who_calls_from_a_new_process_after_the_old_one_died_is_back_without_joining_again() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined_living(["codex", "claude"]);
        claude.dies();
        assert_eq!(codex.room_state(), "idle");
        let successor = app.living_agent("claude");
        successor.enter(&codex.room());
        successor.state();
        assert_eq!((&successor.entry()["process"], &successor.entry()["status"]), (&json!("alive"), &json!("active")));
        assert_eq!(codex.story(), "create join join leave join", "it was retired, and its return is in the log");
        assert_eq!(codex.release(&codex.claim())["reserved_for"], "claude");
        assert_eq!(codex.room_state(), "reserved");
        successor.claim();
    });
}

/// Fills more than a page of the log with other things.
fn chatter(agent: &Agent<'_>) {
    for number in 0..11 {
        agent.does("scope.reserve", json!({"scopes": [format!("{}/{number}", agent.id())]}));
        agent.does("room.note", json!({"text": format!("note {number}")}));
    }
}

#[test]
fn after_a_takeover_the_last_handoff_stays_in_the_rooms_state_until_the_next_release() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined_living(["codex", "claude", "gemini"]);
        let released = codex.release(&codex.claim());
        claude.claim();
        chatter(&gemini);
        claude.dies();
        let taken = gemini.take();
        assert_eq!(taken.answer["handoff_event_seq"], released["event_seq"]);
        let next = taken.answer["next"].as_str().unwrap();
        assert!(next.contains(&format!("event {}", released["event_seq"])), "{next}");
        for turns in 0..2 {
            let state = gemini.state();
            assert_eq!(state["handoff"], handoff("done"), "after {turns} more takeovers");
            assert_eq!(
                (&state["handoff_from"], &state["handoff_event_seq"]),
                (&json!("codex"), &released["event_seq"])
            );
            let lost = if turns == 0 { "claude" } else { "gemini" };
            assert_eq!(state["revoked_agent_id"], lost);
            assert_eq!(state["room"]["pending_handoff_event_seq"], Value::Null, "nobody is to claim it any more");
            app.later_minutes(45);
            if turns == 0 {
                codex.take();
            }
        }
        let again = codex.wait();
        assert_eq!((&again["reason"], &again["handoff"]), (&json!("takeover"), &handoff("done")));
        codex.does("stick.release", Turn::of(again).showing(json!({"handoff": handoff("all of it")})));
        let state = gemini.state();
        assert_eq!((&state["handoff"], &state["revoked_agent_id"]), (&handoff("all of it"), &Value::Null));
        assert_eq!(app.folded(&codex.room()), app.stored(&codex.room()));
    });
}

#[test]
fn a_takeover_of_a_stick_that_was_kept_finds_the_handoff_and_a_first_one_is_told_that_there_is_none() {
    on_every_backend(|app| {
        let [_, claude, gemini] = missed_recipient(&app, ["codex", "claude", "gemini"]);
        gemini.take();
        let state = gemini.state();
        assert_eq!((&state["handoff"], &state["revoked_agent_id"]), (&handoff("done"), &json!("claude")));
        assert_eq!(claude.state()["handoff"], handoff("done"));
    });
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        app.later_minutes(46);
        let taken = claude.take().answer;
        assert!(taken.get("handoff_event_seq").is_none() && taken["next"].as_str().unwrap().contains("no handoff yet"));
        assert_eq!((&claude.state()["handoff"], &claude.state()["revoked_agent_id"]), (&Value::Null, &json!("codex")));
    });
}

#[test]
fn the_log_is_read_by_kind_and_by_pages_of_that_kind() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        for round in 0..3 {
            let (one, other) = if round % 2 == 0 { (&codex, &claude) } else { (&claude, &codex) };
            one.release(&one.claim());
            chatter(other);
            one.does("inbox.send", json!({"to": other.id(), "category": "INFO", "subject": "s", "body": "b"}));
            other.does("inbox.send", json!({"to": one.id(), "category": "DECISION", "subject": "s", "body": "b"}));
        }
        let words = |page: &Value| -> Vec<String> {
            let word = |event: &Value| event["event_type"].as_str().unwrap().to_owned();
            page["events"].as_array().unwrap().iter().map(word).collect()
        };
        let read = |input: Value| codex.does("room.events", input);
        let handoffs = read(json!({"handoffs": true}));
        assert_eq!(words(&handoffs), ["release"; 3]);
        assert!(handoffs["events"].as_array().unwrap().iter().all(|event| event["handoff"] == handoff("done")));
        assert_eq!(handoffs["agents"].as_object().unwrap().len(), 2, "{}", handoffs["agents"]);
        assert_eq!(
            words(&read(json!({"types": ["claim", "stick.release"], "after": 0}))),
            ["claim", "release"].repeat(3)
        );
        assert_eq!(words(&read(json!({"types": ["DECISION"]}))), ["DECISION"; 3]);
        assert_eq!(words(&read(json!({"types": ["message.send"]}))).len(), 6);
        for direction in ["before", "after"] {
            let (mut found, mut place) = (Vec::new(), json!(if direction == "after" { 0 } else { 100_000 }));
            loop {
                let page = read(json!({"types": ["DECISION"], "limit": 1, direction: place}));
                found.extend(words(&page));
                match page.get("cursor") {
                    Some(cursor) => place = cursor.clone(),
                    None => break,
                }
            }
            assert_eq!(found, ["DECISION"; 3], "{direction}");
        }
        for beyond in [u64::MAX, 1 << 40] {
            assert!(words(&read(json!({"types": ["DECISION"], "after": beyond}))).is_empty());
            assert_eq!(words(&read(json!({"types": ["DECISION"], "before": beyond}))).len(), 3);
        }
        assert!(words(&read(json!({"types": ["DECISION"], "before": 0}))).is_empty());
        // More of another category than one query answers with.
        for _ in 0..520 {
            codex.does("inbox.send", json!({"to": "broadcast", "category": "INFO", "subject": "s", "body": "b"}));
        }
        let last = read(json!({"types": ["DECISION"], "limit": 1}));
        assert_eq!((words(&last), &last["has_more"]), (vec!["DECISION".to_owned()], &json!(true)));
        assert_eq!(words(&read(json!({"types": ["stick.release"], "limit": 1}))), ["release"]);
        let refused = codex.refused("room.events", json!({"types": ["release", "sleepy"]}));
        assert_eq!([&refused["error"], &refused["field"]], ["INVALID_INPUT", "types[1]"], "{refused}");
        assert!(refused["known_types"].as_array().unwrap().contains(&json!("stick.release")));
    });
}
