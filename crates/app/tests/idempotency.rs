//! A keyed request is carried out once, however often it arrives.

use baton_testkit::{handoff, on_every_backend};
use serde_json::{Value, json};

fn keyed(mut input: Value, key: &str) -> Value {
    input["idempotency_key"] = key.into();
    input
}

#[test]
fn the_same_key_replays_the_first_join() {
    on_every_backend(|app| {
        let codex = app.agent("codex");
        let input = keyed(json!({"context_path": app.workspace().at("")}), "k");
        let first = codex.does("room.join", input.clone());
        let [claude] = app.joined(["claude"]);
        claude.claim();
        assert_eq!(codex.does("room.join", input), first, "as it was then: created, idle, alone");
        assert_eq!(codex.story(), "create join join claim");
    });
}

#[test]
fn the_same_key_replays_the_first_release() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let input = keyed(codex.claim().showing(json!({"handoff": handoff("done")})), "k");
        let first = codex.does("stick.release", input.clone());
        assert_eq!(codex.does("stick.release", input.clone()), first);
        claude.release(&claude.claim());
        assert_eq!(codex.does("stick.release", input), first, "even after the stick has moved on");
        assert_eq!(codex.story(), "create join join claim release claim release");
    });
}

#[test]
fn the_same_key_replays_the_first_takeover() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        app.later_minutes(45);
        let input = keyed(claude.taking(), "k");
        let first = claude.does("stick.takeover", input.clone());
        assert_eq!(claude.does("stick.takeover", input), first);
        assert_eq!(codex.story(), "create join join claim takeover");
    });
}

#[test]
fn the_same_key_replays_the_first_note() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let input = keyed(json!({"text": "once"}), "k");
        let first = codex.does("room.note", input.clone());
        assert_eq!(codex.does("room.note", input), first);
        assert_eq!(codex.story(), "create join note");
    });
}

#[test]
fn the_same_key_replays_the_first_grant_of_a_wait() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let input = keyed(json!({"max_wait_ms": 0}), "k");
        let first = codex.does("stick.wait", input.clone());
        assert_eq!(first["status"], "your_turn");
        assert_eq!(codex.does("stick.wait", input.clone()), first, "while the turn lasts");
        codex.release(&baton_testkit::Turn::of(first.clone()));
        assert_eq!(codex.does("stick.wait", input.clone()), first, "after it was given up");
        claude.release(&claude.claim());
        assert_eq!(codex.does("stick.wait", input), first, "and when the stick is kept for the caller again");
        assert_eq!(codex.story(), "create join join claim release claim release", "no retry claims anything");
    });
}

#[test]
fn a_key_does_not_grant_a_process_the_turn_of_the_one_before_it() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined_living(["codex", "claude"]);
        let input = keyed(json!({"max_wait_ms": 0}), "k");
        assert_eq!(codex.does("stick.wait", input.clone())["status"], "your_turn");
        codex.dies();
        let taken = claude.take();
        let back = codex.second_process("codex:2");
        assert_eq!(back.does("stick.wait", input)["status"], "not_yet", "{} holds it", taken.turn_id);
    });
}

#[test]
fn an_answer_that_granted_nothing_is_not_remembered() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        let input = keyed(json!({"max_wait_ms": 0}), "k");
        assert_eq!(claude.does("stick.wait", input.clone())["status"], "not_yet");
        codex.release(&turn);
        assert_eq!(claude.does("stick.wait", input)["status"], "your_turn");
    });
}

#[test]
fn a_different_request_under_the_same_key_is_a_conflict() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        codex.does("room.note", keyed(json!({"text": "one"}), "k"));
        let before = app.everything();
        let conflicts = [
            ("room.note", json!({"text": "two"})),
            ("room.leave", json!({})),
            ("room.policy", json!({"policy": {"claim_ttl_ms": 1000}})),
            ("room.join", json!({"context_path": app.workspace().at("")})),
            ("stick.wait", json!({"max_wait_ms": 0})),
        ];
        for (command, input) in conflicts {
            let refusal = codex.refused(command, keyed(input, "k"));
            assert_eq!([&refusal["error"], &refusal["idempotency_key"]], ["idempotency_conflict", "k"]);
        }
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn a_join_that_conflicts_does_not_change_who_the_connection_is() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let join = |id: &str| keyed(json!({"context_path": app.workspace().at(""), "agent_id_override": id}), "k");
        codex.does("room.join", join("tester:1"));
        let mut other = join("tester:1");
        other["force_new"] = true.into();
        assert_eq!(codex.refused("room.join", other)["error"], "idempotency_conflict");
        assert_eq!(codex.id().as_str(), "tester:1");
        let [full] = app.joined(["full"]);
        full.does("room.close", json!({"expected_turn_id": 0}));
        (0..256).for_each(|number| drop(app.joined([format!("member:{number}").as_str()])));
        let late = json!({"context_path": app.workspace().at(""), "agent_id_override": "tester:3"});
        assert_eq!(codex.refused("room.join", late)["error"], "too_many_members");
        assert_eq!(codex.id().as_str(), "tester:1");
        let nowhere = json!({"context_path": app.workspace().at("missing"), "agent_id_override": "tester:2"});
        assert_eq!(codex.refused("room.join", nowhere)["error"], "path_not_found");
        assert_eq!(codex.id().as_str(), "tester:1");
    });
}

#[test]
fn keys_belong_to_the_agent_who_used_them() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.does("room.note", keyed(json!({"text": "mine"}), "k"));
        claude.does("room.note", keyed(json!({"text": "mine too"}), "k"));
        assert_eq!(codex.story(), "create join join note note");
    });
}

#[test]
fn refused_requests_are_not_remembered() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        let input = keyed(claude.taking(), "k");
        assert_eq!(claude.refused("stick.takeover", input.clone())["error"], "takeover_unavailable");
        app.later_minutes(45);
        claude.does("stick.takeover", input);
    });
}

#[test]
fn a_key_is_remembered_for_a_week() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let input = keyed(json!({"text": "once a week"}), "k");
        codex.does("room.note", input.clone());
        app.later_minutes(7 * 24 * 60);
        codex.does("room.note", input.clone());
        assert_eq!(codex.story(), "create join note");
        app.later_minutes(1);
        codex.does("room.note", keyed(json!({"text": "sweeps"}), "another"));
        codex.does("room.note", input);
        assert_eq!(codex.story(), "create join note note note");
    });
}

#[test]
fn an_empty_or_oversized_key_is_refused_by_every_command_that_takes_one() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let before = app.everything();
        for key in [String::new(), "k".repeat(129)] {
            for (command, input) in [("room.note", json!({"text": "x"})), ("stick.wait", json!({"max_wait_ms": 0}))] {
                let refusal = codex.refused(command, keyed(input, &key));
                assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_INPUT", "idempotency_key"]);
            }
        }
        assert_eq!(app.everything(), before);
        codex.does("room.note", keyed(json!({"text": "x"}), &"k".repeat(128)));
    });
}
