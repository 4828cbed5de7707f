//! Calls: who makes them, how they run beside each other, how they are withdrawn.

use std::time::Duration;

use serde_json::{Value, json};

use super::wire::Wire;

fn wait(room: &Value) -> Value {
    json!({"name": "wait_for_turn", "arguments": {"room_id": room, "max_wait_ms": 50_000}})
}

#[tokio::test]
async fn a_result_is_the_same_json_as_text_and_as_structure() {
    let mut wire = Wire::greeted().await;
    let result = wire.call("list_rooms", json!({})).await;
    let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text, result["structuredContent"]);
}

#[tokio::test]
async fn an_unknown_tool_is_answered_with_the_tools_there_are() {
    let mut wire = Wire::greeted().await;
    let result = wire.call("tasks_jobs_list", json!({})).await;
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["error"], "UNKNOWN_TOOL");
    assert!(result["structuredContent"]["tools"].as_array().unwrap().contains(&json!("join_path")));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("UNKNOWN_TOOL"));
}

#[tokio::test]
async fn wrong_arguments_are_refused_by_name() {
    let mut wire = Wire::greeted().await;
    for (arguments, field) in
        [(json!({"context_path": 5}), "context_path"), (json!({"context_path": ".", "agent_id": "me:1"}), "agent_id")]
    {
        let result = wire.call("join_path", arguments).await;
        assert_eq!(result["isError"], true);
        assert_eq!(result["structuredContent"]["error"], "INVALID_INPUT");
        assert!(result["structuredContent"]["message"].as_str().unwrap().contains(field), "{result}");
    }
}

#[tokio::test]
async fn the_caller_is_who_the_client_said_it_is_and_codex_tells_conversations_apart() {
    let mut wire = Wire::greeted().await;
    let path = wire.world.workspace();
    let joined = wire.call("join_path", json!({"context_path": path})).await;
    assert_eq!(joined["structuredContent"]["agent_id"], "test-client:main");
    let params = json!({"name": "join_path", "arguments": {"context_path": path}, "_meta": {"threadId": "t-42"}});
    let joined = wire.request("tools/call", params).await;
    assert_eq!(joined["result"]["structuredContent"]["agent_id"], "test-client:t-42");
}

#[tokio::test]
async fn an_overridden_identity_sticks_to_the_connection() {
    let mut wire = Wire::greeted().await;
    let path = wire.world.workspace();
    let with = wire.call("join_path", json!({"context_path": path, "agent_id_override": "debug:1"})).await;
    assert_eq!(with["structuredContent"]["agent_id"], "debug:1", "{with}");
    let without = wire.call("join_path", json!({"context_path": path})).await;
    assert_eq!(without["structuredContent"]["agent_id"], "debug:1");
}

#[tokio::test]
async fn a_wait_delays_no_other_call_and_is_withdrawn_without_an_answer() {
    let mut wire = Wire::greeted().await;
    let room = wire.join_room_held_by_another().await;
    let id = wire.ask("tools/call", wait(&room)).await;
    let state = wire.call("get_room_state", json!({"room_id": room})).await;
    assert_eq!(state["isError"], false, "{state}");
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    wire.send(&cancel).await;
    // The member may listen again only when the first wait has really ended, so this is its proof.
    let again = json!({"room_id": room, "max_wait_ms": 1});
    loop {
        let result = wire.call("wait_for_turn", again.clone()).await;
        if result["structuredContent"]["error"] != "duplicate_listener" {
            assert_eq!(result["structuredContent"]["status"], "not_yet", "{result}");
            break;
        }
    }
    // Some clients cancel calls that were answered long ago.
    wire.send(&cancel).await;
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
    assert_eq!(wire.call("list_rooms", json!({})).await["isError"], false);
}

#[tokio::test]
async fn a_wait_with_a_progress_token_says_every_ten_seconds_that_it_is_alive() {
    let mut wire = Wire::greeted().await;
    let room = wire.join_room_held_by_another().await;
    let mut params = wait(&room);
    params["_meta"] = json!({"progressToken": "p-1"});
    let id = wire.ask("tools/call", params).await;
    assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
    tokio::time::pause();
    for expected in [10.0, 20.0] {
        // A little more than ten seconds, because timers round up to whole milliseconds.
        tokio::time::advance(Duration::from_millis(10_005)).await;
        let progress = wire.read().await;
        assert_eq!(progress["method"], "notifications/progress", "{progress}");
        assert_eq!(progress["params"]["progressToken"], "p-1");
        assert_eq!(progress["params"]["progress"], expected);
    }
    tokio::time::resume();
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    wire.hang_up().await;
    wire.ended().await.unwrap();
}
