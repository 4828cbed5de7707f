//! Who an agent is, what it is called, and whether it is there.

use std::collections::HashSet;

use baton_core::{ids::AgentName, time::Ttl};
use baton_testkit::{Agent, Backend, TestApp, on_every_backend};
use serde_json::{Value, json};

/// How present an agent is, as another one is told.
fn liveness(viewer: &Agent<'_>, agent: &Agent<'_>) -> String {
    let shown = viewer.does("agent.show", json!({"agent": agent.id()}));
    let listed = viewer.does("agent.list", json!({}));
    let agents = listed["agents"].as_array().expect("a list");
    let entry = agents.iter().find(|entry| entry["agent_id"] == agent.id().as_str()).expect("it is listed");
    assert_eq!(shown["liveness"], entry["liveness"]);
    shown["liveness"].as_str().expect("a text").to_owned()
}

/// What an agent is as time passes, at moments in seconds after its last call.
fn states(app: &TestApp, moments: [u64; 4]) -> Vec<String> {
    let [codex, claude] = app.joined(["codex", "claude"]);
    let mut passed = 0;
    let state = |moment| {
        app.later(Ttl::from_secs(moment - passed));
        passed = moment;
        liveness(&claude, &codex)
    };
    moments.map(state).into()
}

#[test]
fn every_session_gets_a_name_of_its_own_of_an_adjective_and_a_noun() {
    on_every_backend(|app| {
        let names: HashSet<String> = (0..40)
            .map(|number| app.agent(&format!("codex:{number}")).join()["display_name"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(names.len(), 40);
        assert!(
            names.iter().all(|name| name.parse::<AgentName>().is_ok() && name.split('-').count() == 2),
            "{names:?}"
        );
    });
}

#[test]
fn a_name_that_another_has_or_had_is_refused_and_ones_own_is_not() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let registered = codex.does("agent.register", json!({"name": "amber-otter", "role": "reviewer"}));
        assert_eq!((&registered["name"], &registered["changed"]), (&json!("amber-otter"), &json!(true)));
        let again = codex.does("agent.register", json!({"name": "amber-otter"}));
        assert_eq!((&again["role"], &again["changed"]), (&json!("reviewer"), &json!(false)));

        let before = app.everything();
        let refusal = claude.refused("agent.register", json!({"name": "amber-otter"}));
        assert_eq!([&refusal["error"], &refusal["agent_id"]], ["DUPLICATE_AGENT_ID", "codex"]);
        assert_eq!(app.everything(), before);
        app.later_minutes(1);
        codex.does("room.leave", json!({}));
        let refusal = claude.refused("agent.register", json!({"name": "amber-otter"}));
        assert_eq!(refusal["error"], "DUPLICATE_AGENT_ID", "nor a name that somebody had");
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        let refusal = stranger.refused("agent.init", json!({"register": "amber-otter"}));
        assert_eq!(refusal["error"], "DUPLICATE_AGENT_ID", "nor at the beginning of a session");
        assert_eq!(codex.join()["display_name"], "amber-otter", "its own agent is called so again");
        assert_eq!(codex.does("agent.show", json!({}))["role"], "reviewer");

        codex.does("agent.register", json!({"name": "keen-crane"}));
        assert_eq!(codex.does("agent.register", json!({"name": "amber-otter"}))["name"], "amber-otter");
    });
}

#[test]
fn a_name_or_role_that_is_none_is_refused_with_its_field() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let before = app.everything();
        let long = "x".repeat(49);
        for name in ["ab", "Amber-Otter", "amber--otter", "-amber", "amber-", "amber otter", "été", "", &long] {
            for command in ["agent.register", "agent.init"] {
                let input = if command == "agent.init" { json!({"register": name}) } else { json!({"name": name}) };
                let refusal = codex.refused(command, input);
                assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_AGENT_ID", "name"], "{name:?}");
            }
        }
        for role in ["", "Reviewer", "a b", &long] {
            let refusal = codex.refused("agent.register", json!({"role": role}));
            assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_ROLE", "role"], "{role:?}");
        }
        assert_eq!(app.everything(), before);
        for name in ["abc", &long[..48], "a1-b2-c3"] {
            assert_eq!(codex.does("agent.register", json!({"name": name}))["name"], name);
        }
    });
}

#[test]
fn an_agent_is_active_at_14_59_stale_at_15_00_and_29_59_and_evicted_at_30_00() {
    on_every_backend(|app| {
        let moments = [14 * 60 + 59, 15 * 60, 29 * 60 + 59, 30 * 60];
        assert_eq!(states(&app, moments), ["active", "stale", "stale", "evicted"]);
    });
}

#[test]
fn the_environment_says_after_how_many_minutes_an_agent_is_stale() {
    for backend in Backend::ALL {
        for vars in [
            &[("BATON_STALE_MINUTES", "5")][..],
            &[("BB_AGENT_STALE_MINUTES", "5")],
            &[("BATON_STALE_MINUTES", " 5 "), ("BB_AGENT_STALE_MINUTES", "60")],
            &[("BATON_STALE_MINUTES", ""), ("BB_AGENT_STALE_MINUTES", "5")],
        ] {
            let app = TestApp::open_with(*backend, vars);
            assert_eq!(states(&app, [299, 300, 599, 600]), ["active", "stale", "stale", "evicted"], "{vars:?}");
        }
    }
}

#[test]
fn minutes_that_make_no_sense_are_refused_rather_than_guessed() {
    for backend in Backend::ALL {
        for (name, value) in [
            ("BATON_STALE_MINUTES", "0"),
            ("BATON_STALE_MINUTES", "soon"),
            ("BB_AGENT_STALE_MINUTES", "-1"),
            ("BB_AGENT_STALE_MINUTES", "43201"),
        ] {
            let app = TestApp::open_with(*backend, &[(name, value)]);
            let [codex] = app.joined(["codex"]);
            for command in ["agent.list", "agent.heartbeat"] {
                let refusal = codex.refused(command, json!({}));
                assert_eq!((&refusal["error"], &refusal["field"]), (&json!("INVALID_ARGS"), &json!(name)), "{value}");
            }
        }
    }
}

#[test]
fn proof_that_a_process_is_gone_beats_the_clock_and_a_live_one_does_not() {
    on_every_backend(|app| {
        let [codex, gemini] = app.joined_living(["codex", "gemini"]);
        let [claude] = app.joined(["claude"]);
        assert_eq!(liveness(&claude, &codex), "active");
        codex.dies();
        assert_eq!(liveness(&claude, &codex), "evicted", "within the minute");
        assert_eq!(claude.does("agent.show", json!({"agent": "codex"}))["process"], "gone");
        app.later_minutes(15);
        assert_eq!(liveness(&claude, &gemini), "stale");
        assert_eq!(claude.does("agent.show", json!({"agent": "gemini"}))["process"], "alive");
        app.later_minutes(15);
        assert_eq!(liveness(&claude, &gemini), "evicted");
    });
}

#[test]
fn a_heartbeat_says_in_utc_when_the_agent_was_last_seen() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        app.later_minutes(14);
        let name = codex.does("agent.show", json!({}))["name"].clone();
        app.later_minutes(1);
        let beat = codex.does("agent.heartbeat", json!({}));
        let expected = json!({
            "room_id": codex.room(), "agent_id": "codex", "name": name,
            "last_seen_at": "2026-01-01T00:15:00.000Z", "liveness": "active",
        });
        assert_eq!(beat, expected);
        assert_eq!(claude.does("agent.show", json!({"agent": "codex"}))["last_seen_at"], beat["last_seen_at"]);
        assert_eq!(codex.state()["room"]["lease_expires_at"], turn.answer["lease_expires_at"], "it renews no lease");
    });
}

#[test]
fn a_heartbeat_can_be_repeated_and_leaves_nothing_in_the_log() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let before = app.everything();
        app.later_minutes(1);
        let first = codex.does("agent.heartbeat", json!({}));
        for _ in 0..3 {
            assert_eq!(codex.does("agent.heartbeat", json!({})), first);
        }
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn only_an_agents_own_calls_show_that_it_is_there() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let name = codex.does("agent.show", json!({}))["name"].clone();
        app.later_minutes(16);
        let refusal = claude.refused("agent.heartbeat", json!({"agent": name}));
        assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_ARGS", "agent"]);
        for look in ["agent.list", "scope.status", "tasks.list", "room.state", "room.events"] {
            claude.does(look, json!({}));
        }
        claude.does("inbox.send", json!({"to": name, "category": "INFO", "subject": "s", "body": "b"}));
        assert_eq!(liveness(&claude, &codex), "stale");
        for own in [json!(name), json!("codex")] {
            codex.does("agent.heartbeat", json!({"agent": own}));
        }
        assert_eq!(liveness(&claude, &codex), "active");
    });
}

#[test]
fn whoever_is_no_agent_of_the_room_has_no_heartbeat_there() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let stranger = app.agent("stranger");
        stranger.enter(&codex.room());
        assert_eq!(stranger.refused("agent.heartbeat", json!({}))["error"], "AGENT_NOT_FOUND");
        assert_eq!(codex.refused("agent.heartbeat", json!({"agent": "nobody"}))["error"], "AGENT_NOT_FOUND");
        assert_eq!(codex.refused("agent.show", json!({"agent": "nobody"}))["error"], "AGENT_NOT_FOUND");
    });
}

#[test]
fn those_who_left_are_listed_when_asked_for() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let first = codex.does("agent.show", json!({}))["name"].clone();
        codex.does("agent.register", json!({"name": "amber-otter", "role": "tester"}));
        app.later_minutes(1);
        codex.does("room.leave", json!({}));
        let own = claude.does("agent.show", json!({}))["name"].clone();
        let names = |all: bool| -> Vec<Value> {
            let listed = claude.does("agent.list", json!({"all": all}));
            listed["agents"].as_array().unwrap().iter().map(|agent| agent["name"].clone()).collect()
        };
        assert_eq!((names(false), names(true)), (vec![own.clone()], vec![own, json!("amber-otter"), first]));
        assert_eq!(claude.does("agent.show", json!({"agent": "codex"}))["name"], "amber-otter", "its last name");
        let shown = claude.does("agent.show", json!({"agent": "amber-otter"}));
        assert_eq!(
            (&shown["former"], &shown["liveness"], &shown["role"]),
            (&json!(true), &json!("evicted"), &json!("tester"))
        );
    });
}
