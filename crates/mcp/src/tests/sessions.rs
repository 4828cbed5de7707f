//! How sessions begin and end, in every revision of the protocol.

use serde_json::{Value, json};

use crate::INSTRUCTIONS;

use super::wire::Wire;

#[tokio::test]
async fn every_revision_with_a_handshake_is_answered_in_kind() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut wire = Wire::open();
        let hello = wire.initialize(version).await;
        assert_eq!(hello["result"]["protocolVersion"], version);
        assert_eq!(hello["result"]["serverInfo"]["name"], "baton");
        assert_eq!(hello["result"]["instructions"], INSTRUCTIONS);
        assert!(hello["result"]["capabilities"]["tools"].is_object());

        let tools = wire.request("tools/list", json!({})).await;
        assert!(tools["result"]["tools"].as_array().unwrap().len() >= 9, "{version}");
        let result = wire.call("list_rooms", json!({})).await;
        assert_eq!(result["isError"], false, "{version}: {result}");
        assert!(result.get("resultType").is_none(), "{version}: this is the next revision's");
        assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
    }
}

#[tokio::test]
async fn a_handshake_in_an_unknown_or_later_revision_falls_back_to_the_newest_that_has_one() {
    for version in ["2023-01-01", "2026-07-28", "2999-12-31"] {
        assert_eq!(Wire::open().initialize(version).await["result"]["protocolVersion"], "2025-11-25");
    }
}

#[tokio::test]
async fn the_2026_revision_needs_no_handshake() {
    let mut wire = Wire::open();
    wire.speak_inline();
    let found = wire.request("server/discover", json!({})).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2024-11-05")), "{found}");
    assert_eq!(found["result"]["instructions"], INSTRUCTIONS);

    // Some clients still say this; it is nothing the session could begin with.
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;

    let tools = wire.request("tools/list", json!({})).await;
    assert!(tools["result"]["tools"].as_array().unwrap().len() >= 9);
    let path = wire.world.workspace();
    let joined = wire.call("join_path", json!({"context_path": path})).await;
    assert_eq!(joined["structuredContent"]["agent_id"], "inline-client:main");
    assert_eq!(joined["resultType"], "complete");
}

#[tokio::test]
async fn a_client_may_discover_first_and_then_fall_back_to_a_handshake() {
    let mut wire = Wire::open();
    let refused = wire.request("server/discover", json!({})).await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    assert_eq!(wire.initialize("2025-11-25").await["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(wire.call("list_rooms", json!({})).await["isError"], false);
}

#[tokio::test]
async fn a_session_ends_with_its_input() {
    let mut silent = Wire::open();
    silent.hang_up().await;
    silent.ended().await.unwrap();

    let mut wire = Wire::greeted().await;
    wire.hang_up().await;
    wire.ended().await.unwrap();
}

#[tokio::test]
async fn a_pending_wait_is_withdrawn_when_the_client_hangs_up() {
    let mut wire = Wire::greeted().await;
    let room = wire.join_room_held_by_another().await;
    let id = wire.ask("tools/call", long_wait(&room)).await;
    assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
    wire.hang_up().await;
    let answer = wire.read().await;
    assert_eq!(answer["id"], id);
    assert_eq!(answer["result"]["structuredContent"]["error"], "canceled");
    wire.ended().await.unwrap();
}

#[tokio::test]
async fn a_pending_wait_is_withdrawn_when_the_process_is_asked_to_end() {
    let mut wire = Wire::greeted().await;
    let room = wire.join_room_held_by_another().await;
    wire.ask("tools/call", long_wait(&room)).await;
    assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
    wire.signal();
    wire.ended().await.unwrap();
}

fn long_wait(room: &Value) -> Value {
    json!({"name": "wait_for_turn", "arguments": {"room_id": room, "max_wait_ms": 50_000}})
}
