//! Reservations of paths through the table: how long they last, who may have them, and what paths mean.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::{Caller, doctor};
use baton_core::time::Ttl;
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

/// Reserves one scope for the usual time.
fn reserve(agent: &Agent<'_>, scope: &str) -> Value {
    agent.does("scope.reserve", json!({"scopes": [scope]}))["reserved"][0].clone()
}

fn taking(scope: &str) -> Value {
    json!({"scopes": [scope], "takeover_stale": true})
}

/// The scopes in force, and whose they are.
fn in_force(agent: &Agent<'_>) -> Value {
    let status = agent.does("scope.status", json!({}));
    status["scopes"].as_array().unwrap().iter().map(|found| json!([found["scope"], found["owner"]])).collect()
}

/// What ended and how, the last first.
fn archive(agent: &Agent<'_>) -> Value {
    let status = agent.does("scope.status", json!({"all": true}));
    let ended = status["archived"].as_array().cloned().unwrap_or_default();
    ended.iter().map(|found| json!([found["scope"], found["owner"], found["ended"]])).collect()
}

/// How often something of this kind happened.
fn count(app: &TestApp, agent: &Agent<'_>, kind: &str) -> usize {
    app.log(&agent.room()).iter().filter(|recorded| recorded.event.kind() == kind).count()
}

fn assert_sound(app: &TestApp) {
    let found = doctor::examine(app.app()).unwrap();
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn a_scope_is_reserved_for_two_hours_unless_told_otherwise_and_from_5_to_1440_minutes() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        let view = reserve(&ana, "src/");
        assert_eq!(view["expires_at"], json!(app.now().plus(Ttl::from_minutes(120))));
        assert_eq!((&view["scope"], &view["yours"], &view["owner"]), (&json!("src"), &json!(true), &json!("ana")));
        for minutes in [5, 1440] {
            let answer = ana.does("scope.reserve", json!({"scopes": [format!("d{minutes}")], "ttl_minutes": minutes}));
            assert_eq!(answer["reserved"][0]["expires_at"], json!(app.now().plus(Ttl::from_minutes(minutes))));
        }
        for minutes in [0, 4, 1441, u64::MAX] {
            let refused = ana.refused("scope.reserve", json!({"scopes": ["x"], "ttl_minutes": minutes}));
            assert_eq!([&refused["error"], &refused["field"]], ["INVALID_ARGS", "ttl_minutes"]);
        }
        assert_eq!(in_force(&ana).as_array().unwrap().len(), 3);
    });
}

#[test]
fn what_ran_out_is_archived_as_expired_by_whoever_looks_and_told_once() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        ana.does("scope.reserve", json!({"scopes": ["src"], "ttl_minutes": 5}));
        app.later(Ttl::from_millis(5 * 60_000 - 1));
        assert_eq!(in_force(&bo), json!([["src", "ana"]]));
        app.later(Ttl::from_millis(1));
        assert_eq!(in_force(&bo), json!([]));
        assert_eq!(archive(&bo), json!([["src", "ana", "expired"]]));
        for looker in [&ana, &bo] {
            in_force(looker);
            reserve(looker, looker.id().as_str());
        }
        assert_eq!(count(&app, &ana, "scope.expire"), 1);
        let page = bo.does("room.events", json!({"after": 0, "limit": 200}));
        let told =
            page["events"].as_array().unwrap().iter().find(|event| event["event_type"] == "scope.expire").unwrap();
        assert_eq!([&told["scope"], &told["to_agent_id"], &told["from_agent_id"]], ["src", "ana", "bo"]);
        assert_sound(&app);
    });
}

/// The code of an attempt to take `src` over from an owner who last called so many seconds ago; nothing, if it came
/// off.
fn takeover_after(app: &TestApp, seconds: u64, takeover: bool) -> (Option<String>, String) {
    let directory = format!("after-{seconds}-{takeover}");
    app.workspace().file(&format!("{directory}/AGENTS.md"), "");
    let [ana, bo] = ["ana", "bo"].map(|name| app.agent(name));
    ana.join_at(&directory);
    bo.join_at(&directory);
    reserve(&ana, "src");
    app.later_minutes(3);
    // By its own last call, not by the reservation.
    ana.does("agent.heartbeat", json!({}));
    app.later(Ttl::from_secs(seconds));
    let input = json!({"scopes": ["src/lib"], "takeover_stale": takeover});
    let code = bo.call("scope.reserve", input).err().map(|failure| failure.code.as_str().to_owned());
    let log = app.log(&bo.room());
    let incursion = log.iter().find(|recorded| recorded.event.kind() == "scope.incursion").unwrap();
    let payload: Value = serde_json::from_str(&incursion.event.payload().unwrap()).unwrap();
    assert_eq!(in_force(&ana), if code.is_none() { json!([["src/lib", "bo"]]) } else { json!([["src", "ana"]]) });
    if code.is_none() {
        assert_eq!(archive(&ana), json!([["src", "ana", "expired"]]));
    }
    (code, payload["owner_liveness"].as_str().unwrap().to_owned())
}

#[test]
fn takeover_at_14_59_fails_and_at_15_00_29_59_and_30_00_needs_the_flag() {
    on_every_backend(|app| {
        for (seconds, liveness) in
            [(14 * 60 + 59, "active"), (15 * 60, "stale"), (29 * 60 + 59, "stale"), (30 * 60, "evicted")]
        {
            let expected = if liveness == "active" {
                [Some("RESERVATION_CONFLICT"), Some("RESERVATION_CONFLICT")]
            } else {
                [Some("RESERVATION_STALE_FOUND"), None]
            };
            let found = [false, true].map(|takeover| takeover_after(&app, seconds, takeover));
            let expected = expected.map(|code| (code.map(str::to_owned), liveness.to_owned()));
            assert_eq!(found, expected, "{seconds} s");
        }
        assert_sound(&app);
    });
}

#[test]
fn the_minutes_until_stale_are_set_by_baton_stale_minutes_or_the_contracts_bb_agent_stale_minutes() {
    on_every_backend(|app| {
        let cases: [(&[(&str, &str)], u64); 5] = [
            (&[], 15),
            (&[("BB_AGENT_STALE_MINUTES", "3")], 3),
            (&[("BATON_STALE_MINUTES", "2")], 2),
            (&[("BATON_STALE_MINUTES", "2"), ("BB_AGENT_STALE_MINUTES", "40")], 2),
            (&[("BATON_STALE_MINUTES", ""), ("BB_AGENT_STALE_MINUTES", " 4 ")], 4),
        ];
        for (variables, minutes) in cases {
            let [ana, bo] = app.joined(["ana", "bo"]);
            ana.does("scope.reserve", json!({"scopes": ["src"], "ttl_minutes": 1440}));
            let elsewhere = app.beside_with(variables);
            let bo = bo.through(&elsewhere);
            let liveness = || bo.does("scope.status", json!({}))["scopes"][0]["owner_liveness"].clone();
            app.later(Ttl::from_millis(minutes * 60_000 - 1));
            assert_eq!(bo.refused("scope.reserve", taking("src"))["error"], "RESERVATION_CONFLICT", "{variables:?}");
            app.later(Ttl::from_millis(1));
            assert_eq!(liveness(), "stale", "{variables:?}");
            assert_eq!(bo.refused("scope.reserve", json!({"scopes": ["src"]}))["error"], "RESERVATION_STALE_FOUND");
            app.later(Ttl::from_millis(minutes * 60_000 - 1));
            assert_eq!(liveness(), "stale", "{variables:?}");
            app.later(Ttl::from_millis(1));
            assert_eq!(liveness(), "evicted", "{variables:?}");
            let taken = bo.does("scope.reserve", taking("src"));
            assert_eq!(taken["displaced"][0]["owner_liveness"], "evicted");
            bo.does("scope.release", json!({"all": true}));
        }
    });
}

#[test]
fn minutes_that_make_no_sense_are_refused_by_the_variables_name() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        for name in ["BATON_STALE_MINUTES", "BB_AGENT_STALE_MINUTES"] {
            for value in ["0", "-1", "soon", "1.5", "43201", "99999999999999999999"] {
                let elsewhere = app.beside_with(&[(name, value)]);
                let ana = ana.through(&elsewhere);
                for (command, input) in [
                    ("scope.reserve", json!({"scopes": ["src"]})),
                    ("scope.check", json!({"paths": ["src"]})),
                    ("scope.status", json!({})),
                    ("agent.heartbeat", json!({})),
                ] {
                    let refused = ana.refused(command, input);
                    assert_eq!((&refused["error"], &refused["field"]), (&json!("INVALID_ARGS"), &json!(name)));
                    assert!(refused["message"].as_str().unwrap().contains(name), "{refused}");
                }
            }
        }
        assert_eq!(in_force(&ana), json!([]));
    });
}

#[test]
fn looking_at_an_agent_shows_nothing_of_it_and_its_own_calls_do() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        reserve(&ana, "src");
        let seen = |agent: &str| app.stored(&ana.room()).member(&agent.parse().unwrap()).unwrap().last_seen_at;
        let before = seen("ana");
        app.later_minutes(16);
        for (command, input) in [
            ("agent.show", json!({"agent": "ana"})),
            ("agent.list", json!({})),
            ("scope.status", json!({"all": true})),
            ("room.state", json!({})),
        ] {
            bo.does(command, input);
            assert_eq!((seen("ana"), seen("bo")), (before, app.now()), "{command}");
        }
        bo.refused("scope.check", json!({"paths": ["src/x"]}));
        assert_eq!(bo.refused("agent.heartbeat", json!({"agent": "ana"}))["error"], "INVALID_ARGS");
        assert_eq!(seen("ana"), before);
        ana.does("scope.status", json!({}));
        assert_eq!(seen("ana"), app.now(), "looking is a call of one's own");
        assert_eq!(bo.refused("scope.reserve", taking("src"))["error"], "RESERVATION_CONFLICT");
    });
}

#[test]
fn who_reserves_after_a_long_silence_is_told_to_be_active() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        app.later_minutes(40);
        assert_eq!(reserve(&ana, "src")["owner_liveness"], "active");
    });
}

#[test]
fn an_owner_whose_process_is_gone_is_displaced_at_once_and_one_that_stands_still_is_not() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        reserve(&ana, "src");
        ana.stops();
        assert_eq!(bo.refused("scope.reserve", taking("src"))["error"], "RESERVATION_CONFLICT");
        ana.resumes();
        ana.dies();
        let refused = bo.refused("scope.reserve", json!({"scopes": ["src"]}));
        assert_eq!([&refused["error"], &refused["owner_liveness"]], ["RESERVATION_STALE_FOUND", "evicted"]);
        assert_eq!(bo.does("scope.reserve", taking("src"))["displaced"][0]["owner"], "ana");
        assert_sound(&app);
    });
}

#[test]
fn relative_scopes_are_relative_to_the_room_wherever_the_caller_is() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        let deep = Caller::new(ana.caller().actor(), app.workspace().dir("src/deep"));
        let input = json!({"room_id": ana.room(), "scopes": ["lib", "./tests"]});
        let answer = app.call(&deep, "scope.reserve", input).unwrap();
        assert_eq!([&answer["reserved"][0]["scope"], &answer["reserved"][1]["scope"]], ["lib", "tests"]);
        ana.does("scope.release", json!({"scopes": ["lib", "tests/"]}));
        assert_eq!(in_force(&ana), json!([]));
    });
}

#[test]
fn absolute_paths_name_the_room_or_a_linked_worktree_of_it_and_nothing_else() {
    on_every_backend(|app| {
        app.workspace().repository("repo");
        app.workspace().git("repo", &["worktree", "add", "--quiet", "../feature"]);
        let [ana, bo] = ["ana", "bo"].map(|name| app.agent(name));
        ana.join_at("repo");
        bo.join_at("feature");
        assert_eq!(reserve(&ana, &app.workspace().text("repo/src/*"))["scope"], "src/*");
        assert_eq!(reserve(&bo, &app.workspace().text("feature/docs"))["scope"], "docs");
        assert_eq!(
            bo.refused("scope.reserve", json!({"scopes": [app.workspace().text("feature/src/a.rs")]}))["scope"],
            "src/*"
        );
        assert_eq!(ana.refused("scope.reserve", json!({"scopes": ["docs/x"]}))["owner"], "bo");
        for outside in ["/etc", &app.workspace().text("elsewhere/src"), &app.workspace().text("")] {
            let refused = ana.refused("scope.reserve", json!({"scopes": ["ok", outside]}));
            assert_eq!([&refused["error"], &refused["field"]], ["INVALID_ARGS", "scopes"], "{outside}");
            assert!(refused["message"].as_str().unwrap().contains("outside the room"), "{refused}");
        }
        // The whole disk holds all of the room.
        assert_eq!(ana.refused("scope.reserve", json!({"scopes": ["/"]}))["owner"], "bo");
        assert_eq!(in_force(&ana), json!([["src/*", "ana"], ["docs", "bo"]]));
        bo.does("scope.release", json!({"all": true}));
        assert_eq!(reserve(&ana, "/")["scope"], "/");
        assert_eq!(bo.refused("scope.check", json!({"paths": ["README.md"]}))["error"], "RESERVATION_CONFLICT");
    });
}

#[test]
fn who_leaves_gives_back_what_it_had() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        reserve(&ana, "src");
        reserve(&ana, "docs");
        ana.does("room.leave", json!({}));
        assert_eq!(archive(&bo), json!([["docs", "ana", "released"], ["src", "ana", "released"]]));
        reserve(&bo, "src");
        assert_eq!(ana.refused("scope.reserve", json!({"scopes": ["x"]}))["error"], "AGENT_NOT_FOUND");
        assert_sound(&app);
    });
}

#[test]
fn in_a_closed_room_nothing_is_reserved_and_nothing_is_in_the_way() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        reserve(&ana, "src");
        ana.does("room.close", json!({"expected_turn_id": 0}));
        let before = app.everything();
        for agent in [&ana, &bo] {
            assert_eq!(agent.refused("scope.reserve", json!({"scopes": ["x"]}))["error"], "room_closed");
            assert_eq!(agent.refused("scope.release", json!({"all": true}))["error"], "room_closed");
            assert_eq!(agent.does("scope.check", json!({"paths": ["src/x"]}))["passed"], json!([]));
        }
        app.later_minutes(121);
        in_force(&bo);
        assert_eq!(app.everything(), before, "the log of a closed room has ended");
        assert_sound(&app);
    });
}

#[test]
fn a_key_replays_a_grant_and_does_not_freeze_a_refusal() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let keyed = json!({"scopes": ["src"], "idempotency_key": "k"});
        let first = ana.does("scope.reserve", keyed.clone());
        assert_eq!(bo.refused("scope.reserve", keyed.clone())["error"], "RESERVATION_CONFLICT");
        app.later_minutes(1);
        assert_eq!(ana.does("scope.reserve", keyed.clone()), first, "the first answer, and no later expiry");
        assert_eq!(count(&app, &ana, "scope.reserve"), 1);
        let other = json!({"scopes": ["docs"], "idempotency_key": "k"});
        assert_eq!(ana.refused("scope.reserve", other)["error"], "idempotency_conflict");

        let release = json!({"all": true, "idempotency_key": "r"});
        assert_eq!(ana.does("scope.release", release.clone())["released"], json!(["src"]));
        assert_eq!(ana.does("scope.release", release)["released"], json!(["src"]));
        assert_eq!(bo.does("scope.reserve", keyed)["reserved"][0]["owner"], "bo", "the refused request is tried again");
    });
}

#[test]
fn a_release_names_scopes_or_says_all_and_only_ones_own() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        reserve(&ana, "src/*");
        for input in [json!({}), json!({"scopes": ["src"], "all": true})] {
            assert_eq!(ana.refused("scope.release", input)["error"], "INVALID_ARGS");
        }
        assert_eq!(bo.refused("scope.release", json!({"scopes": ["src"]}))["error"], "RELEASE_FORBIDDEN");
        assert_eq!(ana.refused("scope.release", json!({"scopes": ["docs"]}))["error"], "RESERVATION_NOT_FOUND");
        assert_eq!(ana.does("scope.release", json!({"scopes": ["src", "src/"]}))["released"], json!(["src/*"]));
        assert_eq!(bo.does("scope.release", json!({"all": true}))["released"], json!([]));
        assert_eq!(count(&app, &ana, "scope.release"), 1);
    });
}

#[test]
fn a_reservation_is_for_the_task_in_progress_or_the_bead_that_is_named() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        ana.does("tasks.create", json!({"title": "parse"}));
        ana.does("tasks.start", json!({"task": "TASK-001"}));
        assert_eq!(reserve(&ana, "src")["bead_id"], "TASK-001");
        let bead = ana.does("scope.reserve", json!({"scopes": ["docs"], "bead_id": "bb-u6f.6.3"}));
        assert_eq!(bead["reserved"][0]["bead_id"], "bb-u6f.6.3");
        assert_eq!(bo.refused("scope.reserve", json!({"scopes": ["x"], "bead_id": "TASK-009"}))["error"], "UNKNOWN_ID");
        assert_eq!(reserve(&bo, "x")["bead_id"], json!(null));
    });
}

#[test]
fn bad_requests_for_scopes_leave_nothing() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        let before = app.everything();
        let many: Vec<String> = (0..65).map(|number| number.to_string()).collect();
        for scopes in [json!([]), json!(many), json!(["ok", ""]), json!(["a\nb"]), json!(["src/*.rs"]), json!(["a\0"])]
        {
            let refused = ana.refused("scope.reserve", json!({"scopes": scopes}));
            assert_eq!([&refused["error"], &refused["field"]], ["INVALID_ARGS", "scopes"], "{scopes}");
        }
        for (command, input) in [
            ("scope.release", json!({"scopes": many})),
            ("agent.adopt", json!({"agent": "ana", "scopes": many})),
            ("tasks.create", json!({"title": "t", "scopes": many})),
        ] {
            let refused = ana.refused(command, input);
            assert_eq!([&refused["error"], &refused["field"]], ["INVALID_ARGS", "scopes"], "{command}");
        }
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn who_has_a_path_is_asked_without_leaving_a_trace() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.does("scope.reserve", json!({"scopes": ["src/*", "docs"]}));
        let before = app.log(&codex.room()).len();
        let of = |path: &str| claude.does("scope.status", json!({"path": path}))["scopes"].clone();
        assert_eq!(of("src/lib.rs")[0]["scope"], "src/*");
        assert_eq!(of("web"), json!([]));
        assert_eq!(of("/").as_array().unwrap().len(), 2);
        assert_eq!(app.log(&codex.room()).len(), before);
    });
}
