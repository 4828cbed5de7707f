//! Messages that end a wait, and those that do not.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::thread;

use baton_testkit::{Agent, on_every_backend};
use serde_json::{Value, json};

fn info(to: &str) -> Value {
    json!({"to": to, "category": "INFO", "subject": "news", "body": "the build is green"})
}

/// Sends, from another process, what must end the wait of `to`.
fn calls(sender: &Agent<'_>, to: &Agent<'_>, message: Value) -> Value {
    thread::scope(|scope| {
        let waiting = to.waits_in(scope, json!({}));
        sender.does("inbox.send", message);
        waiting.join().unwrap().unwrap()
    })
}

#[test]
fn a_message_to_one_who_waits_ends_the_wait_and_says_what_is_there() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        let elsewhere = app.beside();
        let answer = calls(&codex.through(&elsewhere), &claude, info("claude"));
        let told = (&answer["status"], &answer["new_message"], &answer["inbox"]);
        assert_eq!(told, (&json!("not_yet"), &json!(true), &json!({"unseen": 1, "to_accept": 0})));
    });
}

#[test]
fn with_the_cursor_of_the_answer_one_is_told_of_a_message_once() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        codex.does("inbox.send", info("claude"));
        let first = claude.does("stick.wait", json!({"max_wait_ms": 40_000}));
        assert_eq!(first["new_message"], true, "what came before the wait is told too");
        let again = claude.does("stick.wait", json!({"max_wait_ms": 20, "cursor": first["cursor"]}));
        assert_eq!((&again["new_message"], &again["inbox"]["unseen"]), (&Value::Null, &json!(1)));
    });
}

#[test]
fn who_has_listed_a_message_waits_on() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        codex.does("inbox.send", info("claude"));
        claude.does("inbox.list", json!({}));
        let answer = claude.does("stick.wait", json!({"max_wait_ms": 20}));
        assert_eq!((&answer["new_message"], &answer["inbox"]["unseen"]), (&Value::Null, &json!(1)));
    });
}

#[test]
fn a_broadcast_of_an_agent_ends_no_wait_and_is_counted_all_the_same() {
    on_every_backend(|app| {
        let [codex, claude, gemini] = app.joined(["codex", "claude", "gemini"]);
        codex.claim();
        gemini.does("inbox.send", info("broadcast"));
        let answer = claude.does("stick.wait", json!({"max_wait_ms": 20}));
        assert_eq!((&answer["new_message"], &answer["inbox"]["unseen"]), (&Value::Null, &json!(1)));
    });
}

#[test]
fn a_free_stick_is_claimed_before_any_message_is_told_of() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.does("inbox.send", info("claude"));
        assert_eq!(claude.wait()["status"], "your_turn");
    });
}
