//! What a client may get wrong. None of it ends the server.

use serde_json::{Value, json};

use super::wire::Wire;

/// Sends a line and returns the error it is answered with, after which an ordinary call must still work.
async fn sent(line: &str) -> Value {
    let mut wire = Wire::greeted().await;
    wire.send_line(line).await;
    let answer = wire.read().await;
    assert_eq!(wire.call("list_rooms", json!({})).await["isError"], false);
    answer
}

#[tokio::test]
async fn a_line_that_is_not_json_gets_a_parse_error() {
    for line in ["{\"jsonrpc\":", "hello", "{]", "\u{1b}[A"] {
        let answer = sent(line).await;
        assert_eq!(answer["error"]["code"], -32700, "{line}: {answer}");
    }
}

#[tokio::test]
async fn json_that_is_no_message_is_refused_under_its_id() {
    let answer = sent("{\"id\":7,\"method\":5}").await;
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(7)), "{answer}");
    assert_eq!(sent("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]").await["error"]["code"], -32600);
    assert_eq!(sent("42").await["error"]["code"], -32600);
}

#[tokio::test]
async fn wrong_parameters_and_unknown_methods_are_told_apart() {
    let mut wire = Wire::greeted().await;
    for (method, params, code) in [
        ("tools/call", json!({}), -32602),
        ("tools/call", json!({"name": "list_rooms", "arguments": "none"}), -32602),
        ("tools/dance", json!({}), -32601),
        ("resources/list", json!({}), -32601),
        ("resources/templates/list", json!({}), -32601),
        ("prompts/list", json!({}), -32601),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
            -32601,
        ),
    ] {
        let answer = wire.request(method, params).await;
        assert_eq!(answer["error"]["code"], code, "{method}: {answer}");
    }
}

#[tokio::test]
async fn a_line_over_four_mebibytes_is_refused_and_the_next_one_is_read() {
    let mut wire = Wire::greeted().await;
    let long = json!({"jsonrpc": "2.0", "id": 9, "method": "ping", "params": {"x": "y".repeat(9 * 1024 * 1024)}});
    wire.send(&long).await;
    let answer = wire.read().await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(wire.call("list_rooms", json!({})).await["isError"], false);
}

#[tokio::test]
async fn a_long_line_within_the_bound_is_read_whole() {
    let mut wire = Wire::greeted().await;
    let result = wire.call("list_rooms", json!({"context_path": "x".repeat(1024 * 1024)})).await;
    assert!(result["isError"].is_boolean(), "{result}");
}

#[tokio::test]
async fn blank_lines_carriage_returns_and_unknown_notifications_are_let_pass() {
    let mut wire = Wire::open();
    wire.send_line("").await;
    wire.send_line("\r").await;
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}})).await;
    wire.send(&json!({"jsonrpc": "2.0", "method": "$/made-up", "params": [1]})).await;
    wire.initialize("2025-06-18").await;
    wire.send(&json!({"jsonrpc": "2.0", "method": "$/made-up", "params": [1]})).await;
    wire.send(&json!({"jsonrpc": "2.0", "id": 77, "result": {}})).await;
    wire.send_line("{\"jsonrpc\":\"2.0\",\"id\":\"text\",\"method\":\"ping\"}\r").await;
    assert_eq!(wire.read().await, json!({"jsonrpc": "2.0", "id": "text", "result": {}}));
}

#[tokio::test]
async fn every_line_is_answered_although_the_client_reads_late() {
    let mut wire = Wire::greeted().await;
    let lines = 5000;
    let flood = tokio::spawn(wire.flood("this is not JSON, and there is a lot of it", lines));
    for _ in 0..lines {
        assert_eq!(wire.read().await["error"]["code"], -32700);
    }
    flood.await.unwrap();
}
