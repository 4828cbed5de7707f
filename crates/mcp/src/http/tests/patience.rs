//! Signs of life in long calls.

use std::time::Duration;

use http::StatusCode;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::{
    client::{Client, STATELESS},
    web::{Answer, Web},
};
use crate::http::{Body, patience::KEEP_ALIVE};

#[tokio::test]
async fn a_wait_writes_a_comment_every_fifteen_seconds() {
    assert_eq!(KEEP_ALIVE, Duration::from_secs(15));
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    let wait = client.join_to_wait().await;
    let (_, waiting) = client.begin("tools/call", wait).await;
    assert_eq!(waiting.status(), StatusCode::OK);
    let mut body = waiting.into_body();
    tokio::time::pause();
    for _ in 0..3 {
        while !as_time_passes(next_text(&mut body)).await.starts_with(':') {}
    }
    tokio::time::resume();
    drop(body);
    web.until_waits_are(0).await;
}

#[tokio::test]
async fn without_a_session_a_wait_becomes_a_stream_of_comments_that_ends_with_the_answer() {
    let web = Web::open();
    let mut client = Client::new(&web, STATELESS);
    let wait = client.join_to_wait().await;
    tokio::time::pause();
    let (_, mut waiting) = as_time_passes(client.begin("tools/call", wait)).await;
    assert_eq!(waiting.status(), StatusCode::OK);
    assert_eq!(waiting.headers()["content-type"], "text/event-stream");
    for _ in 0..3 {
        assert!(as_time_passes(next_text(waiting.body_mut())).await.starts_with(':'));
    }
    tokio::time::resume();
    web.close();
    let answer: Value = Answer::of(waiting).await.message();
    assert_eq!(answer["result"]["structuredContent"]["error"], "SHUTTING_DOWN", "{answer}");
}

#[tokio::test]
async fn a_wait_with_a_progress_token_reports_progress_in_its_stream() {
    for revision in ["2025-11-25", STATELESS] {
        let web = Web::open();
        let mut client = Client::new(&web, revision).greeted().await;
        let mut wait = client.join_to_wait().await;
        wait["_meta"] = json!({"progressToken": "p-1"});
        tokio::time::pause();
        let progress = async {
            let mut body = client.begin("tools/call", wait).await.1.into_body();
            loop {
                let text = next_text(&mut body).await;
                if text.contains("notifications/progress") {
                    return text;
                }
            }
        };
        let text = as_time_passes(progress).await;
        tokio::time::resume();
        assert!(text.contains("\"progressToken\":\"p-1\""), "{revision}: {text}");
        web.until_waits_are(0).await;
    }
}

/// The next piece of a stream.
async fn next_text(body: &mut Body) -> String {
    let data = body.frame().await.unwrap().unwrap().into_data().unwrap();
    String::from_utf8(data.to_vec()).unwrap()
}

/// Lets the paused clock run until something is ready: when a call has set its timer nobody can tell from outside.
async fn as_time_passes<T>(awaited: impl Future<Output = T>) -> T {
    let time = async {
        loop {
            tokio::time::advance(Duration::from_secs(1)).await;
        }
    };
    tokio::select! {
        biased;
        ready = awaited => ready,
        never = time => never,
    }
}
