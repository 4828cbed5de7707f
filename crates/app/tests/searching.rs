//! Words are found in what is kept, however they stand there, on every engine alike.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::thread;

use baton_store::{StoreError, engine::Changes};
use baton_testkit::{Agent, Backend, handoff, on_every_backend};
use serde_json::{Value, json};

fn find(agent: &Agent<'_>, query: &str) -> Vec<String> {
    refs(&agent.does("tasks.search", json!({"query": query})))
}

fn refs(found: &Value) -> Vec<String> {
    found["hits"].as_array().unwrap().iter().map(|hit| hit["ref"].as_str().unwrap().to_owned()).collect()
}

fn card(agent: &Agent<'_>, title: &str, text: &str) {
    agent.does("tasks.card.create", json!({"title": title, "text": text}));
}

#[test]
fn everything_that_says_something_is_found_and_private_messages_are_not() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let runner = app.agent("runner");
        runner.enter(&codex.room());
        codex.does("tasks.create", json!({"title": "one", "definition_of_done": "the zebra is done"}));
        card(&codex, "two", "a zebra");
        let note = codex.does("room.note", json!({"text": "zebra noted"}))["event_seq"].as_u64().unwrap();
        codex.does("tasks.anchor.set", json!({"anchor": "a:zoo", "title": "three", "text": "zebra house"}));
        codex.does("tasks.plan.create", json!({"title": "zebra plan"}));
        codex.does("jobs.create", json!({"title": "four", "prompt": "Feed the zebra."}));
        let revision =
            runner.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "r1"}))["job"]["revision"].clone();
        let report = json!({"job": "JOB-001", "runner_id": "r1", "claim_revision": revision, "kind": "question", "message": "which zebra?"});
        let asked = runner.does("jobs.report", report)["ref"].as_str().unwrap().to_owned();
        claude.does("agent.register", json!({"name": "amber-otter"}));
        codex.does("inbox.send", json!({"to": "amber-otter", "category": "INFO", "subject": "zebra", "body": "zebra"}));
        let mut found = find(&codex, "zebra");
        found.sort();
        let mut expected =
            ["TASK-001", "CARD-1", &format!("notes@{note}"), "a:zoo", "PLAN-1", "JOB-001", &asked].map(str::to_owned);
        expected.sort();
        assert_eq!(found, expected);
        for hit in codex.does("tasks.search", json!({"query": "zebra"}))["hits"].as_array().unwrap() {
            codex.does("open", json!({"id": hit["ref"]}));
        }
        let narrowed = codex.does("tasks.search", json!({"query": "zebra", "kinds": ["job", "plan"]}));
        let mut narrowed = refs(&narrowed);
        narrowed.sort();
        assert_eq!(narrowed, ["JOB-001", "PLAN-1"]);
    });
}

#[test]
fn handoffs_envelopes_files_and_requests_are_found_and_messages_by_people_only() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let ana = app.person("ana");
        ana.join();
        codex.release(&codex.claim());
        claude.does("envelope.send", json!({"to": "codex", "message": "the giraffe is fed"}));
        let kept = codex.does("tasks.artifact.keep", json!({"kind": "report", "name": "giraffe.md", "text": "x"}));
        ana.does("spawn.request", json!({"title": "giraffe keeper", "prompt": "Feed it.", "message": "hay"}));
        ana.does("inbox.tell", json!({"to": "codex", "text": "Mind the giraffe."}));
        let kinds = |agent: &Agent<'_>, query: &str| {
            let found = agent.does("tasks.search", json!({"query": query}));
            let kind = |hit: &Value| hit["kind"].as_str().unwrap().to_owned();
            let mut kinds: Vec<_> = found["hits"].as_array().unwrap().iter().map(kind).collect();
            kinds.sort();
            kinds
        };
        assert_eq!(kinds(&codex, "giraffe"), ["approval", "artifact", "envelope"]);
        assert_eq!(kinds(&ana, "giraffe"), ["approval", "artifact", "envelope", "message"]);
        assert!(find(&codex, "giraffe").contains(&kept["ref"].as_str().unwrap().to_owned()));
        let refused = codex.refused("tasks.search", json!({"query": "giraffe", "kinds": ["message"]}));
        assert_eq!(refused["error"], "FORBIDDEN");
        let handed = find(&ana, handoff("done")["next_action"].as_str().unwrap());
        let opened = ana.does("open", json!({"id": handed[0]}));
        assert_eq!((&opened["kind"], &opened["event"]["handoff"]), (&json!("event"), &handoff("done")));
    });
}

#[test]
fn words_are_found_by_their_beginning_together_and_in_paths_and_ids() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        card(&codex, "The parser leaks", "see crates/core/src/reference.rs, fn from_str");
        card(&codex, "Parsing", "nothing else");
        assert_eq!(find(&codex, "parser"), ["CARD-1"]);
        assert_eq!(find(&codex, "PARS").len(), 2);
        assert_eq!(find(&codex, "leaks parser"), ["CARD-1"], "in any order");
        assert_eq!(find(&codex, "parsing leaks"), [""; 0], "all of them");
        for query in ["reference.rs", "core/src", "from_str", "CARD-1", "refer"] {
            assert_eq!(find(&codex, query), ["CARD-1"], "{query}");
        }
        assert_eq!(find(&codex, "src/core"), [""; 0], "what stands together is looked for together");
        let hit = codex.does("tasks.search", json!({"query": "from_str"}))["hits"][0].clone();
        let snippet = "see crates/core/src/reference.rs, fn from_str";
        assert_eq!(hit, json!({"ref": "CARD-1", "kind": "card", "title": "The parser leaks", "snippet": snippet}));
    });
}

#[test]
fn no_query_is_a_syntax_error() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        card(&codex, "x", "body and title");
        for query in [
            "\"",
            "'",
            "a\"b",
            "NEAR(a b)",
            "AND",
            "OR NOT",
            "title:",
            "room : x",
            "*",
            "a*",
            "(",
            ")",
            "a AND",
            "-",
            "--",
            "^x",
            "{title body} : x",
            ":*",
            "a <-> b",
            "a & | ! b",
            "\\",
            "%",
            "_",
            "?1",
            "$1",
            "naïve",
            "日本語",
            "\u{0}x",
        ] {
            if let Err(failure) = codex.call("tasks.search", json!({"query": query})) {
                assert_eq!(failure.to_json()["error"], "INVALID_INPUT", "{query}: {failure}");
            }
        }
        assert_eq!(find(&codex, "and"), ["CARD-1"], "it is a word like any other");
        for nothing in ["", "  ", "\"* -", &"x".repeat(201)] {
            assert_eq!(codex.refused("tasks.search", json!({"query": nothing}))["field"], "query", "{nothing:?}");
        }
        assert_eq!(codex.refused("tasks.search", json!({"query": "x", "limit": 101}))["error"], "INVALID_LIMIT");
        assert_eq!(codex.refused("tasks.search", json!({"query": "x", "kinds": ["mail"]}))["error"], "INVALID_INPUT");
    });
}

#[test]
fn what_is_in_the_title_comes_first_and_of_equals_the_newest() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        card(&codex, "cache", "nothing");
        for _ in 0..3 {
            card(&codex, "other", "about the cache");
        }
        assert_eq!(find(&codex, "cache"), ["CARD-1", "CARD-4", "CARD-3", "CARD-2"]);
        let some = codex.does("tasks.search", json!({"query": "cache", "limit": 2}));
        assert_eq!((refs(&some).len(), &some["has_more"]), (2, &json!(true)));
        assert_eq!(codex.does("tasks.search", json!({"query": "cache", "limit": 4}))["has_more"], false);
    });
}

#[test]
fn a_part_of_the_map_is_found_by_how_it_is_described_now_and_once() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let set =
            |text: &str| codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core", "text": text}));
        set("the old words");
        codex.does("tasks.anchor.set", json!({"anchor": "a:core/old", "title": "Other", "text": "old"}));
        assert_eq!(find(&codex, "old words"), ["a:core"]);
        set("the new words");
        assert_eq!(find(&codex, "old words"), [""; 0]);
        assert_eq!(find(&codex, "new words"), ["a:core"]);
        assert_eq!(find(&codex, "other old"), ["a:core/old"], "and only that one is forgotten");
    });
}

#[test]
fn a_room_does_not_find_what_is_in_another() {
    on_every_backend(|app| {
        app.workspace().dir("other");
        let [codex] = app.joined(["codex"]);
        card(&codex, "secret", "x");
        assert_eq!(find(&codex, "secret"), ["CARD-1"]);
        codex.does("room.join", json!({"context_path": app.workspace().text("other"), "force_new": true}));
        assert_eq!(find(&codex, "secret"), [""; 0]);
        card(&codex, "secret too", "x");
        assert_eq!(find(&codex, "secret"), ["CARD-1"]);
        assert_eq!(find(&codex, "too"), ["CARD-1"]);
    });
}

#[test]
fn what_happened_since_the_last_search_is_found_by_the_next_even_when_two_search_at_once() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        for number in 0..30 {
            codex.does("room.note", json!({"text": format!("needle {number}")}));
        }
        let elsewhere = app.beside();
        let there = claude.through(&elsewhere);
        let all = |agent: &Agent<'_>| refs(&agent.does("tasks.search", json!({"query": "needle", "limit": 100}))).len();
        thread::scope(|scope| {
            let theirs = scope.spawn(|| all(&there));
            assert_eq!((all(&codex), theirs.join().unwrap()), (30, 30), "each once");
        });
        codex.does("room.note", json!({"text": "needle again"}));
        assert_eq!((all(&codex), all(&there)), (31, 31));
    });
}

#[test]
fn a_store_that_a_newer_baton_wrote_is_searched_as_far_as_it_is_indexed_and_says_so() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        card(&codex, "indexed", "x");
        assert_eq!(find(&codex, "indexed"), ["CARD-1"]);
        card(&codex, "indexed later", "x");
        // What a newer Baton's migration would do.
        match app.place().backend() {
            Backend::Sqlite => {
                let newer = "PRAGMA user_version = 999";
                app.place().open().write::<_, StoreError>(|tx| tx.execute(newer, &[], Changes::Any)).unwrap();
            }
            Backend::Postgres => drop(app.place().sql("UPDATE baton.schema_version SET version = 999")),
        }
        let found = codex.does("tasks.search", json!({"query": "indexed"}));
        assert_eq!(refs(&found), ["CARD-1"]);
        let why = found["not_searched"].as_str().unwrap();
        assert!(why.starts_with("events ") && why.contains("schema 999"), "{why}");
    });
}

#[test]
fn a_long_log_is_indexed_in_chunks_and_nothing_is_missed_between_them() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        codex.does("room.note", json!({"text": "the first needle"}));
        for _ in 0..1_100 {
            codex.does("room.note", json!({"text": "hay"}));
        }
        codex.does("room.note", json!({"text": "the last needle"}));
        let found = codex.does("tasks.search", json!({"query": "needle"}));
        assert_eq!((refs(&found).len(), found.get("not_searched")), (2, None));
        let hay = codex.does("tasks.search", json!({"query": "hay", "limit": 100}));
        assert_eq!((refs(&hay).len(), &hay["has_more"]), (100, &json!(true)));
    });
}
