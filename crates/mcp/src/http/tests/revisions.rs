//! Each revision from the beginning: hello, the tools, a call.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{
    client::{Client, STATELESS, WITH_SESSIONS},
    web::{Answer, Web},
};

#[tokio::test]
async fn every_revision_lists_the_same_tools_and_calls_them() {
    let web = Web::open();
    let mut listings = Vec::new();
    for revision in WITH_SESSIONS.into_iter().chain([STATELESS]) {
        let mut client = Client::new(&web, revision).greeted().await;
        let listed = client.request("tools/list", json!({})).await;
        assert_eq!(listed.status, StatusCode::OK, "{revision}: {listed:?}");
        listings.push(listed.message()["result"]["tools"].take());
        let called = client.request("tools/call", json!({"name": "list_rooms", "arguments": {}})).await.message();
        let text: Value = serde_json::from_str(called["result"]["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, called["result"]["structuredContent"], "{revision}");
    }
    assert!(listings[0].as_array().unwrap().len() > 9);
    assert!(listings.iter().all(|listing| *listing == listings[0]));
}

#[tokio::test]
async fn the_newest_revision_is_discovered_and_begins_no_session() {
    let web = Web::open();
    let mut client = Client::new(&web, STATELESS);
    let discovered = client.request("server/discover", json!({})).await;
    let result = &discovered.message()["result"];
    assert!(result["supportedVersions"].as_array().unwrap().contains(&json!(STATELESS)), "{discovered:?}");
    assert!(result["instructions"].as_str().unwrap().contains("join_path"));
    assert!(discovered.headers.get("mcp-session-id").is_none());
    assert_eq!(discovered.headers["content-type"], "application/json", "what is ready needs no stream");
    let get = client.request_builder(Method::GET).body(String::new()).unwrap();
    assert_eq!(client.send(get).await.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn the_newest_revision_has_no_initialize() {
    let web = Web::open();
    let answer = Client::new(&web, STATELESS).request("initialize", json!({})).await;
    assert_eq!((answer.status, &answer.message()["error"]["code"]), (StatusCode::NOT_FOUND, &json!(-32601)));
}

#[tokio::test]
async fn a_revision_that_nobody_knows_is_answered_with_one_that_we_do() {
    let web = Web::open();
    let hello = json!({
        "protocolVersion": "1999-01-01",
        "capabilities": {},
        "clientInfo": {"name": "old", "version": "1"},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello});
    let answer = Client::new(&web, "2024-11-05").post(&message).await;
    assert_eq!(answer.message()["result"]["protocolVersion"], "2025-11-25", "{answer:?}");
}

#[tokio::test]
async fn a_notification_is_accepted_and_an_unknown_method_is_named() {
    let web = Web::open();
    for revision in ["2025-11-25", STATELESS] {
        let mut client = Client::new(&web, revision).greeted().await;
        let made_up = json!({"jsonrpc": "2.0", "method": "notifications/made-up", "params": {"x": 1}});
        let answer: Answer = client.post(&made_up).await;
        assert_eq!((answer.status, answer.text.as_str()), (StatusCode::ACCEPTED, ""), "{revision}");
        let unknown = client.request("tools/dance", json!({})).await;
        assert_eq!(unknown.message()["error"]["code"], -32601, "{revision}: {unknown:?}");
    }
}
