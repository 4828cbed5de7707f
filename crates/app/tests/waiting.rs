//! Waits that block, and what ends them. Nothing here sleeps: a wait is started in a thread, and joined.

use std::thread;

use baton_app::Cancel;
use baton_core::time::Ttl;
use baton_testkit::{Turn, handoff, on_every_backend};
use serde_json::{Value, json};

#[test]
fn a_member_who_comes_back_to_an_empty_room_is_told_what_it_may_do_and_not_that_nobody_is_there() {
    on_every_backend(|app| {
        let [codex, _claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let turn = codex.claim();
        codex.release(&turn);
        app.later_minutes(5 * 60);
        let open = gemini.wait();
        let told = [&open["status"], &open["reason"], &open["room_state"]];
        assert_eq!(told, ["takeover_available", "claim_timeout", "reserved"]);
        assert_eq!(gemini.entry()["status"], "active");
    });
}

#[test]
fn a_wait_longer_than_a_client_would_allow_is_refused_and_says_the_most() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let refusal = codex.refused("stick.wait", json!({"max_wait_ms": 50_001}));
        assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_INPUT", "max_wait_ms"]);
    });
}

#[test]
fn a_wait_is_woken_by_a_release_elsewhere_and_claims() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let elsewhere = app.beside();
        let turn = codex.claim();
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({}));
            codex.through(&elsewhere).release(&turn);
            let answer = waiting.join().unwrap().unwrap();
            assert_eq!((&answer["status"], &answer["turn_id"]), (&json!("your_turn"), &json!(2)));
            assert_eq!(answer["handoff"], handoff("done"));
        });
    });
}

#[test]
fn of_many_waiting_only_the_next_one_is_granted_and_the_others_wait_on() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let turn = codex.claim();
        thread::scope(|scope| {
            let second = claude.waits_in(scope, json!({}));
            let third = gemini.waits_in(scope, json!({}));
            codex.release(&turn);
            let turn = Turn::of(second.join().unwrap().unwrap());
            assert!(!third.is_finished());
            claude.release(&turn);
            assert_eq!(third.join().unwrap().unwrap()["turn_id"], 3);
        });
    });
}

#[test]
fn a_wait_ends_when_its_time_is_up_and_says_who_has_the_stick() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        let answer = claude.does("stick.wait", json!({"max_wait_ms": 30}));
        let Value::Object(mut fields) = answer else { panic!() };
        fields.remove("next");
        let expected = json!({
            "status": "not_yet", "cursor": "4", "room_state": "owned", "turn_id": 1, "owner": "codex",
            "reserved_for": null, "lease_expires_at": turn.answer["lease_expires_at"], "claim_expires_at": null,
        });
        assert_eq!(Value::Object(fields), expected);
    });
}

#[test]
fn a_wait_that_does_not_say_how_long_lasts_as_long_as_the_policy_says() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        codex.does("room.policy", json!({"policy": {"wait_for_turn_max_wait_ms": 10}}));
        assert_eq!(claude.does("stick.wait", json!({}))["status"], "not_yet");
    });
}

#[test]
fn a_wait_is_woken_when_the_owners_process_is_killed() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined_living(["codex", "claude"]);
        codex.claim();
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({}));
            codex.dies();
            let answer = waiting.join().unwrap().unwrap();
            assert_eq!([&answer["status"], &answer["reason"]], ["takeover_available", "owner_gone"]);
            assert_eq!([&answer["current_owner"], &answer["room_state"]], ["codex", "owner_gone"]);
        });
    });
}

#[test]
fn a_wait_is_woken_when_the_recipients_process_is_killed() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined_living(["codex", "claude", "gemini"]);
        codex.release(&codex.claim());
        thread::scope(|scope| {
            let waiting = gemini.waits_in(scope, json!({}));
            claude.dies();
            let answer = waiting.join().unwrap().unwrap();
            assert_eq!([&answer["status"], &answer["reason"]], ["takeover_available", "recipient_gone"]);
        });
    });
}

#[test]
fn a_wait_notices_the_moment_a_lease_runs_out() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        app.set_policy(&codex.room(), json!({"owner_lease_ttl_ms": 100, "heartbeat_interval_ms": 10}));
        codex.claim();
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({}));
            app.later_minutes(1);
            let answer = waiting.join().unwrap().unwrap();
            assert_eq!([&answer["status"], &answer["reason"]], ["takeover_available", "owner_timeout"]);
        });
    });
}

#[test]
fn a_second_wait_of_the_same_member_is_a_duplicate_listener() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let elsewhere = app.beside();
        let turn = codex.claim();
        thread::scope(|scope| {
            let mut waiting = claude.waits_in(scope, json!({}));
            // The file shows that the wait began; the seat is its own a moment later, unless this one had it just then.
            let refusal = loop {
                match claude.through(&elsewhere).call("stick.wait", json!({"max_wait_ms": 1})) {
                    Ok(_) if waiting.is_finished() => waiting = claude.waits_in(scope, json!({})),
                    Ok(_) => thread::yield_now(),
                    Err(failure) => break failure.to_json(),
                }
            };
            assert_eq!(refusal["error"], "duplicate_listener");
            assert_eq!(claude.wait()["status"], "not_yet", "asking once is no second listener");
            codex.release(&turn);
            waiting.join().unwrap().unwrap();
        });
        claude.release(&Turn::of(claude.wait()));
        assert_eq!(claude.does("stick.wait", json!({"max_wait_ms": 1}))["status"], "not_yet", "the seat is free again");
    });
}

#[test]
fn a_parked_wait_never_claims_an_idle_room() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        for max_wait_ms in [0, 20] {
            let answer = codex.does("stick.wait", json!({"park": true, "max_wait_ms": max_wait_ms}));
            assert_eq!([&answer["status"], &answer["room_state"]], ["not_yet", "idle"]);
        }
        assert_eq!(codex.story(), "create join");
    });
}

#[test]
fn a_parked_wait_is_told_that_the_stick_is_kept_for_it_and_does_not_claim() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        thread::scope(|scope| {
            let parked = claude.waits_in(scope, json!({"park": true}));
            codex.release(&turn);
            let answer = parked.join().unwrap().unwrap();
            assert_eq!([&answer["status"], &answer["reserved_for"]], ["not_yet", "claude"]);
        });
        assert_eq!(codex.story(), "create join join claim release");
        claude.claim();
    });
}

#[test]
fn with_a_cursor_a_wait_returns_when_the_stick_has_moved_since() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let turn = codex.claim();
        let cursor = gemini.wait()["cursor"].clone();
        codex.release(&turn);
        let late = gemini.does("stick.wait", json!({"cursor": cursor, "max_wait_ms": 50_000}));
        assert_eq!([&late["status"], &late["reserved_for"]], ["not_yet", "claude"], "at once");
        thread::scope(|scope| {
            let waiting = gemini.waits_in(scope, json!({"cursor": late["cursor"]}));
            claude.claim();
            assert_eq!(waiting.join().unwrap().unwrap()["owner"], "claude");
        });
    });
}

#[test]
fn notes_and_joins_do_not_end_a_wait_with_a_cursor() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        let cursor = claude.wait()["cursor"].clone();
        codex.does("room.note", json!({"text": "still at it"}));
        let cancel = Cancel::new().unwrap();
        let listener = claude.on_call(cancel.clone());
        thread::scope(|scope| {
            let waiting = listener.waits_in(scope, json!({"cursor": cursor}));
            app.joined(["gemini"]);
            codex.does("room.note", json!({"text": "and on"}));
            cancel.ring();
            assert_eq!(waiting.join().unwrap().unwrap_err().to_json()["error"], "canceled", "it was still waiting");
        });
    });
}

#[test]
fn a_stick_that_moved_behind_hundreds_of_notes_is_still_noticed() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let turn = codex.claim();
        let cursor = gemini.wait()["cursor"].clone();
        for _ in 0..200 {
            claude.does("room.note", json!({"text": "chatter"}));
        }
        codex.release(&turn);
        let cancel = Cancel::new().unwrap();
        let listener = gemini.on_call(cancel.clone());
        thread::scope(|scope| {
            let waiting = listener.waits_in(scope, json!({"cursor": cursor}));
            // It needs no wake; if it went to sleep all the same, this ends it.
            cancel.ring();
            assert_eq!(waiting.join().unwrap().unwrap()["reserved_for"], "claude");
        });
    });
}

#[test]
fn a_wait_that_is_withdrawn_ends_at_once_and_changes_nothing() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        let before = app.everything();
        let cancel = Cancel::new().unwrap();
        let listener = claude.on_call(cancel.clone());
        thread::scope(|scope| {
            let waiting = listener.waits_in(scope, json!({}));
            cancel.ring();
            assert_eq!(waiting.join().unwrap().unwrap_err().to_json()["error"], "canceled");
        });
        assert_eq!(app.everything(), before);
        assert_eq!(claude.does("stick.wait", json!({"max_wait_ms": 1}))["status"], "not_yet", "and the seat is free");
    });
}

#[test]
fn a_member_removed_while_waiting_gets_unknown_member_and_not_the_stick() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({}));
            claude.does("room.leave", json!({}));
            let failure = waiting.join().unwrap().unwrap_err();
            assert_eq!(failure.to_json()["error"], "unknown_member");
        });
        assert_eq!(codex.release(&turn)["state"], "idle");
    });
}

#[test]
fn closing_the_room_ends_a_wait() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({}));
            codex.does("room.close", turn.showing(json!({})));
            assert_eq!(waiting.join().unwrap().unwrap()["status"], "closed");
        });
    });
}

#[test]
fn waiting_reads_and_does_not_write() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        let store = app.place().open();
        let written = || store.info().unwrap().wal_bytes;
        let before = written();
        for _ in 0..3 {
            claude.does("stick.wait", json!({"max_wait_ms": 1}));
        }
        assert_eq!(written(), before);
    });
}

#[test]
fn a_takeover_that_is_known_is_waited_out_until_something_else_happens() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        let turn = codex.claim();
        app.later_minutes(46);
        let open = claude.wait();
        assert_eq!(open["status"], "takeover_available");
        let cursor = open["cursor"].clone();
        assert_eq!(
            claude.does("stick.wait", json!({"cursor": cursor, "max_wait_ms": 20}))["status"],
            "takeover_available"
        );
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({"cursor": cursor}));
            assert!(!waiting.is_finished(), "what is known already is no answer");
            gemini.does("room.note", json!({"text": "still there?"}));
            codex.release(&turn);
            assert_eq!(waiting.join().unwrap().unwrap()["status"], "your_turn");
        });
    });
    on_every_backend(|app| {
        let [codex, claude] = app.joined_living(["codex", "claude"]);
        codex.claim();
        app.later_minutes(46);
        let cursor = claude.wait()["cursor"].clone();
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({"cursor": cursor}));
            codex.dies();
            let answer = waiting.join().unwrap().unwrap();
            let told = [&answer["status"], &answer["reason"]];
            assert_eq!(told, ["takeover_available", "owner_gone"], "another reason is something new");
            assert_ne!(answer["cursor"], cursor);
        });
    });
}

#[test]
fn an_owner_that_came_back_and_fell_silent_again_can_be_taken_over_once_more() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        app.later_minutes(46);
        let cursor = claude.wait()["cursor"].clone();
        codex.does("stick.heartbeat", turn.showing(json!({})));
        assert_eq!(claude.does("stick.wait", json!({"cursor": cursor, "max_wait_ms": 0}))["status"], "not_yet");
        app.later_minutes(46);
        let again = claude.does("stick.wait", json!({"cursor": cursor}));
        assert_eq!((&again["status"], again["cursor"] == cursor), (&json!("takeover_available"), false));
    });
}

#[test]
fn the_wait_of_who_lets_a_takeover_be_ends_when_the_owner_is_back() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        app.later_minutes(46);
        let cursor = claude.wait()["cursor"].clone();
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({"cursor": cursor}));
            codex.does("stick.heartbeat", turn.showing(json!({})));
            let answer = waiting.join().unwrap().unwrap();
            assert_eq!([&answer["status"], &answer["room_state"]], ["not_yet", "owned"], "{answer}");
        });
    });
}

#[test]
fn a_message_ends_the_wait_of_who_lets_a_takeover_be() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        app.later_minutes(46);
        let cursor = claude.wait()["cursor"].clone();
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({"cursor": cursor}));
            codex.does(
                "inbox.send",
                json!({"to": "claude", "category": "INFO", "subject": "a moment", "body": "please"}),
            );
            let answer = waiting.join().unwrap().unwrap();
            assert_eq!(
                (&answer["status"], &answer["new_message"]),
                (&json!("takeover_available"), &json!(true)),
                "{answer}"
            );
        });
    });
}

#[test]
fn who_waits_is_present_however_short_presence_is() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        codex.does("room.policy", json!({"policy": {"presence_ttl_ms": 1000}}));
        thread::scope(|scope| {
            let waiting = claude.waits_in(scope, json!({}));
            // The store's clock stands still; it goes on only by what is said here.
            for _ in 0..3 {
                let seen = || app.stored(&codex.room()).member(&claude.id()).unwrap().last_seen_at;
                app.later(Ttl::from_millis(900));
                while seen() < app.now() {
                    thread::yield_now();
                }
            }
            assert_eq!(codex.release(&turn)["reserved_for"], "claude");
            assert_eq!(waiting.join().unwrap().unwrap()["status"], "your_turn");
        });
    });
}
