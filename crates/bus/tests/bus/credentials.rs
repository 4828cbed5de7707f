//! Credentials: limits count by them, and what is open under one ends with it.

use std::sync::Arc;

use baton_app::table;
use baton_bus::{Credential, Next, Push, Rate};
use baton_core::{code::ErrorCode, ids::Seq};
use serde_json::json;
use tokio::sync::watch;

use crate::{
    peer::Served,
    world::{World, fields, place},
};

const REASON: &str = "the token ci was revoked";

/// A credential, and how it is revoked.
fn revocable(name: &str) -> (watch::Sender<Option<Arc<str>>>, Credential) {
    let (revoke, revocation) = watch::channel(None);
    (revoke, Credential::revocable(name, revocation))
}

#[tokio::test(start_paused = true)]
async fn a_hundred_names_share_the_rate_of_one_credential_and_another_credential_has_its_own() {
    let world = World::with_rate(Rate { per_second: 1, burst: 100 });
    let room = world.room();
    let read = table::find("room.events").unwrap();
    let input = || fields(json!({"room_id": room}));
    let ci = Credential::lasting("ci");
    for number in 0..100 {
        world.hub.call(&ci, world.caller(&format!("worker-{number}")), read, input()).await.unwrap();
    }
    let refused = world.hub.call(&ci, world.caller("worker-new"), read, input()).await.unwrap_err();
    assert_eq!((refused.code, &refused.details["credential"]), (ErrorCode::RateLimited, &json!("ci")));
    let stream = world.hub.subscribe(&ci, &room, Seq(0)).await.err().unwrap();
    assert_eq!(stream.code, ErrorCode::RateLimited, "opening a stream counts, too");
    world.hub.call(&Credential::lasting("other"), world.caller("worker-0"), read, input()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn agents_and_connections_of_one_process_share_its_rate_on_the_socket() {
    let world = World::with_rate(Rate { per_second: 1, burst: 8 });
    let served = Served::new(&world);
    let mut one = served.peer().await;
    let session = one.call("session.create", json!({})).await["session"]["id"].clone();
    let mut calls = 1;
    for number in 0..3 {
        let mut other = served.peer().await;
        other.call("agent.add", json!({"session": session, "id": format!("worker-{number}")})).await;
        other.call("agent.list", json!({"session": session})).await;
        calls += 2;
    }
    one.call("agent.list", json!({"session": session})).await;
    assert_eq!(calls + 1, 8);
    assert_eq!(one.refused("ping", json!({})).await, "RATE_LIMITED");
    assert_eq!(served.peer().await.refused("agent.list", json!({"session": session})).await, "RATE_LIMITED");
}

#[tokio::test]
async fn revoking_a_credential_ends_its_stream_with_the_reason_and_no_other() {
    let world = World::new();
    let room = world.room();
    let (revoke, ci) = revocable("ci");
    let newest = world.app.newest(&room).unwrap();
    let mut ended = world.hub.subscribe(&ci, &room, newest).await.unwrap();
    let mut other = world.hub.subscribe(&world.credential(), &room, newest).await.unwrap();
    let listening = tokio::spawn(async move { ended.next().await });
    revoke.send_replace(Some(REASON.into()));
    let Next::Dropped(failure) = listening.await.unwrap() else { panic!("it is over") };
    assert_eq!((failure.code, &failure.details["reason"]), (ErrorCode::Unauthorized, &json!(REASON)));
    assert_eq!(failure.details["after"], newest.0);
    let written = world.note(&room, "go on");
    assert_eq!(place(&mut other).await, written.0);
}

#[tokio::test]
async fn revoking_a_credential_disconnects_its_runtime_and_the_log_says_why() {
    let world = World::new();
    let room = world.room_of_two();
    let (revoke, ci) = revocable("ci");
    let mut runtime = world.hub.runtime(&ci, world.caller("bo"), &room, Seq(0)).await.unwrap();
    let mut stream = world.hub.subscribe(&world.credential(), &room, world.app.newest(&room).unwrap()).await.unwrap();
    let pushing = tokio::spawn(async move { runtime.next().await });
    revoke.send_replace(Some(REASON.into()));
    let Push::Dropped(failure) = pushing.await.unwrap() else { panic!("it is over") };
    assert_eq!(failure.code, ErrorCode::Unauthorized);
    let Next::Record(event) = stream.next().await else { panic!("it goes on") };
    let told: serde_json::Value = serde_json::from_str(&event.json).unwrap();
    assert_eq!((&told["type"], &told["payload"]["status"]), (&json!("agent.updated"), &json!("disconnected")));
    assert_eq!(told["payload"]["detail"], format!("its stream ended: {REASON}"));
}

#[tokio::test]
async fn revoking_a_credential_ends_its_waits() {
    let world = World::new();
    let room = world.room();
    let (revoke, ci) = revocable("ci");
    let (hub, caller) = (Arc::clone(&world.hub), world.caller("ana"));
    let input = fields(json!({"room_id": room, "max_wait_ms": 50_000}));
    let take = table::find_on_wire("action.take").unwrap();
    let waiting = tokio::spawn(async move { hub.call(&ci, caller, take, input).await });
    while world.hub.metrics().waits() == 0 {
        tokio::task::yield_now().await;
    }
    revoke.send_replace(Some(REASON.into()));
    let failure = waiting.await.unwrap().unwrap_err();
    assert_eq!((failure.code, &failure.details["reason"]), (ErrorCode::Unauthorized, &json!(REASON)));
    world.hub.drained().await;
}
