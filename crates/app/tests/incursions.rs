//! Collisions: told to the one who is refused, and to everybody who reads the log, in the contract's words.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::doctor;
use baton_testkit::{Agent, TestApp, on_every_backend};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

/// Two agents with the contract's names; the first has reserved something for a task.
fn cast(app: &TestApp) -> [Agent<'_>; 2] {
    let agents = app.joined(["codex:9b22", "claude:a3f1"]);
    for (agent, name) in agents.iter().zip(["amber-otter", "cobalt-harbor"]) {
        agent.does("agent.register", json!({"name": name}));
    }
    agents
}

/// The events after the first so many, as `room.events` tells them.
fn events_after(agent: &Agent<'_>, seq: usize) -> Vec<Value> {
    agent.does("room.events", json!({"after": seq, "limit": 200}))["events"].as_array().unwrap().clone()
}

fn incursions(app: &TestApp, agent: &Agent<'_>) -> usize {
    app.log(&agent.room()).iter().filter(|recorded| recorded.event.kind() == "scope.incursion").count()
}

#[test]
fn an_incursion_by_a_reservation_is_a_first_class_row_with_the_contracts_json() {
    on_every_backend(|app| {
        let [otter, harbor] = cast(&app);
        otter.does("scope.reserve", json!({"scopes": ["src/*"], "bead_id": "bb-u6f.6.3"}));
        let before = app.log(&otter.room()).len();
        let refused = harbor.refused("scope.reserve", json!({"scopes": ["src/lib/parser.ts"]}));
        let hint = "baton block --to amber-otter --subject 'I need src/lib/parser.ts' --blocker \
                    'src/lib/parser.ts is in your scope src/*' --request 'Release src/*, or tell me when you are done there'";
        assert_eq!(
            refused,
            json!({
                "error": "RESERVATION_CONFLICT",
                "message": "src/lib/parser.ts is reserved: amber-otter has src/* and is active.",
                "incoming_scope": "src/lib/parser.ts",
                "scope": "src/*",
                "incursion_kind": "partial",
                "owner": "codex:9b22",
                "owner_agent": "amber-otter",
                "owner_liveness": "active",
                "expires_at": "2026-01-01T02:00:00.000Z",
                "resolution_hint": hint,
                "in_the_way": ["src/* (amber-otter, active)"],
                "next": format!("Work elsewhere, or run: {hint}"),
            })
        );
        let events = events_after(&otter, before);
        let [event] = &events[..] else { panic!("{events:?}") };
        assert_eq!(
            *event,
            json!({
                "event_seq": before + 1,
                "event_id": event["event_id"],
                "turn_id": 0,
                "event_type": "INCURSION",
                "from_agent_id": "claude:a3f1",
                "to_agent_id": "codex:9b22",
                "scope": "src/*",
                "protocol": {
                    "id": format!("proto_20260101_{:03}", before + 1),
                    "version": "v1",
                    "event_type": "INCURSION",
                    "project_root": app.workspace().text(""),
                    "bead_id": "bb-u6f.6.3",
                    "from_agent": "cobalt-harbor",
                    "to_agent": "amber-otter",
                    "scope": "src/*",
                    "created_at": "2026-01-01T00:00:00.000Z",
                    "payload": {
                        "incursion_kind": "partial",
                        "owner_agent": "amber-otter",
                        "incoming_agent": "cobalt-harbor",
                        "owner_liveness": "active",
                        "resolution_hint": hint,
                        "count": 1,
                    },
                },
                "created_at": "2026-01-01T00:00:00.000Z",
            })
        );
    });
}

#[test]
fn an_incursion_by_a_check_is_one_too_and_its_required_fields_are_there_even_when_they_are_null() {
    on_every_backend(|app| {
        let [otter, harbor] = cast(&app);
        otter.does("scope.reserve", json!({"scopes": ["src"]}));
        let before = app.log(&otter.room()).len();
        app.later_minutes(15);
        let refused = harbor.refused("scope.check", json!({"paths": ["README.md", "src"]}));
        assert_eq!(refused["error"], "RESERVATION_STALE_FOUND");
        let protocol = events_after(&otter, before)[0]["protocol"].clone();
        assert_eq!(
            protocol,
            json!({
                "id": format!("proto_20260101_{:03}", before + 1),
                "version": "v1",
                "event_type": "INCURSION",
                "project_root": app.workspace().text(""),
                "bead_id": null,
                "from_agent": "cobalt-harbor",
                "to_agent": "amber-otter",
                "scope": "src",
                "created_at": "2026-01-01T00:15:00.000Z",
                "payload": {
                    "incursion_kind": "exact",
                    "owner_agent": "amber-otter",
                    "incoming_agent": "cobalt-harbor",
                    "owner_liveness": "stale",
                    "resolution_hint": format!("baton scope reserve {} --takeover-stale", app.workspace().text("src")),
                    "count": 1,
                },
            })
        );
    });
}

#[test]
fn who_displaces_a_stale_owner_leaves_an_incursion_before_the_grant() {
    on_every_backend(|app| {
        let [otter, harbor] = cast(&app);
        otter.does("scope.reserve", json!({"scopes": ["src", "docs"]}));
        let before = app.log(&otter.room()).len();
        app.later_minutes(30);
        harbor.does("scope.reserve", json!({"scopes": ["src/lib", "docs"], "takeover_stale": true}));
        let told = events_after(&harbor, before);
        let words: Vec<_> = told.iter().map(|event| event["event_type"].as_str().unwrap()).collect();
        assert_eq!(words, ["INCURSION", "INCURSION", "scope.reserve", "scope.reserve"]);
        let payloads: Vec<_> = told[..2].iter().map(|event| &event["protocol"]["payload"]).collect();
        assert_eq!(payloads[0]["incursion_kind"], "partial");
        assert_eq!(payloads[1]["incursion_kind"], "exact");
        for payload in payloads {
            assert_eq!(payload["owner_liveness"], "evicted");
            assert_eq!(payload["resolution_hint"], "baton scope status");
        }
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_check_that_is_clear_writes_nothing_to_the_log() {
    on_every_backend(|app| {
        let [otter, harbor] = cast(&app);
        otter.does("scope.reserve", json!({"scopes": ["src"]}));
        let before = app.everything();
        let own = otter.does("scope.check", json!({"paths": ["src/a.rs", "README.md"]}));
        assert_eq!((&own["checked"], &own["passed"]), (&json!(2), &json!([])));
        harbor.does("scope.check", json!({"paths": ["srcs/a.rs", "source"]}));
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn a_check_that_collides_is_refused_and_logged_with_each_scope_once() {
    on_every_backend(|app| {
        let [otter, harbor] = cast(&app);
        otter.does("scope.reserve", json!({"scopes": ["src", "docs"]}));
        let paths = json!(["src/a.rs", "src/b.rs", "docs/index.md", "README.md"]);
        let refused = harbor.refused("scope.check", json!({"paths": paths}));
        assert_eq!([&refused["error"], &refused["incoming_scope"]], ["RESERVATION_CONFLICT", "src/a.rs"]);
        assert_eq!(refused["in_the_way"], json!(["src (amber-otter, active)", "docs (amber-otter, active)"]));
        assert_eq!(incursions(&app, &otter), 2);
        // A person who is no member of the room is guarded against too.
        let stranger = app.agent("human:ana:pts1");
        stranger.enter(&otter.room());
        assert_eq!(stranger.refused("scope.check", json!({"paths": paths}))["error"], "RESERVATION_CONFLICT");
        assert_eq!(incursions(&app, &otter), 4);
    });
}

#[test]
fn the_same_collision_is_one_row_with_its_count_for_as_long_as_it_is_not_settled() {
    on_every_backend(|app| {
        let [otter, harbor] = cast(&app);
        otter.does("scope.reserve", json!({"scopes": ["src"]}));
        let check = |path: &str| harbor.refused("scope.check", json!({"paths": [path]}))["error"].clone();
        let before = app.log(&otter.room()).len();
        for _ in 0..5 {
            assert_eq!(check("src/a.rs"), "RESERVATION_CONFLICT");
            app.later_minutes(1);
        }
        harbor.refused("scope.reserve", json!({"scopes": ["src/a.rs"]}));
        assert_eq!(app.log(&otter.room()).len(), before + 1, "asking again and again does not fill the log");
        let told = events_after(&otter, before);
        let payload = &told[0]["protocol"]["payload"];
        assert_eq!((&payload["count"], &payload["last_at"]), (&json!(6), &json!("2026-01-01T00:05:00.000Z")));
        assert_eq!(told[0]["created_at"], "2026-01-01T00:00:00.000Z");
        let seq = before + 1;
        let opened = otter.does("open", json!({"id": format!("log@{seq}")}));
        assert_eq!(opened["event"]["protocol"]["payload"]["count"], 6, "{opened}");
        let recent = otter.does("room.recent", json!({"room_id": otter.room()}));
        assert_eq!(recent["events"][0]["protocol"]["payload"]["count"], 6);
        let history = otter.does("bus.history", json!({"after": before}));
        assert_eq!(history["events"][0]["payload"]["protocol"]["payload"]["count"], 6, "{history}");

        // Another path, another agent, an owner who is less present: each is another collision.
        assert_eq!(check("src/b.rs"), "RESERVATION_CONFLICT");
        assert_eq!(check("src"), "RESERVATION_CONFLICT");
        assert_eq!(incursions(&app, &otter), 3);
        let third = app.agent("gemini:3");
        third.join();
        third.refused("scope.check", json!({"paths": ["src/a.rs"]}));
        assert_eq!(incursions(&app, &otter), 4);
        app.later_minutes(15);
        for _ in 0..3 {
            assert_eq!(check("src/a.rs"), "RESERVATION_STALE_FOUND");
        }
        assert_eq!(incursions(&app, &otter), 5);
        otter.does("agent.heartbeat", json!({}));
        assert_eq!(check("src/a.rs"), "RESERVATION_CONFLICT");
        assert_eq!(incursions(&app, &otter), 5, "the one from before goes on");
        assert_eq!(events_after(&otter, before)[0]["protocol"]["payload"]["count"], 7);

        // Settled, and met anew.
        otter.does("scope.release", json!({"all": true}));
        otter.does("scope.reserve", json!({"scopes": ["src"]}));
        check("src/a.rs");
        assert_eq!(incursions(&app, &otter), 6);
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn with_active_only_a_stale_owner_lets_pass_and_is_told_all_the_same() {
    on_every_backend(|app| {
        let [otter, harbor] = cast(&app);
        otter.does("scope.reserve", json!({"scopes": ["src"]}));
        let check = json!({"paths": ["src/a.rs"], "active_only": true});
        assert_eq!(harbor.refused("scope.check", check.clone())["error"], "RESERVATION_CONFLICT");
        app.later_minutes(15);
        let passed = harbor.does("scope.check", check)["passed"].clone();
        assert_eq!(
            passed,
            json!([{
                "path": "src/a.rs", "scope": "src", "incursion_kind": "partial", "owner": "codex:9b22",
                "owner_agent": "amber-otter", "owner_liveness": "stale", "expires_at": "2026-01-01T02:00:00.000Z",
            }])
        );
        assert_eq!(incursions(&app, &otter), 2);
        assert_eq!(harbor.refused("scope.check", json!({"paths": ["src/a.rs"]}))["error"], "RESERVATION_STALE_FOUND");
    });
}

#[test]
fn files_with_odd_names_are_looked_for_where_they_are() {
    on_every_backend(|app| {
        let [otter, harbor] = cast(&app);
        otter.does("scope.reserve", json!({"scopes": ["src/it's a \"dir\"", "src/[id]"]}));
        for file in ["src/it's a \"dir\"/x", "src/[id]/a*b", "src/[id]/line\nbreak", "src/[id]/\u{1b}[31m", "src/[id]"]
        {
            let refused = harbor.refused("scope.check", json!({"paths": [file]}));
            assert_eq!(refused["error"], "RESERVATION_CONFLICT", "{file:?}");
            assert!(!refused["incoming_scope"].as_str().unwrap().contains(char::is_control), "{refused}");
        }
        let harmless =
            ["line\nbreak", "src/line\nbreak", "src/*", "*", " ", "-x", "src/i", "ünï\u{301}", "a\\b", "src/[id]*"];
        // A star is a name here: src/* is a file, not all of src.
        harbor.does("scope.check", json!({"paths": harmless}));
        assert_eq!(harbor.refused("scope.check", json!({"paths": [""]}))["error"], "INVALID_ARGS");
        assert_eq!(harbor.refused("scope.check", json!({"paths": []}))["error"], "INVALID_ARGS");
        assert_eq!(incursions(&app, &otter), 5);
    });
}

const CAST: [&str; 4] = ["codex:1", "codex:2", "claude:3", "gemini:4"];
const PATHS: [&str; 7] = [".", "src", "src/*", "src/lib", "src/lib/a.rs", "docs", "it's"];

#[derive(Clone, Debug)]
enum Step {
    Call(usize, &'static str, Value),
    Adopt(usize, usize),
    Join(usize),
    Die(usize),
    Later(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let who = 0..CAST.len();
    let scopes = || vec(select(&PATHS[..]), 1..3);
    let call = move |command: &'static str, input: BoxedStrategy<Value>| {
        (0..CAST.len(), input).prop_map(move |(who, input)| Step::Call(who, command, input))
    };
    let reserve = (scopes(), select(vec![5, 30, 240]), any::<bool>())
        .prop_map(|(scopes, ttl, takeover)| json!({"scopes": scopes, "ttl_minutes": ttl, "takeover_stale": takeover}));
    let check = (scopes(), any::<bool>()).prop_map(|(paths, active)| json!({"paths": paths, "active_only": active}));
    let task = || select(vec!["TASK-001", "TASK-002"]);
    prop_oneof![
        8 => call("scope.reserve", reserve.boxed()),
        3 => call("scope.release", scopes().prop_map(|scopes| json!({"scopes": scopes})).boxed()),
        1 => call("scope.release", Just(json!({"all": true})).boxed()),
        3 => call("scope.check", check.boxed()),
        2 => call("scope.status", Just(json!({"all": true})).boxed()),
        1 => call("room.leave", Just(json!({})).boxed()),
        1 => call("tasks.create", Just(json!({"title": "work", "scopes": ["src"]})).boxed()),
        4 => call("tasks.start", task().prop_map(|task| json!({"task": task})).boxed()),
        1 => call("tasks.done", task().prop_map(|task| json!({"task": task})).boxed()),
        2 => call("inbox.send", Just(json!({"to": "broadcast", "category": "INFO", "subject": "s", "body": "b"})).boxed()),
        2 => call("inbox.list", Just(json!({})).boxed()),
        4 => (who.clone(), who.clone()).prop_map(|(who, whom)| Step::Adopt(who, whom)),
        3 => who.clone().prop_map(Step::Join),
        1 => who.prop_map(Step::Die),
        5 => select(vec![1_u64, 5, 15, 30]).prop_map(Step::Later),
    ]
}

/// Plays random steps. What is refused is part of it.
fn play(app: &TestApp, steps: &[Step]) {
    let cast = CAST.map(|name| app.living_agent(name));
    for agent in &cast {
        agent.join();
        agent.does("tasks.create", json!({"title": "work"}));
    }
    let mut dead = [false; CAST.len()];
    for step in steps {
        match step {
            Step::Call(who, command, input) => drop(cast[*who].call(command, input.clone())),
            Step::Adopt(who, whom) => drop(cast[*who].call("agent.adopt", json!({"agent": CAST[*whom]}))),
            Step::Join(who) => drop(cast[*who].call("room.join", json!({"context_path": app.workspace().at("")}))),
            Step::Die(who) if !std::mem::replace(&mut dead[*who], true) => cast[*who].dies(),
            Step::Die(_) => {}
            Step::Later(minutes) => app.later_minutes(*minutes),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn after_any_story_the_stored_scopes_are_the_fold_of_the_log(steps in vec(step(), 40..160)) {
        on_every_backend(|app| {
            play(&app, &steps);
            let found = doctor::examine(app.app()).unwrap();
            assert!(found.is_clean(), "{found:?}");
        });
    }
}
