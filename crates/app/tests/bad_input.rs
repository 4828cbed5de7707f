//! Bad input, as JSON through the table: the right code, the field by name, and nothing changed.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::{ffi::OsStr, os::unix::ffi::OsStrExt};

use baton_app::{paths, table};
use baton_testkit::{Agent, TestApp, Turn, handoff, on_every_backend};
use proptest::{collection::vec, prelude::*};
use serde_json::{Map, Value, json};

/// Demands that each request is refused with this code and names this field.
fn refuses(app: &TestApp, agent: &Agent<'_>, cases: Vec<(&str, Value, &str, &str)>) {
    let before = app.everything();
    for (command, input, code, field) in cases {
        let refusal = agent.refused(command, input.clone());
        let shown: String = input.to_string().chars().take(200).collect();
        assert_eq!((&refusal["error"], &refusal["field"]), (&json!(code), &json!(field)), "{command} {shown}");
        assert!(refusal["message"].as_str().is_some_and(|message| !message.is_empty()));
        assert!(refusal["next"].as_str().is_some_and(|next| !next.is_empty()));
    }
    assert_eq!(app.everything(), before);
}

fn with(mut value: Value, field: &str, to: impl Into<Value>) -> Value {
    value[field] = to.into();
    value
}

fn without(mut value: Value, field: &str) -> Value {
    value.as_object_mut().unwrap().remove(field);
    value
}

#[test]
fn empty_and_oversized_handoff_fields() {
    on_every_backend(|app| {
        let [codex, _claude] = app.joined(["codex", "claude"]);
        let turn = codex.claim();
        let good = handoff("done");
        let artifact = |rest: Value| {
            let mut artifact = json!({"path": "a.rs", "role": "edit"});
            artifact.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            with(handoff("done"), "artifacts", json!([artifact]))
        };
        let long = "x".repeat(16 * 1024 + 1);
        let cases = [
            (with(good.clone(), "status", ""), "status"),
            (with(good.clone(), "status", " \n\t\u{200b}\u{feff}"), "status"),
            (with(good.clone(), "status", long.as_str()), "status"),
            (with(good.clone(), "next_action", ""), "next_action"),
            (with(good.clone(), "next_action", long.as_str()), "next_action"),
            (with(good.clone(), "artifacts", vec![json!({"path": "a", "role": "edit"}); 65]), "artifacts"),
            (artifact(json!({"path": ""})), "artifacts[0].path"),
            (artifact(json!({"path": "x".repeat(4097)})), "artifacts[0].path"),
            (artifact(json!({"lines": [9, 3]})), "artifacts[0].lines"),
            (artifact(json!({"lines": [0, 3]})), "artifacts[0].lines"),
            (artifact(json!({"note": "x".repeat(1025)})), "artifacts[0].note"),
            (with(good.clone(), "open_questions", json!(["why?", " "])), "open_questions[1]"),
            (with(good.clone(), "open_questions", vec!["why?"; 33]), "open_questions"),
            (with(good.clone(), "do_not", json!(["x".repeat(2049)])), "do_not[0]"),
            (with(good, "do_not", vec!["x".repeat(2048); 32]), "status"),
        ];
        let requests = cases.into_iter().flat_map(|(handoff, field)| {
            let release = turn.showing(json!({"handoff": handoff}));
            let pass = turn.showing(json!({"handoff": handoff, "to_agent_id": "claude"}));
            [("stick.release", release, "invalid_handoff", field), ("stick.pass", pass, "invalid_handoff", field)]
        });
        refuses(&app, &codex, requests.collect());
        codex.release(&turn);
    });
}

#[test]
fn handoff_fields_of_the_wrong_type_missing_or_unknown() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let turn = codex.claim();
        let good = handoff("done");
        let artifact = |artifact: Value| with(handoff("done"), "artifacts", json!([artifact]));
        let cases = [
            (with(good.clone(), "status", 7), "status"),
            (with(good.clone(), "next_action", json!(["go on"])), "next_action"),
            (with(good.clone(), "artifacts", "a.rs"), "artifacts"),
            (artifact(json!("a.rs")), "artifacts[0]"),
            (artifact(json!({"path": "a.rs", "role": "smell"})), "artifacts[0].role"),
            (artifact(json!({"path": "a.rs", "role": "edit", "lines": [1]})), "artifacts[0].lines"),
            (artifact(json!({"path": "a.rs", "role": "edit", "lines": [-1, 4]})), "artifacts[0].lines[0]"),
            (with(good.clone(), "open_questions", json!([1])), "open_questions[0]"),
            (without(good.clone(), "next_action"), "next_action"),
            (without(good.clone(), "status"), "status"),
            (with(good, "mood", "fine"), "mood"),
        ];
        let request =
            |(handoff, field)| ("stick.release", turn.showing(json!({"handoff": handoff})), "invalid_handoff", field);
        refuses(&app, &codex, cases.into_iter().map(request).collect());
    });
}

#[test]
fn a_handoff_that_is_no_object_or_not_there() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let turn = codex.claim();
        let before = app.everything();
        for handoff in [json!("done"), json!(null), json!(["done", "go on"]), json!(["done", "go on", [], [], []])] {
            let refusal = codex.refused("stick.release", turn.showing(json!({"handoff": handoff})));
            assert_eq!(refusal["error"], "invalid_handoff", "{handoff}");
        }
        let missing = codex.refused("stick.release", turn.showing(json!({})));
        assert_eq!(missing["field"], "handoff");
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn wrong_types_bad_ids_and_numbers_out_of_range_name_their_field() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let root = app.workspace().text("");
        let here = |field: &str, value: Value| json!({"context_path": root, field: value});
        refuses(
            &app,
            &codex,
            vec![
                ("room.state", json!({"room_id": 7}), "INVALID_INPUT", "room_id"),
                ("room.state", json!({"room_id": "lobby"}), "INVALID_INPUT", "room_id"),
                ("room.state", json!({"room_id": "room_"}), "INVALID_INPUT", "room_id"),
                ("room.state", json!({"room_id": "room_1; DROP TABLE rooms"}), "INVALID_INPUT", "room_id"),
                ("room.state", json!({"room_id": format!("room_{}", "x".repeat(64))}), "INVALID_INPUT", "room_id"),
                ("room.join", json!({"context_path": 7}), "INVALID_INPUT", "context_path"),
                ("room.join", here("force_new", json!("yes")), "INVALID_INPUT", "force_new"),
                ("room.join", here("agent_id_override", json!("a b")), "INVALID_INPUT", "agent_id_override"),
                ("room.join", here("agent_id_override", json!("")), "INVALID_INPUT", "agent_id_override"),
                ("room.join", here("agent_id_override", json!("x".repeat(129))), "INVALID_INPUT", "agent_id_override"),
                ("stick.wait", json!({"max_wait_ms": -1}), "INVALID_INPUT", "max_wait_ms"),
                ("stick.wait", json!({"max_wait_ms": 1.5}), "INVALID_INPUT", "max_wait_ms"),
                ("stick.wait", json!({"cursor": "yesterday", "max_wait_ms": 0}), "INVALID_INPUT", "cursor"),
                ("stick.wait", json!({"cursor": 7, "max_wait_ms": 0}), "INVALID_INPUT", "cursor"),
                (
                    "stick.heartbeat",
                    json!({"lease_id": "lease_x", "expected_turn_id": "one"}),
                    "INVALID_INPUT",
                    "expected_turn_id",
                ),
                ("stick.heartbeat", json!({"lease_id": "key", "expected_turn_id": 1}), "INVALID_INPUT", "lease_id"),
                ("stick.takeover", json!({"expected_turn_id": 0, "reason": ["late"]}), "INVALID_INPUT", "reason"),
                ("room.events", json!({"limit": 0}), "INVALID_INPUT", "limit"),
                ("room.events", json!({"limit": 201}), "INVALID_INPUT", "limit"),
                ("room.events", json!({"limit": 5_000_000_000_u64}), "INVALID_INPUT", "limit"),
                ("room.events", json!({"after": -1}), "INVALID_INPUT", "after"),
                ("room.events", json!({"after": 1, "before": 9}), "INVALID_INPUT", "before"),
                ("room.policy", json!({"policy": {"claim_ttl_ms": "soon"}}), "INVALID_INPUT", "policy.claim_ttl_ms"),
                ("room.note", json!({"text": null}), "INVALID_INPUT", "text"),
                ("room.note", json!({"text": ""}), "invalid_note", "text"),
                ("room.note", json!({"text": "x".repeat(16 * 1024 + 1)}), "invalid_note", "text"),
                ("room.close", json!({"expected_turn_id": 0, "reason": ""}), "invalid_reason", "reason"),
                ("room.close", json!({"expected_turn_id": 0, "reason": "x".repeat(2049)}), "invalid_reason", "reason"),
            ],
        );
    });
}

#[test]
fn unknown_and_missing_fields_are_named() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        refuses(
            &app,
            &codex,
            vec![
                ("room.list", json!({"path": "."}), "INVALID_INPUT", "path"),
                ("room.join", json!({}), "INVALID_INPUT", "context_path"),
                ("room.join", json!({"context_path": ".", "agent_id": "codex"}), "INVALID_INPUT", "agent_id"),
                ("stick.wait", json!({"agent_id": "codex"}), "INVALID_INPUT", "agent_id"),
                ("stick.takeover", json!({"expected_turn_id": 0}), "INVALID_INPUT", "reason"),
                ("room.policy", json!({"policy": {"lease": 1}}), "INVALID_INPUT", "policy.lease"),
            ],
        );
    });
}

#[test]
fn an_input_that_is_no_object_is_refused_by_every_command() {
    on_every_backend(|app| {
        // Nobody is refused before the input is looked at.
        let codex = app.person("human:ana:pts1");
        for command in table::TABLE {
            for input in [json!([]), json!("x"), json!(7), json!(true)] {
                let refusal = app.call(codex.caller(), command.name, input.clone());
                let code = refusal.map_err(|failure| failure.to_json()["error"].clone());
                assert_eq!(code, Err(json!("INVALID_INPUT")), "{} {input}", command.name);
            }
        }
        assert_eq!(app.everything(), []);
    });
}

#[test]
fn unknown_rooms() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let before = app.everything();
        let shown = Turn { turn_id: 1, lease_id: "lease_1".to_owned(), answer: json!({}) };
        for (command, input) in [
            ("stick.wait", json!({"max_wait_ms": 0})),
            ("stick.wait", json!({"max_wait_ms": 50_000})),
            ("stick.heartbeat", shown.showing(json!({}))),
            ("stick.release", shown.showing(json!({"handoff": handoff("x")}))),
            ("stick.pass", shown.showing(json!({"handoff": handoff("x"), "to_agent_id": "claude"}))),
            ("stick.takeover", json!({"expected_turn_id": 0, "reason": "late"})),
            ("room.state", json!({})),
            ("room.events", json!({})),
            ("room.note", json!({"text": "x"})),
            ("room.leave", json!({})),
            ("room.close", json!({"expected_turn_id": 0})),
            ("room.reorder", json!({"order": []})),
            ("room.policy", json!({"policy": {}})),
        ] {
            let refusal = codex.refused(command, with(input, "room_id", "room_nowhere"));
            assert_eq!([&refusal["error"], &refusal["room_id"]], ["unknown_room", "room_nowhere"]);
        }
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn paths_that_lead_nowhere() {
    on_every_backend(|app| {
        app.workspace().file("file", "");
        let codex = app.agent("codex");
        let cases = [
            ("missing".to_owned(), "path_not_found"),
            ("file/below".to_owned(), "path_not_found"),
            (String::new(), "invalid_path"),
            ("a\0b".to_owned(), "invalid_path"),
            ("x".repeat(5000), "invalid_path"),
        ];
        for (path, code) in cases {
            for command in ["room.join", "room.list"] {
                let refusal = codex.refused(command, json!({"context_path": path}));
                assert_eq!(refusal["error"], code, "{command} {path:?}");
                assert_eq!(refusal["path"].as_str().unwrap().len(), path.len().min(4096));
            }
        }
        assert_eq!(app.everything(), []);
    });
}

#[test]
fn a_path_that_is_not_utf_8() {
    on_every_backend(|app| {
        // JSON cannot carry such a path, but a working directory and a link may lead to one.
        let name = OsStr::from_bytes(b"caf\xe9");
        let directory = app.workspace().at("").join(name);
        std::fs::create_dir(&directory).unwrap();
        let failure = paths::resolve(&directory, &app.workspace().at(""), None).unwrap_err();
        assert_eq!(failure.to_json()["error"], "invalid_path");
        std::os::unix::fs::symlink(&directory, app.workspace().at("link")).unwrap();
        let codex = app.agent("codex");
        let refusal = codex.refused("room.join", json!({"context_path": "link"}));
        assert_eq!(refusal["error"], "invalid_path");
        assert_eq!(app.everything(), []);
    });
}

/// Names of fields that some command has, and one that none has.
const FIELDS: [&str; 17] = [
    "room_id",
    "context_path",
    "force_new",
    "agent_id_override",
    "cursor",
    "park",
    "lease_id",
    "expected_turn_id",
    "handoff",
    "to_agent_id",
    "reason",
    "text",
    "order",
    "policy",
    "limit",
    "after",
    "nonsense",
];

/// Values that are nearly right, and values that are anything.
fn value() -> impl Strategy<Value = Value> {
    let likely = prop::sample::select(vec![
        json!("room_1"),
        json!("lease_2"),
        json!("codex"),
        json!("claude"),
        json!(0),
        json!(1),
        json!(-1),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(1e300),
        json!(""),
        json!("."),
        json!("/"),
        json!(["codex", "claude"]),
        json!({"status": "s", "next_action": "n"}),
        json!({"claim_ttl_ms": 1000}),
        json!(true),
        json!("\u{0}"),
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    let anything = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec(("[a-z_]{0,8}", inner), 0..4).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    });
    prop_oneof![3 => likely, 1 => anything]
}

fn input() -> impl Strategy<Value = Value> {
    let fields = vec((prop::sample::select(FIELDS.to_vec()), value()), 0..6);
    let object = fields.prop_map(|fields| {
        let mut input: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        input.entry("room_id").or_insert_with(|| "room_1".into());
        Value::Object(input)
    });
    prop_oneof![9 => object, 1 => value()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_json_arrives_no_command_panics_and_a_refusal_changes_nothing(inputs in vec(input(), 30)) {
        on_every_backend(|app| {
            let [codex, claude] = app.joined(["codex", "claude"]);
            codex.claim();
            // So that a random wait asks once instead of waiting.
            codex.does("room.policy", json!({"policy": {"wait_for_turn_max_wait_ms": 0}}));
            let mut before = app.everything();
            for (number, input) in inputs.iter().enumerate() {
                let agent = if number % 2 == 0 { &codex } else { &claude };
                for command in table::TABLE {
                    match app.call(agent.caller(), command.name, input.clone()) {
                        Ok(_) => before = app.everything(),
                        Err(_) => assert_eq!(app.everything(), before, "{} {input}", command.name),
                    }
                }
            }
            for room in app.rooms() {
                assert_eq!(app.folded(&room), app.stored(&room));
            }
        });
    }
}

#[test]
fn what_models_write_for_numbers_and_objects_is_understood() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let turn = Turn::of(codex.does("stick.wait", json!({"max_wait_ms": "0", "park": "false"})));
        let fence = json!({"lease_id": turn.lease_id, "expected_turn_id": turn.turn_id.to_string()});
        codex.does("stick.heartbeat", fence.clone());
        let given = json!({"status": "s", "next_action": "n", "artifacts": [{"path": "a", "lines": ["1", "2"], "role": "edit"}]});
        codex.does("stick.release", with(fence, "handoff", given.to_string()));
        let got = claude.claim().answer["handoff"].clone();
        assert_eq!(got, with(given, "artifacts", json!([{"path": "a", "lines": [1, 2], "role": "edit"}])));
        let job = json!({"title": "t", "prompt": "p", "priority": "medium", "expected_artifacts": []});
        codex.does("jobs.create", job);
        codex.does("room.events", json!({"limit": "2", "handoffs": "true", "types": "[\"claim\"]"}));
    });
}

#[test]
fn what_a_schema_does_not_list_is_refused_in_plain_words_too() {
    on_every_backend(|app| {
        let codex = app.agent("codex");
        codex.join();
        let job = |meta: Value| json!({"title": "t", "prompt": "p", "meta": meta});
        codex.does("jobs.create", job(json!({"grants": {"read_only": "true"}})));
        for (command, input, said) in [
            ("jobs.create", job(json!({"grants": "read_only"})), "meta.grants: must be an object"),
            ("jobs.create", job(json!({"grants": []})), "meta.grants: must be an object"),
            ("jobs.create", job(json!({"executor_model": 5})), "meta.executor_model: must be text, not 5"),
            ("open", json!({"ref": 5}), "ref: must be text, not 5"),
            ("bus.history", json!({"session": []}), "must be text, not a list"),
        ] {
            let mut asked = input.clone();
            asked["room_id"] = json!(codex.room());
            if asked.get("session").is_some() {
                asked.as_object_mut().unwrap().shift_remove("room_id");
            }
            let failure = app.call(codex.caller(), command, asked).unwrap_err();
            assert!(failure.message.contains(said), "{command} {input}: {}", failure.message);
        }
    });
}

/// Words of the language Baton is written in, and of the library that reads inputs.
const OURS: [&str; 20] = [
    "u8", "u16", "u32", "u64", "usize", "i32", "i64", "f64", "bool", "struct", "enum", "tuple", "newtype", "untagged",
    "Vec", "Option", "String", "sequence", "unit", "map",
];

#[test]
fn no_refusal_of_any_input_speaks_of_types_of_the_program() {
    on_every_backend(|app| {
        let codex = app.agent("codex");
        codex.join();
        let wrong = [
            json!(null),
            json!([null]),
            json!("x"),
            json!(-1),
            json!(1.5),
            json!(true),
            json!([]),
            json!([[1]]),
            json!({}),
            json!({"a": [1]}),
        ];
        for command in table::TABLE {
            let schema = command.input_schema().to_value();
            let fields = schema["properties"].as_object().cloned().unwrap_or_default();
            for (field, wrong) in fields.keys().flat_map(|field| wrong.iter().map(move |wrong| (field, wrong))) {
                // Everything else is left out, so that nothing is done.
                let mut input = json!({ "no such field": 1 });
                input[field] = wrong.clone();
                let Err(failure) = command.run(app.app(), codex.caller(), input) else {
                    panic!("{} was done", command.name)
                };
                let said = failure.message.clone();
                let is_ours = |word: &str| OURS.contains(&word);
                let ours = said.split(|c: char| !c.is_alphanumeric()).any(is_ours);
                assert!(!ours, "{} {field} {wrong}: {said}", command.name);
            }
        }
    });
}
