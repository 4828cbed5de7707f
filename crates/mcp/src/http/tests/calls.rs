//! Waits beside other calls, and how they end before their time.

use http::Method;
use serde_json::{Value, json};

use super::{
    client::{Client, STATELESS},
    web::{Answer, Web},
};

#[tokio::test]
async fn a_wait_ends_with_its_client() {
    for revision in ["2025-11-25", STATELESS] {
        let web = Web::open();
        let mut client = Client::new(&web, revision).greeted().await;
        let wait = client.join_to_wait().await;
        // Without sessions there is no response before there is an answer, so the request itself is what is dropped.
        let waiting = async {
            let response = client.begin("tools/call", wait).await;
            std::future::pending::<()>().await;
            drop(response);
        };
        tokio::select! {
            () = waiting => {}
            () = web.until_waits_are(1) => {}
        }
        web.until_waits_are(0).await;
    }
}

#[tokio::test]
async fn a_wait_delays_no_other_call() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    let wait = client.join_to_wait().await;
    let room = wait["arguments"]["room_id"].clone();
    let (_, waiting) = client.begin("tools/call", wait).await;
    web.until_waits_are(1).await;
    let state = client.call("get_room_state", json!({"room_id": room})).await;
    assert!(state.get("error").is_none(), "{state}");
    drop(waiting);
    web.until_waits_are(0).await;
}

#[tokio::test]
async fn a_wait_that_is_cancelled_ends_its_stream_without_an_answer() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    let wait = client.join_to_wait().await;
    let (id, waiting) = client.begin("tools/call", wait).await;
    web.until_waits_are(1).await;
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    client.post(&cancel).await;
    assert_eq!(Answer::of(waiting).await.messages(), Vec::<Value>::new());
    web.until_waits_are(0).await;
    // Some clients cancel calls that were answered long ago.
    client.post(&cancel).await;
    assert!(client.call("list_rooms", json!({})).await["rooms"].is_array());
}

#[tokio::test]
async fn a_wait_ends_with_its_session() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-06-18").greeted().await;
    let wait = client.join_to_wait().await;
    let (_, waiting) = client.begin("tools/call", wait).await;
    web.until_waits_are(1).await;
    let delete = client.request_builder(Method::DELETE).body(String::new()).unwrap();
    client.send(delete).await;
    assert_eq!(Answer::of(waiting).await.messages(), Vec::<Value>::new());
    web.until_waits_are(0).await;
}
