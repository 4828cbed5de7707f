//! Sessions: whose they are, and when they end.

use std::time::Duration;

use baton_app::Rights;
use http::{Method, StatusCode};
use rmcp::transport::streamable_http_server::SessionManager;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{
    client::Client,
    web::{Answer, Web},
};
use crate::http::sessions::IDLE_MAX;

async fn lists(client: &mut Client<'_>) -> StatusCode {
    client.request("tools/list", json!({})).await.status
}

#[tokio::test]
async fn a_session_that_was_ended_is_gone_and_one_that_never_was_is_not_there() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    assert_eq!(lists(&mut client).await, StatusCode::OK);
    let delete = client.request_builder(Method::DELETE).body(String::new()).unwrap();
    assert!(client.send(delete).await.status().is_success());
    assert_eq!(lists(&mut client).await, StatusCode::NOT_FOUND);
    client.session = Some("made-up".to_owned());
    assert_eq!(lists(&mut client).await, StatusCode::NOT_FOUND);
    client.session = None;
    assert_eq!(lists(&mut client).await, StatusCode::BAD_REQUEST, "it has to begin one");
}

#[tokio::test]
async fn an_agent_that_is_its_session_leaves_with_it_and_a_conversation_does_not() {
    let web = Web::open();
    let mut watcher = Client::new(&web, "2025-11-25").greeted().await;
    let (room, _) = watcher.join().await;
    let mut ended = Client::new(&web, "2025-11-25").greeted().await;
    ended.join().await;
    let mut codex = Client::new(&web, "2025-11-25").named("codex-mcp-client").greeted().await;
    let path = web.world.workspace();
    codex.call_with("join_path", json!({"context_path": path}), json!({"threadId": "t-1"})).await;
    for client in [&ended, &codex] {
        let delete = client.request_builder(Method::DELETE).body(String::new()).unwrap();
        assert!(client.send(delete).await.status().is_success());
    }
    let state = json!({"room_id": room});
    let mut members = 3;
    while members == 3 {
        members = watcher.call("get_room_state", state.clone()).await["members"].as_array().unwrap().len();
    }
    assert_eq!(members, 2, "whoever may come back stays");
}

#[tokio::test]
async fn a_session_is_of_no_use_to_another_principal() {
    let web = Web::open();
    let mut ana = Client::new(&web, "2025-11-25").with("ana", Rights::Agent).greeted().await;
    let mut eve = Client::new(&web, "2025-11-25").with("eve", Rights::Operator);
    eve.session.clone_from(&ana.session);
    let refused = eve.request("tools/list", json!({})).await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND, "{refused:?}");
    let delete = eve.request_builder(Method::DELETE).body(String::new()).unwrap();
    assert_eq!(eve.send(delete).await.status(), StatusCode::NOT_FOUND);
    assert_eq!(lists(&mut ana).await, StatusCode::OK);
}

#[tokio::test]
async fn one_session_too_many_ends_the_one_that_was_used_least_recently() {
    let web = Web::with_sessions(2);
    let mut first = Client::new(&web, "2025-11-25").greeted().await;
    let mut second = Client::new(&web, "2025-11-25").greeted().await;
    assert_eq!(lists(&mut first).await, StatusCode::OK);
    let mut newest = Client::new(&web, "2025-11-25").greeted().await;
    assert_eq!(lists(&mut second).await, StatusCode::NOT_FOUND);
    assert_eq!([lists(&mut first).await, lists(&mut newest).await], [StatusCode::OK; 2]);
}

#[tokio::test]
async fn a_session_that_is_silent_for_hours_ends() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    tokio::time::pause();
    tokio::time::advance(IDLE_MAX / 2).await;
    assert_eq!(lists(&mut client).await, StatusCode::OK, "a call is a sign of life");
    tokio::time::advance(IDLE_MAX / 2).await;
    assert_eq!(lists(&mut client).await, StatusCode::OK);
    // A little more, because timers round up to whole milliseconds.
    tokio::time::advance(IDLE_MAX + Duration::from_secs(1)).await;
    // Asked for by another way than a call, which would be a sign of life.
    let session = client.session.clone().unwrap().into();
    while web.service.sessions.has_session(&session).await.unwrap() {
        tokio::task::yield_now().await;
    }
    assert_eq!(lists(&mut client).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_stream_of_its_own_ends_when_its_credential_is_revoked_and_says_why() {
    let web = Web::open();
    let (revoke, revocation) = watch::channel(None);
    let client = Client::new(&web, "2025-11-25").revocable("ci", revocation).greeted().await;
    let other = Client::new(&web, "2025-11-25").with("other", Rights::Agent).greeted().await;
    let listen =
        async |client: &Client<'_>| client.send(client.request_builder(Method::GET).body(String::new()).unwrap()).await;
    let (ended, stays) = (listen(&client).await, listen(&other).await);
    revoke.send_replace(Some("the token ci was revoked".into()));
    let last = Answer::of(ended).await.message();
    assert_eq!(last["method"], "notifications/message");
    assert_eq!(last["params"]["data"], "This ended because the token ci was revoked.");
    web.close();
    assert!(Answer::of(stays).await.messages().is_empty(), "the server's end is no revocation");
}

#[tokio::test]
async fn when_the_server_closes_waits_are_answered_and_streams_end() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    let wait = client.join_to_wait().await;
    let get = client.request_builder(Method::GET).body(String::new()).unwrap();
    let (_, waiting) = client.begin("tools/call", wait).await;
    let listening = client.send(get).await;
    assert_eq!(listening.status(), StatusCode::OK);
    web.close();
    Answer::of(listening).await;
    let answer: Value = Answer::of(waiting).await.message()["result"]["structuredContent"].take();
    assert_eq!(answer["error"], "SHUTTING_DOWN", "{answer}");
}
