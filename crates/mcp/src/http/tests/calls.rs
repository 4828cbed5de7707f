//! Waits beside other calls, and how they end before their time.

use http::Method;
use serde_json::{Value, json};

use super::{
    client::{Client, STATELESS},
    web::{Answer, Web},
};

#[tokio::test]
async fn a_wait_delays_no_other_call_and_ends_with_its_client() {
    for revision in ["2025-11-25", STATELESS] {
        let web = Web::open();
        let mut client = Client::new(&web, revision).greeted().await;
        let wait = client.join_to_wait().await;
        let mut waiting = Box::pin(client.begin("tools/call", wait.clone()));
        // Without sessions there is no response before there is an answer, so the request itself is what is dropped.
        let began = futures_util::poll!(&mut waiting);
        drop((began, waiting));
        client.until_no_wait_is_under_way(&wait).await;
    }
}

#[tokio::test]
async fn a_wait_whose_answer_nobody_reads_any_more_is_withdrawn() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    let wait = client.join_to_wait().await;
    let (_, waiting) = client.begin("tools/call", wait.clone()).await;
    let state = client.call("get_room_state", json!({"room_id": wait["arguments"]["room_id"]})).await;
    assert!(state.get("error").is_none(), "{state}");
    drop(waiting);
    client.until_no_wait_is_under_way(&wait).await;
}

#[tokio::test]
async fn a_wait_that_is_cancelled_ends_its_stream_without_an_answer() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    let wait = client.join_to_wait().await;
    let (id, waiting) = client.begin("tools/call", wait.clone()).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.post(&cancel).await;
    assert_eq!(Answer::of(waiting).await.messages(), Vec::<Value>::new());
    client.until_no_wait_is_under_way(&wait).await;
    // Some clients cancel calls that were answered long ago.
    client.post(&cancel).await;
    assert!(client.call("list_rooms", json!({})).await["rooms"].is_array());
}

#[tokio::test]
async fn a_wait_ends_with_its_session() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-06-18").named("codex-mcp-client").greeted().await;
    let meta = json!({"threadId": "t-1"});
    let path = web.world.workspace();
    let joined = client.call_with("join_path", json!({"context_path": path}), meta.clone()).await;
    web.world.take_the_stick(&joined["room_id"]);
    let arguments = json!({"room_id": joined["room_id"], "max_wait_ms": 50_000});
    let params = json!({"name": "wait_for_turn", "arguments": arguments, "_meta": meta});
    let (_, waiting) = client.begin("tools/call", params).await;
    let delete = client.request_builder(Method::DELETE).body(String::new()).unwrap();
    client.send(delete).await;
    assert_eq!(Answer::of(waiting).await.messages(), Vec::<Value>::new());
    // The same conversation in a new session.
    let mut again = Client::new(&web, "2025-06-18").named("codex-mcp-client").greeted().await;
    let arguments = json!({"room_id": joined["room_id"], "max_wait_ms": 1});
    loop {
        let result = again.call_with("wait_for_turn", arguments.clone(), meta.clone()).await;
        if result["error"] != "duplicate_listener" {
            assert_eq!(result["status"], "not_yet", "{result}");
            break;
        }
    }
}
