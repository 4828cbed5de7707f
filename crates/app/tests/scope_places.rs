//! One place is one scope: however it is written, and whichever link leads there.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::os::unix::fs::symlink;

use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

fn reserve(agent: &Agent<'_>, scope: &str) -> Value {
    agent.does("scope.reserve", json!({"scopes": [scope]}))["reserved"][0]["scope"].clone()
}

/// The scope that is in the way of `wanted`.
fn met(agent: &Agent<'_>, wanted: &str) -> Value {
    let refused = agent.refused("scope.reserve", json!({"scopes": [wanted]}));
    assert_eq!(refused["error"], "RESERVATION_CONFLICT", "{wanted}: {refused}");
    let checked = agent.refused("scope.check", json!({"paths": [wanted.trim_end_matches("/*")]}));
    assert_eq!((&checked["error"], &checked["scope"]), (&refused["error"], &refused["scope"]), "{wanted}: {checked}");
    refused["scope"].clone()
}

/// A workspace with links: `link` to `src`, `packages/a/shared` to `src/shared`, `soon` to what is not there yet.
fn linked<'a>(app: &'a TestApp) -> [Agent<'a>; 2] {
    let workspace = app.workspace();
    workspace.dir("src/shared");
    workspace.file("src/shared/a.rs", "1");
    workspace.dir("packages/a");
    symlink("src", workspace.at("link")).unwrap();
    symlink("../../src/shared", workspace.at("packages/a/shared")).unwrap();
    symlink(workspace.at("build/out"), workspace.at("soon")).unwrap();
    symlink("src/shared/a.rs", workspace.at("a.rs")).unwrap();
    symlink("/etc", workspace.at("outside")).unwrap();
    symlink("round", workspace.at("round")).unwrap();
    app.joined(["ana", "bo"])
}

#[test]
fn both_separators_mean_the_same_wherever_a_path_is_taken() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        assert_eq!(reserve(&ana, r"src\lib"), "src/lib");
        for written in ["src/lib", r"src\lib\parser.rs", r".\src\/lib\*", r"src\\lib\", r"src\lib/x"] {
            assert_eq!(met(&bo, written), "src/lib", "{written}");
        }
        let status = bo.does("scope.status", json!({"path": r"src\lib\deep"}));
        assert_eq!([&status["path"], &status["scopes"][0]["scope"]], ["src/lib/deep", "src/lib"]);
        let absolute = app.workspace().text("").replace('/', "\\") + r"\src\lib\x";
        assert_eq!(met(&bo, &absolute), "src/lib");
        let task = ana.does("tasks.create", json!({"title": "t", "scopes": [r"docs\api"]}));
        assert_eq!(task["scopes"], json!(["docs/api"]));
        let sent = ana.does(
            "inbox.send",
            json!({"to": "broadcast", "category": "INFO", "subject": "s", "body": "b", "scope": r"docs\api"}),
        );
        assert_eq!(sent["event"]["scope"], "docs/api");
        assert_eq!(ana.does("scope.release", json!({"scopes": [r"src\lib"]}))["released"], json!(["src/lib"]));
    });
}

#[test]
fn climbing_dots_are_refused_wherever_a_path_is_taken() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        reserve(&ana, "b");
        let before = app.log(&ana.room()).len();
        let inside = app.workspace().text("a/../b");
        for climbing in ["..", "../b", "a/../b", r"a\..\b", r"..\b", "a/..", "/../etc", &inside] {
            for (command, input, field) in [
                ("scope.reserve", json!({"scopes": [climbing]}), "scopes"),
                ("scope.release", json!({"scopes": [climbing]}), "scopes"),
                ("scope.check", json!({"paths": [climbing]}), "paths"),
                ("scope.status", json!({"path": climbing}), "path"),
                ("agent.adopt", json!({"agent": "ana", "scopes": [climbing]}), "scopes"),
                ("tasks.create", json!({"title": "t", "scopes": [climbing]}), "scopes"),
                (
                    "inbox.send",
                    json!({"to": "broadcast", "category": "INFO", "subject": "s", "body": "b", "scope": climbing}),
                    "scope",
                ),
            ] {
                let refused = ana.refused(command, input);
                let facts = (&refused["error"], &refused["field"]);
                assert_eq!(facts, (&json!("INVALID_ARGS"), &json!(field)), "{command} {climbing}: {refused}");
                let said = refused["message"].as_str().unwrap();
                assert!(
                    said.contains("has \"..\" in it, which can lead out of the room"),
                    "{command} {climbing}: {said}"
                );
            }
        }
        assert_eq!(app.log(&ana.room()).len(), before);
    });
}

#[test]
fn a_linked_directory_is_the_same_place_under_both_names() {
    on_every_backend(|app| {
        let [ana, bo] = linked(&app);
        assert_eq!(reserve(&ana, "link"), "src", "the answer says where it is");
        for same in ["src", "link", "link/*", "src/shared/a.rs", "link/shared/a.rs", "link/not/there/yet", "a.rs"] {
            assert_eq!(met(&bo, same), "src", "{same}");
        }
        assert_eq!(met(&bo, "packages/a/shared/new.rs"), "src", "a link in the middle, and a file to be written");
        assert_eq!(met(&bo, &app.workspace().text("packages/a/shared")), "src");
        assert_eq!(bo.does("scope.status", json!({"path": "packages/a/shared"}))["scopes"][0]["scope"], "src");
        assert_eq!(ana.does("scope.release", json!({"scopes": ["link/"]}))["released"], json!(["src"]));

        assert_eq!(reserve(&ana, "src/shared/*"), "src/shared/*");
        assert_eq!(met(&bo, "packages/a/shared"), "src/shared/*");
        assert_eq!(reserve(&bo, "packages/a/own"), "packages/a/own");
    });
}

#[test]
fn a_link_to_what_is_not_there_yet_is_that_place() {
    on_every_backend(|app| {
        let [ana, bo] = linked(&app);
        assert_eq!(reserve(&ana, "soon/js"), "build/out/js");
        assert_eq!(met(&bo, "build/out"), "build/out/js");
        app.workspace().dir("build/out");
        assert_eq!(met(&bo, "soon"), "build/out/js", "nor does it move when it is made");
        assert_eq!(reserve(&bo, "round/x"), "round/x", "a loop leads nowhere");
    });
}

#[test]
fn what_leads_out_of_the_room_is_refused_and_told_where_to() {
    on_every_backend(|app| {
        let [ana, _] = linked(&app);
        for (command, field, input) in [
            ("scope.reserve", "scopes", json!({"scopes": ["ok", "outside/passwd"]})),
            ("scope.check", "paths", json!({"paths": ["ok", "outside/passwd"]})),
            ("scope.status", "path", json!({"path": "outside/passwd"})),
        ] {
            let refused = ana.refused(command, input);
            assert_eq!((&refused["error"], &refused["field"]), (&json!("INVALID_ARGS"), &json!(field)), "{command}");
            let expected = format!(
                "outside/passwd leads to /etc/passwd, which lies outside the room at {}.",
                app.workspace().text("")
            );
            assert_eq!(refused["message"], json!(expected), "{command}");
        }
        for outside in ["/etc/passwd", app.workspace().at("").parent().unwrap().to_str().unwrap()] {
            let refused = ana.refused("scope.check", json!({"paths": [outside]}));
            assert_eq!(refused["error"], "INVALID_ARGS");
            assert!(refused["message"].as_str().unwrap().contains(" lies outside the room, which is at "), "{refused}");
        }
        assert_eq!(ana.does("scope.status", json!({}))["scopes"], json!([]));
    });
}
